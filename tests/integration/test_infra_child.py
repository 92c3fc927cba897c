"""Child processes: heard in frames, gone in one way only, and never left behind."""

import asyncio
import os
import sys
import textwrap
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil
import pytest

from tertulia.infra.child.process import ChildGone, ChildProcess, start_module
from tertulia.infra.child.supervisor import ChildSupervisor

StartChild = Callable[[str], Awaitable[ChildProcess]]

FRAME_MAX_BYTES = 100_000
PREAMBLE = """
import os, subprocess, sys, time
import msgspec
from tertulia.infra.child.server_pipe import ServerPipe

class Word(msgspec.Struct, frozen=True):
    text: str

decoder = msgspec.msgpack.Decoder(Word)
"""
ECHO = """
pipe = ServerPipe()
while True:
    pipe.send(pipe.receive(decoder))
"""
BUSY_ONCE_ASKED = """
pipe = ServerPipe()
word = pipe.receive(decoder)
pipe.exit_with_server()
pipe.send(word)
while True:
    sum(range(1000))
"""


class Word(msgspec.Struct, frozen=True):
    """All that these children say."""

    text: str


word_decoder = msgspec.msgpack.Decoder(Word)


@dataclass(frozen=True, slots=True)
class Handle:
    """What a supervisor keeps."""

    child: ChildProcess


def write_module(folder: Path, program: str) -> dict[str, str]:
    """Write a child's module; return the environment in which it is found."""
    (folder / "tiny_child.py").write_text(PREAMBLE + program)
    return {"PYTHONPATH": os.pathsep.join([str(folder), *filter(None, sys.path)])}


@pytest.fixture
async def start(tmp_path: Path) -> AsyncGenerator[StartChild]:
    """Start children with the program that is given, and end them after the test."""
    started: list[ChildProcess] = []

    async def start_program(program: str) -> ChildProcess:
        environment = write_module(tmp_path, program)
        started.append(
            await start_module("tiny_child", frame_max_bytes=FRAME_MAX_BYTES, environment=environment)
        )
        return started[-1]

    yield start_program
    for child in started:
        await child.stop()


async def exchange(child: ChildProcess, text: str) -> str:
    await child.send(Word(text))
    return (await child.receive(word_decoder)).text


async def test_a_child_answers_in_frames_of_any_size_below_the_limit(start: StartChild) -> None:
    child = await start(ECHO)

    assert await exchange(child, "hello") == "hello"
    assert await exchange(child, "é" * 40_000) == "é" * 40_000


async def test_what_libraries_print_spoils_no_frame(start: StartChild) -> None:
    child = await start("""
pipe = ServerPipe()
print("printed", flush=True)
subprocess.run(["echo", "by another program"])
os.write(1, b"to the number")
pipe.send(Word("mine"))
time.sleep(600)
""")

    assert (await child.receive(word_decoder)).text == "mine"


@pytest.mark.parametrize(
    "program",
    [
        pytest.param("sys.exit(3)", id="dies at once"),
        pytest.param("this is no Python", id="cannot start"),
        pytest.param("os.write(1, b'\\0\\0\\0\\5hello'); time.sleep(600)", id="sends garbage"),
        pytest.param("os.write(1, b'\\0\\0\\0\\5he'); sys.exit()", id="dies in a frame"),
        pytest.param("os.write(1, b'\\xff\\xff\\xff\\xff'); time.sleep(600)", id="claims too large a frame"),
        pytest.param("os.close(1); time.sleep(600)", id="closes its pipe"),
    ],
)
async def test_a_child_that_is_of_no_more_use_is_gone_in_one_way(start: StartChild, program: str) -> None:
    child = await start(program)

    with pytest.raises(ChildGone):
        await child.receive(word_decoder)
    await child.stop()
    assert (child.is_running, psutil.pid_exists(child.pid)) == (False, False)


async def test_sending_to_a_child_that_ended_tells_that_it_is_gone(start: StartChild) -> None:
    child = await start("sys.exit()")
    await child.wait()

    with pytest.raises(ChildGone):
        await child.send(Word("x" * 1_000_000))


async def test_a_child_that_never_answers_is_ended_all_the_same(start: StartChild) -> None:
    child = await start("pipe = ServerPipe()\nwhile True: time.sleep(600)")
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await child.receive(word_decoder)

    assert not await child.ends_within(0)
    await child.stop(grace_seconds=0.05)

    assert not psutil.pid_exists(child.pid)


@pytest.mark.parametrize("program", [ECHO, BUSY_ONCE_ASKED], ids=["while it waits", "while it works"])
async def test_a_child_ends_by_itself_when_its_input_ends(start: StartChild, program: str) -> None:
    child = await start(program)
    await exchange(child, "hello")

    await child.stop(grace_seconds=30)

    assert child.exit_code == 0


@pytest.mark.parametrize("program", [ECHO, BUSY_ONCE_ASKED], ids=["while it waits", "while it works"])
async def test_a_child_does_not_outlive_a_killed_server(tmp_path: Path, program: str) -> None:
    environment = write_module(tmp_path, program)
    server_program = f"""
        import asyncio, msgspec
        from tertulia.infra.child.process import start_module

        class Word(msgspec.Struct):
            text: str

        async def main():
            child = await start_module("tiny_child", frame_max_bytes=1000, environment={environment!r})
            await child.send(Word("hello"))
            await child.receive(msgspec.msgpack.Decoder(Word))
            print(child.pid, flush=True)
            await asyncio.sleep(600)

        asyncio.run(main())
    """
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", textwrap.dedent(server_program), stdout=asyncio.subprocess.PIPE
    )
    assert server.stdout is not None
    child = psutil.Process(int(await server.stdout.readline()))

    server.kill()
    await server.wait()

    assert await asyncio.to_thread(child.wait, 30) is None or not child.is_running()


@pytest.mark.parametrize(("shows_errors", "expected"), [(True, True), (False, False)])
async def test_a_traceback_reaches_the_servers_log_where_it_may(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], *, shows_errors: bool, expected: bool
) -> None:
    program = "pipe = ServerPipe()\nos.write(2, b'chatter')\nraise ValueError('broken')"
    child = await start_module(
        "tiny_child",
        frame_max_bytes=1000,
        environment=write_module(tmp_path, program),
        shows_errors=shows_errors,
    )
    await child.wait()

    errors = capfd.readouterr().err
    assert ("ValueError: broken" in errors) is expected
    assert "chatter" not in errors


async def test_a_child_knows_nothing_of_the_servers_secrets(
    start: StartChild, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    child = await start("pipe = ServerPipe()\npipe.send(Word(str(dict(os.environ))))")

    assert "canary" not in (await child.receive(word_decoder)).text


async def test_a_supervised_child_is_shared_stopped_when_idle_and_started_anew(start: StartChild) -> None:
    async def start_handle() -> Handle:
        return Handle(await start(ECHO))

    supervisor = ChildSupervisor("The child", start_handle, idle_seconds=0.05)
    async with supervisor.running() as first, supervisor.running() as second:
        assert first is second
        assert await exchange(first.child, "hello") == "hello"
        assert supervisor.pid == first.child.pid
    async with asyncio.timeout(30):
        await first.child.wait()
    assert supervisor.pid is None

    async with supervisor.running() as third:
        third.child.kill()
        assert await supervisor.has_died()
    async with supervisor.running() as fourth:
        assert await exchange(fourth.child, "again") == "again"
    await supervisor.close()
    assert not fourth.child.is_running
