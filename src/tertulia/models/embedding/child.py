"""A running embedder's process, and the questions that it has not answered yet."""

import asyncio
import itertools
import sys
from asyncio.subprocess import PIPE, Process

import msgspec

from tertulia.models.child import child_environment, stop_child
from tertulia.models.embedding.domain import EmbedderUnavailable
from tertulia.models.embedding.frames import (
    EMBEDDER_FRAME_LENGTH,
    EMBEDDER_READY_ID,
    EmbedderSetup,
    EmbedRequest,
    EmbedResponse,
    pack_embedder_frame,
)
from tertulia.models.embedding.weights import EmbedderFiles

EMBEDDER_START_SECONDS = 60
#: A few texts take a second or two; a process that needs longer than this is stuck.
EMBED_REQUEST_MAX_SECONDS = 120
EMBEDDER_NOT_STARTED = (
    "The built-in embedder did not start: `tertulia models install embedder` checks and mends its files."
)
EMBEDDER_STUCK = "The built-in embedder does not answer and was stopped: try again."


class EmbedderProcessGone(Exception):
    """The process ended before it answered."""


class EmbedderProcess:
    """Asks one process many questions at once."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._pending: dict[int, asyncio.Future[EmbedResponse]] = {}
        self._ids = itertools.count(EMBEDDER_READY_ID + 1)
        self._reading = asyncio.create_task(self._read())

    async def embed(self, texts: list[str], *, urgent: bool) -> bytes:
        """Return the vectors of some texts, row after row."""
        request = EmbedRequest(next(self._ids), urgent, texts)
        try:
            async with asyncio.timeout(EMBED_REQUEST_MAX_SECONDS):
                answer = await self._exchange(request)
        except TimeoutError:
            kill_process(self.process)
            raise EmbedderUnavailable(EMBEDDER_STUCK) from None
        finally:
            self._pending.pop(request.id, None)
        if answer.error:
            raise EmbedderUnavailable(f"The built-in embedder failed at a text: {answer.error}")
        return answer.vectors

    async def _exchange(self, request: EmbedRequest) -> EmbedResponse:
        if self._reading.done():
            raise EmbedderProcessGone
        future: asyncio.Future[EmbedResponse] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = future
        try:
            await send_frame(self.process, request)
        except OSError:
            raise EmbedderProcessGone from None
        return await future

    async def _read(self) -> None:
        try:
            while True:
                answer = await receive_frame(self.process)
                future = self._pending.get(answer.id)
                if future is not None and not future.done():
                    future.set_result(answer)
        except EmbedderProcessGone:
            kill_process(self.process)
            await self.process.wait()
        for future in self._pending.values():
            if not future.done():
                future.set_exception(EmbedderProcessGone())


async def start_embedder(files: EmbedderFiles) -> EmbedderProcess:
    """Start the process and return once the model is loaded, which takes less than a second."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tertulia.models.embedding.process",
        stdin=PIPE,
        stdout=PIPE,
        env=child_environment(),
    )
    try:
        async with asyncio.timeout(EMBEDDER_START_SECONDS):
            await send_frame(process, EmbedderSetup(str(files.graph), str(files.tokenizer)))
            await receive_frame(process)
    except (TimeoutError, OSError, EmbedderProcessGone) as error:
        await stop_child(process)
        raise EmbedderUnavailable(EMBEDDER_NOT_STARTED) from error
    except BaseException:
        kill_process(process)
        raise
    return EmbedderProcess(process)


async def send_frame(process: Process, message: EmbedderSetup | EmbedRequest) -> None:
    """Send a message to the process."""
    if process.stdin is None:
        raise OSError("the process has no pipes")
    process.stdin.write(pack_embedder_frame(message))
    await process.stdin.drain()


async def receive_frame(process: Process) -> EmbedResponse:
    """Return the next answer, or raise when there will be none."""
    if process.stdout is None:
        raise EmbedderProcessGone
    try:
        (size,) = EMBEDDER_FRAME_LENGTH.unpack(await process.stdout.readexactly(EMBEDDER_FRAME_LENGTH.size))
        return msgspec.msgpack.decode(await process.stdout.readexactly(size), type=EmbedResponse)
    except (asyncio.IncompleteReadError, OSError, msgspec.MsgspecError):
        raise EmbedderProcessGone from None


def kill_process(process: Process) -> None:
    """End a process at once, if it has not ended."""
    if process.returncode is None:
        process.kill()
