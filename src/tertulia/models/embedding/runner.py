"""A running embedder's process, and the questions that it has not answered yet."""

import asyncio
import itertools
import sys
from asyncio.subprocess import PIPE, Process

import msgspec

from tertulia.models.child import bare_environment, stop
from tertulia.models.embedding.domain import EmbedderUnavailable
from tertulia.models.embedding.frames import LENGTH, READY, Answer, Orders, Question, packed
from tertulia.models.embedding.weights import Files

START_SECONDS = 60
#: A few texts take a second or two; a process that needs longer than this is stuck.
ANSWER_SECONDS = 120
BROKEN = "The built-in embedder did not start: `tertulia models install embedder` checks and mends its files."
STUCK = "The built-in embedder does not answer and was stopped: try again."


class ProcessGone(Exception):
    """The process ended before it answered."""


class Link:
    """Asks one process many questions at once."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._ids = itertools.count(READY + 1)
        self._reading = asyncio.create_task(self._read())

    async def ask(self, texts: list[str], *, urgent: bool) -> bytes:
        """Return the vectors of some texts, row after row."""
        question = Question(next(self._ids), urgent, texts)
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await self._answer(question)
        except TimeoutError:
            kill(self.process)
            raise EmbedderUnavailable(STUCK) from None
        finally:
            self._waiting.pop(question.id, None)
        if answer.error:
            raise EmbedderUnavailable(f"The built-in embedder failed at a text: {answer.error}")
        return answer.vectors

    async def _answer(self, question: Question) -> Answer:
        if self._reading.done():
            raise ProcessGone
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[question.id] = future
        try:
            await send(self.process, question)
        except OSError:
            raise ProcessGone from None
        return await future

    async def _read(self) -> None:
        try:
            while True:
                answer = await receive(self.process)
                future = self._waiting.get(answer.id)
                if future is not None and not future.done():
                    future.set_result(answer)
        except ProcessGone:
            kill(self.process)
            await self.process.wait()
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(ProcessGone())


async def start(files: Files) -> Link:
    """Start the process and return once the model is loaded, which takes less than a second."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tertulia.models.embedding.process",
        stdin=PIPE,
        stdout=PIPE,
        env=bare_environment(),
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            await send(process, Orders(str(files.graph), str(files.tokenizer)))
            await receive(process)
    except (TimeoutError, OSError, ProcessGone) as error:
        await stop(process)
        raise EmbedderUnavailable(BROKEN) from error
    except BaseException:
        kill(process)
        raise
    return Link(process)


async def send(process: Process, message: Orders | Question) -> None:
    """Send a message to the process."""
    if process.stdin is None:
        raise OSError("the process has no pipes")
    process.stdin.write(packed(message))
    await process.stdin.drain()


async def receive(process: Process) -> Answer:
    """Return the next answer, or raise when there will be none."""
    if process.stdout is None:
        raise ProcessGone
    try:
        (size,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
        return msgspec.msgpack.decode(await process.stdout.readexactly(size), type=Answer)
    except (asyncio.IncompleteReadError, OSError, msgspec.MsgspecError):
        raise ProcessGone from None


def kill(process: Process) -> None:
    """End a process at once, if it has not ended."""
    if process.returncode is None:
        process.kill()
