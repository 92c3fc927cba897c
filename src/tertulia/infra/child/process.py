"""A child process as the server sees it: started, spoken to in frames, and ended."""

import asyncio
import contextlib
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from typing import TypeVar

import msgspec

from tertulia.infra.child.environment import child_environment
from tertulia.infra.child.frames import FRAME_LENGTH, encode_message, pack_frame

T = TypeVar("T")


class ChildGone(Exception):
    """The child ended, closed its pipe, or sent what no child of ours sends."""


class ChildProcess:
    """One process with a pipe to it and a pipe from it."""

    def __init__(self, process: Process, *, frame_max_bytes: int) -> None:
        if process.stdin is None or process.stdout is None:
            raise ValueError("a child needs a pipe to it and a pipe from it")
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._frame_max_bytes = frame_max_bytes

    @property
    def pid(self) -> int:
        """Return the process's number."""
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Tell whether the process has not ended, as far as is known."""
        return self._process.returncode is None

    @property
    def exit_code(self) -> int | None:
        """Return what the process ended with, or None while it runs."""
        return self._process.returncode

    async def send(self, message: msgspec.Struct) -> None:
        """Send a message, and return when the child has taken in most of what was sent."""
        await self.send_bytes(encode_message(message))

    async def receive(self, decoder: msgspec.msgpack.Decoder[T]) -> T:
        """Return the child's next message."""
        try:
            return decoder.decode(await self.receive_bytes())
        except msgspec.MsgspecError:
            raise ChildGone from None

    async def send_bytes(self, body: bytes) -> None:
        """Send one frame."""
        if self._stdin.is_closing():
            raise ChildGone
        try:
            self._stdin.write(pack_frame(body))
            await self._stdin.drain()
        except OSError:
            raise ChildGone from None

    async def receive_bytes(self) -> bytes:
        """Return what is in the child's next frame."""
        try:
            (size,) = FRAME_LENGTH.unpack(await self._stdout.readexactly(FRAME_LENGTH.size))
            if size > self._frame_max_bytes:
                raise ChildGone
            return await self._stdout.readexactly(size)
        except (asyncio.IncompleteReadError, OSError):
            raise ChildGone from None

    async def wait(self) -> None:
        """Return once the process has ended."""
        await self._process.wait()

    async def ends_within(self, seconds: float) -> bool:
        """Tell whether the process ends by itself, which may be known only a moment after it happened."""
        try:
            async with asyncio.timeout(seconds):
                await self.wait()
        except TimeoutError:
            return False
        return True

    def kill(self) -> None:
        """End the process at once, whatever it is doing; `stop` also waits until it is gone."""
        if self.is_running:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def stop(self, *, grace_seconds: float = 0) -> None:
        """End the process and wait until it is gone; for `grace_seconds` it may end by itself."""
        if grace_seconds:
            self._stdin.close()
            await self.ends_within(grace_seconds)
        self.kill()
        await self.wait()


async def start_module(
    module: str,
    *,
    frame_max_bytes: int,
    environment: Mapping[str, str] | None = None,
    shows_errors: bool = True,
) -> ChildProcess:
    """Start one of our modules; `environment` adds to what every child is given.

    Its tracebacks go where the server's own go, unless it reads what nobody vouches for: that could
    end up in them.
    """
    # -P keeps the working directory from lending modules to the child.
    return await start_python(
        "-P",
        "-m",
        module,
        frame_max_bytes=frame_max_bytes,
        environment=environment,
        shows_errors=shows_errors,
    )


async def start_python(
    *arguments: str,
    frame_max_bytes: int,
    environment: Mapping[str, str] | None = None,
    shows_errors: bool = True,
) -> ChildProcess:
    """Start the Python that runs the server with these arguments."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *arguments,
        stdin=PIPE,
        stdout=PIPE,
        stderr=None if shows_errors else DEVNULL,
        env={**child_environment(), **(environment or {})},
    )
    return ChildProcess(process, frame_max_bytes=frame_max_bytes)
