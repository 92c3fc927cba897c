"""A running embedder's process, and the questions that it has not answered yet."""

import asyncio
import itertools

import msgspec

from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.embedding.frames import EMBEDDER_READY_ID, EmbedderSetup, EmbedRequest, EmbedResponse
from tertulia.embedding.weights import EmbedderFiles
from tertulia.infra.child.process import ChildGone, ChildProcess, start_module

EMBEDDER_START_SECONDS = 60
#: Larger than the vectors of any request.
EMBEDDER_FRAME_MAX_BYTES = 10_000_000
#: A few texts take a second or two; a process that needs longer than this is stuck.
EMBED_REQUEST_MAX_SECONDS = 120
EMBEDDER_NOT_STARTED = (
    "The built-in embedder did not start: `tertulia models install embedder` checks and mends its files."
)
EMBEDDER_STUCK = "The built-in embedder does not answer and was stopped: try again."


response_decoder = msgspec.msgpack.Decoder(EmbedResponse)


class EmbedderProcess:
    """Asks one process many questions at once."""

    def __init__(self, child: ChildProcess) -> None:
        self.child = child
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
            self.child.kill()
            raise EmbedderUnavailable(EMBEDDER_STUCK) from None
        finally:
            self._pending.pop(request.id, None)
        if answer.error:
            raise EmbedderUnavailable(f"The built-in embedder failed at a text: {answer.error}")
        return answer.vectors

    async def _exchange(self, request: EmbedRequest) -> EmbedResponse:
        if self._reading.done():
            raise ChildGone
        future: asyncio.Future[EmbedResponse] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = future
        await self.child.send(request)
        return await future

    async def _read(self) -> None:
        try:
            while True:
                answer = await self.child.receive(response_decoder)
                future = self._pending.get(answer.id)
                if future is not None and not future.done():
                    future.set_result(answer)
        except ChildGone:
            await self.child.stop()
        for future in self._pending.values():
            if not future.done():
                future.set_exception(ChildGone())


async def start_embedder(files: EmbedderFiles) -> EmbedderProcess:
    """Start the process and return once the model is loaded, which takes less than a second."""
    child = await start_module("tertulia.embedding.process", frame_max_bytes=EMBEDDER_FRAME_MAX_BYTES)
    try:
        async with asyncio.timeout(EMBEDDER_START_SECONDS):
            await child.send(EmbedderSetup(str(files.graph), str(files.tokenizer)))
            await child.receive(response_decoder)
    except (TimeoutError, ChildGone) as error:
        await child.stop()
        raise EmbedderUnavailable(EMBEDDER_NOT_STARTED) from error
    except BaseException:
        await child.stop()
        raise
    return EmbedderProcess(child)
