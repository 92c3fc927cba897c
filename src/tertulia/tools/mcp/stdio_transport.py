"""A server that we run ourselves: one JSON message a line, in and out."""

import asyncio
import os
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import cast

import msgspec

from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonUnreadable, read_json
from tertulia.infra.child.environment import child_environment
from tertulia.infra.child.supervisor import CHILD_STOP_GRACE_SECONDS
from tertulia.tools.http.client import TOOL_ANSWER_MAX_BYTES
from tertulia.tools.mcp.errors import ToolCallLost, ToolServerDown
from tertulia.tools.mcp.mcp_session import OnMessage

#: How soon it is noticed that a program has ended.
MCP_EXIT_POLL_SECONDS = 0.2


class StdioTransport:
    """Runs a command and speaks with it over its standard input and output.

    It is given none of our environment but what every program needs, and its own session, so that
    whatever it starts ends with it.
    """

    def __init__(self, command: str, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        self._command = (command, *arguments)
        self._environment = environment
        self._process: asyncio.subprocess.Process | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._is_open = False

    @property
    def is_open(self) -> bool:
        """Tell whether the program runs and listens."""
        return self._is_open and self._process is not None and self._process.returncode is None

    async def open(self, on_message: OnMessage, on_lost: Callable[[str], None]) -> None:
        """Start the program."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=child_environment() | dict(self._environment),
                cwd=tempfile.gettempdir(),
                limit=TOOL_ANSWER_MAX_BYTES,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no command"
            raise ToolServerDown(f"The command cannot be started: {why}.") from None
        self._is_open = True
        self._tasks = [
            asyncio.create_task(self._read(self._process, on_message, on_lost)),
            asyncio.create_task(watch_exit(self._process)),
        ]

    async def send(self, message: JsonObject) -> None:
        """Write one line."""
        if not self.is_open or self._process is None or self._process.stdin is None:
            raise ToolCallLost("it has stopped")
        try:
            self._process.stdin.write(msgspec.json.encode(message) + b"\n")
            await self._process.stdin.drain()
        except (ConnectionError, RuntimeError):
            raise ToolCallLost("it has stopped") from None

    async def set_protocol_version(self, version: str) -> None:
        """Need nothing: the version is not said again."""

    async def close(self) -> None:
        """End the program: kindly, and if that does not help, with all that it started."""
        self._is_open = False
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        await asyncio.wait(self._tasks, timeout=CHILD_STOP_GRACE_SECONDS)
        if process.returncode is None:
            kill_process_group(process.pid)
        await asyncio.wait(self._tasks)

    async def _read(
        self, process: asyncio.subprocess.Process, on_message: OnMessage, on_lost: Callable[[str], None]
    ) -> None:
        """Take in lines until there are no more."""
        why = "it has stopped"
        try:
            while line := await read_line(process):
                for message in parse_messages(line):
                    on_message(message)
        except ValueError:
            why = f"it said more than {TOOL_ANSWER_MAX_BYTES // 1_000_000} MB at once"
        finally:
            self._is_open = False
            if process.returncode is None:
                kill_process_group(process.pid)
            on_lost(why)


async def read_line(process: asyncio.subprocess.Process) -> bytes:
    """Return what a program says next; nothing once it says no more."""
    return await process.stdout.readline() if process.stdout is not None else b""


async def watch_exit(process: asyncio.subprocess.Process) -> None:
    """Wait until a program ends, and end what it started, which may keep its output open.

    At once, and not later: then its number may be another program's.
    """
    while process.returncode is None:  # noqa: ASYNC110 - `wait` waits for its output to close as well
        await asyncio.sleep(MCP_EXIT_POLL_SECONDS)
    kill_process_group(process.pid)


def kill_process_group(pid: int) -> None:
    """Kill a program and all that it started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def parse_messages(text: bytes) -> list[JsonObject]:
    """Return the messages in a piece of JSON; none where it is none, as programs print other things too."""
    try:
        said = read_json(text)
    except JsonUnreadable:
        return []
    several = cast("list[object]", said) if isinstance(said, list) else [cast("object", said)]
    return [cast("JsonObject", item) for item in several if isinstance(item, dict)]
