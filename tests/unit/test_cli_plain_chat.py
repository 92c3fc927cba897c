"""`tertulia chat` without a terminal: a question in each line, and nothing but replies on standard output."""

import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.fake_server import FakeServer, fake_server, reply_view, round_view, said, turn_view

from tertulia.cli.chat_loop import chat_loop
from tertulia.cli.chat_screen import PlainScreen
from tertulia.cli.chat_session import ChatSession
from tertulia.cli.client import ApiClient
from tertulia.cli.commands import root
from tertulia.conversations import events
from tertulia.conversations.views import ToolCallView
from tertulia.core.view import view_as

WRONG_KEY = {"code": "key_rejected", "message": "The key is wrong."}
CALL = {"id": "call_1", "name": "send_letter", "arguments": "{}", "status": "waiting"}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[FakeServer]:
    with fake_server() as fake:
        monkeypatch.setenv("TERTULIA_URL", fake.url)
        monkeypatch.setenv("TERTULIA_TOKEN", "ttl_test")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        fake.answers["POST /api/turn"] = (202, turn_view(reply_view("a", "ant")))
        fake.script = said("a", "ant", "Hel", "lo, *you*")
        yield fake


def chat(lines: str, *options: str) -> Result:
    return CliRunner().invoke(root, ["chat", *options], input=lines)


def test_each_line_is_a_question_and_each_reply_is_written_as_it_is(server: FakeServer) -> None:
    result = chat("Hello\n\nAnd then?\n/quit\nNever asked\n", "-m", "ant")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "Hello, *you*\n\nHello, *you*\n", "")
    first, second = server.bodies("POST /api/turn")
    assert (first["message"], first["models"]) == ("Hello", ["ant"])
    assert (second["message"], second["conversation_id"]) == ("And then?", "cnv_1")


def test_the_program_itself_writes_no_prompt_and_no_carriage_return(server: FakeServer) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tertulia", "chat"], input=b"Hello", capture_output=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"Hello, *you*\n", b"")
    assert not (Path(os.environ["XDG_CONFIG_HOME"]) / "tertulia" / "history").exists()


def test_several_replies_stand_under_their_names_and_commands_speak_on_standard_error(
    server: FakeServer,
) -> None:
    server.answers["POST /api/turn"] = (202, turn_view(reply_view("a", "ant"), reply_view("b", "bee")))
    server.script += said("b", "bee", "Be")
    server.answers["GET /api/models"] = (200, {"models": [{"id": "cat"}]})
    result = chat("Hello\n/add cat\n")
    assert result.stdout == "## ant\n\nHello, *you*\n\n## bee\n\nBe\n"
    assert result.stderr == "At the table: ant, bee, cat\n"


def test_what_was_said_before_is_no_result(server: FakeServer) -> None:
    earlier = round_view(reply_view("z", "ant", status="done", content="Earlier"), question="Why?")
    server.answers["GET /api/conversations/cnv_1"] = (
        200,
        {"conversation": {"id": "cnv_1", "title": None}, "rounds": [earlier], "last_event_id": 0},
    )
    result = chat("Hello\n", "-c", "cnv_1")
    assert result.stdout == "Hello, *you*\n"
    assert "Earlier" in result.stderr


def test_a_line_that_fails_is_said_and_the_next_is_asked(server: FakeServer) -> None:
    result = chat("/sing\nHello\n")
    assert (result.exit_code, result.stdout) == (1, "Hello, *you*\n")
    assert "There is no command /sing" in result.stderr
    server.script = said("a", "ant", status="failed", error=WRONG_KEY)
    result = chat("Hello\n")
    assert (result.exit_code, result.stdout, result.stderr) == (1, "", "ant: The key is wrong.\n")


def test_the_next_line_is_never_taken_for_a_yes(server: FakeServer) -> None:
    server.script = [
        events.ReplyStarted("rnd_1", "a"),
        events.ReplyToolCall("a", view_as(ToolCallView, CALL)),
        events.ReplyText("a", 0, "Let me see."),
        events.ReplyWaits("a"),
    ]
    result = chat("Write\nyes, and who are you?\n")
    assert (result.exit_code, result.stdout) == (3, "Let me see.\n\nLet me see.\n")
    assert "tertulia approve a call_1" in result.stderr
    assert [body["message"] for body in server.bodies("POST /api/turn")] == ["Write", "yes, and who are you?"]
    assert server.bodies("POST /api/replies/a/calls/call_1/decision") == []


def test_ctrl_c_leaves(server: FakeServer) -> None:
    def press() -> str:
        raise KeyboardInterrupt

    with ApiClient(server.url, "t") as client, pytest.raises(KeyboardInterrupt):
        chat_loop(ChatSession(client), read=press, screen=PlainScreen())


def test_ctrl_c_stops_the_replies_and_leaves(server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.answers["POST /api/rounds/rnd_1/stop"] = (202, None)

    def press(*_: object, **__: object) -> Generator[object]:
        raise KeyboardInterrupt
        yield

    monkeypatch.setattr(ApiClient, "subscribe", press)
    lines = iter(["Hello", "Never asked"])
    with ApiClient(server.url, "t") as client, pytest.raises(KeyboardInterrupt):
        chat_loop(ChatSession(client), read=lambda: next(lines), screen=PlainScreen())
    assert next(lines) == "Never asked"
    assert server.bodies("POST /api/rounds/rnd_1/stop")
