"""The status with which a command ends, also when nobody reads what it prints."""

import os
import socket
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

import click
import pytest
from tests.fake_server import FakeServer, fake_server, reply_view, said, turn_view

from tertulia.cli.commands import root
from tertulia.cli.program import run_program
from tertulia.conversations import events

WRONG_KEY = {"code": "key_rejected", "message": "The key is wrong."}


@pytest.fixture(autouse=True)
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[FakeServer]:
    with fake_server() as fake:
        monkeypatch.setenv("TERTULIA_URL", fake.url)
        monkeypatch.setenv("TERTULIA_TOKEN", "ttl_test")
        monkeypatch.setenv("TERTULIA_DATA_DIR", str(tmp_path))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        fake.answers |= {
            "POST /api/turn": (202, turn_view(reply_view("a", "ant"))),
            "POST /api/conversations/cnv_1/export": (200, b"# Tides\n"),
            "GET /health": (200, {"status": "ok"}),
        }
        fake.script = [*said("a", "ant", "Hel", "lo"), events.RoundClosed("rnd_1")]
        yield fake


@contextmanager
def pipe_nobody_reads() -> Generator[int]:
    """Have a pipe whose reader has gone."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        yield writer
    finally:
        os.close(writer)


@pytest.mark.parametrize(
    "line",
    [
        "--help",
        "--version",
        "ask x",
        "ask x --json",
        "ask x --no-stream",
        "export cnv_1",
        "doctor",
    ],
)
def test_a_command_whose_output_nobody_reads_ends_like_one_that_sigpipe_killed(
    line: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    with pipe_nobody_reads() as writer, open(writer, "w", closefd=False) as out:
        monkeypatch.setattr(sys, "stdout", out)
        assert run_program(line.split()) == 141
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_bytes_that_are_no_text_are_replaced_on_their_way_in_and_out(
    errors: str, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.script = [*said("a", "ant", "Naïve ☕"), events.RoundClosed("rnd_1")]
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(b"caf\xe9"), "utf-8", errors))
    out = BytesIO()
    monkeypatch.setattr(sys, "stdout", TextIOWrapper(out, "latin-1"))
    assert run_program(["ask", "Bytes \udcff:"]) == 0
    assert server.bodies("POST /api/turn") == [{"message": "Bytes \ufffd:\n\ncaf\ufffd"}]
    assert out.getvalue() == "Naïve ?\n".encode("latin-1")


@pytest.mark.parametrize(
    ("command", "environment"),
    [(["doctor"], {}), (["user", "list"], {"FORCE_COLOR": "1"})],
    ids=["printed", "drawn"],
)
def test_the_shell_sees_it_and_nothing_is_said(command: list[str], environment: dict[str, str]) -> None:
    with pipe_nobody_reads() as writer:
        ended = subprocess.run(
            [sys.executable, "-m", "tertulia", *command],
            env=os.environ | environment,
            stdout=writer,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_no_answer_and_no_server_are_failures_and_no_question_is_wrong_use(
    server: FakeServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", StringIO())
    assert run_program(["ask", "x"]) == 0
    assert run_program(["ask", "x", "--url", "http://127.0.0.1:1"]) == 1
    assert run_program(["ask"]) == 2
    assert run_program(["ask", "x", "--sing"]) == 2
    server.script = said("a", "ant", status="failed", error=WRONG_KEY)
    assert run_program(["ask", "x"]) == 1
    assert "ant: The key is wrong." in capsys.readouterr().err


@pytest.mark.parametrize(("raised", "exit_code"), [(KeyboardInterrupt, 130), (EOFError, 1), (click.Abort, 1)])
def test_ctrl_c_ends_every_command_with_130_and_a_question_left_unanswered_with_1(
    raised: type[BaseException], exit_code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: click.Context) -> None:
        raise raised

    monkeypatch.setattr(root, "invoke", fail)
    assert run_program(["models"]) == exit_code


def test_ctrl_c_at_a_prompt_is_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def press(*_: object) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.termui, "visible_prompt_func", press)
    assert run_program(["login"]) == 130


def test_a_server_whose_port_is_taken_says_so_and_fails(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert run_program(["serve", "--port", str(port)]) == 1
    assert capsys.readouterr().err == (
        f"The server cannot listen at 127.0.0.1 port {port}: Address already in use. "
        "Choose another with --host or --port.\n"
    )


@pytest.mark.parametrize("host", ["999.1.1.1", "x" * 64])
def test_a_server_at_a_host_that_cannot_be_says_so_and_fails(
    host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_program(["serve", "--host", host, "--port", "0"]) == 1
    assert f"cannot listen at {host} port 0" in capsys.readouterr().err


def test_a_server_that_cannot_start_fails_and_waits_for_no_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SystemExit(3)

    monkeypatch.setattr("tertulia.server.serve", fail)
    assert run_program(["serve"]) == 1
