"""One worker as the server sees it: a process that is given a job and heard out, or killed."""

import asyncio
import codecs
import contextlib
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from pathlib import Path
from time import perf_counter
from typing import Any, TypeVar

import msgspec

from tertulia.models.child import bare_environment
from tertulia.sandbox.domain import (
    FILES,
    TOOLS,
    Event,
    FileOpened,
    Job,
    Outcome,
    Printed,
    Readable,
    Status,
    Stream,
)
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.frames import (
    LARGEST,
    LENGTH,
    Begun,
    Content,
    Done,
    FromWorker,
    Orders,
    Output,
    Ready,
    Run,
    ToolRead,
    ToWorker,
    Wanted,
    from_worker,
    packed,
)
from tertulia.sandbox.lending import NotReadable, blocks, size_of
from tertulia.sandbox.results import outcome

START_SECONDS = 60
#: How much longer than its limit a run may take before its worker is killed.
GRACE_SECONDS = 2
NOT_STARTED = "The sandbox's worker did not start."
SLOW = "The code ran longer than {seconds:g} seconds and was stopped."
STOPPED = "The code was stopped."
GONE = "The sandbox's worker ended unexpectedly; the code was stopped."

T = TypeVar("T")


class WorkerGone(Exception):
    """The worker ended, or speaks in a way that no worker of ours does."""


class NotBegun(Exception):
    """The worker was gone before the code began: another may take the job."""


class Stopped(Exception):
    """Somebody wants the run to end."""


class Worker:
    """Runs one job at a time; after one that was cut short it is not used again."""

    def __init__(self, process: Process, scratch: Path) -> None:
        self.process = process
        self.scratch = scratch
        self.runs = 0
        self._cut_short = False
        self._begun = False

    @property
    def usable(self) -> bool:
        """Tell whether another job may be given to it."""
        return not self._cut_short and self.process.returncode is None

    async def run(self, job: Job, *, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """Run a job; whoever stops listening, or sets `stop`, has the worker killed."""
        began, self._cut_short, self._begun = perf_counter(), True, False
        self.runs += 1
        stopping = asyncio.ensure_future(stop.wait())
        ended = cut(Status.CRASHED, GONE, began)
        try:
            async with aclosing(self._conversation(job, stopping, began)) as events:
                async for event in events:
                    if isinstance(event, Outcome):
                        ended, self._cut_short = event, False
                    else:
                        yield event
        except Stopped:
            ended = cut(Status.STOPPED, STOPPED, began)
        except TimeoutError:
            ended = cut(Status.TIMEOUT, SLOW.format(seconds=job.limits.seconds), began)
        except WorkerGone:
            if not self._begun:
                raise NotBegun from None
        finally:
            stopping.cancel()
            if self._cut_short:
                self.kill()
        yield ended

    async def _conversation(
        self, job: Job, stopping: asyncio.Future[Any], began: float
    ) -> AsyncGenerator[Event]:
        texts = {stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in Stream}
        deadline = began + job.limits.seconds + GRACE_SECONDS
        self._say(order(job))
        while True:
            message = await first(self._hear(), stopping, deadline - perf_counter())
            if isinstance(message, Begun):
                self._begun = True
            elif isinstance(message, Output) and message.stream in texts:
                stream, paused = Stream(message.stream), perf_counter()
                yield Printed(stream, texts[stream].decode(message.data))
                # Whoever listens may be slow: that is not the code's time.
                deadline += perf_counter() - paused
            elif isinstance(message, ToolRead) and message.name in job.tools:
                yield FileOpened(f"{TOOLS}/{message.name}")
            elif isinstance(message, Wanted):
                if message.name in job.files:
                    yield FileOpened(f"{FILES}/{message.name}")
                file = job.files.get(message.name)
                await first(self._hand_over(file), stopping, deadline - perf_counter())
            elif isinstance(message, Done) and message.status in set(Status):
                yield outcome(message, job=job, seconds=perf_counter() - began)
                return
            else:
                raise WorkerGone

    def _say(self, message: ToWorker) -> None:
        if self.process.stdin is None or self.process.stdin.is_closing():
            raise WorkerGone
        self.process.stdin.write(packed(message))

    async def _hand_over(self, file: Readable | None) -> None:
        try:
            async with aclosing(blocks(file)) as parts:
                async for part in parts:
                    self._say(Content(part))
                    await self._said()
            self._say(Content(b""))
        except NotReadable:
            self._say(Content(None))

    async def _said(self) -> None:
        """Wait until the worker has taken in what was said, so that little of it lies here."""
        try:
            if self.process.stdin is not None:
                await self.process.stdin.drain()
        except ConnectionError:
            raise WorkerGone from None

    async def _hear(self) -> FromWorker:
        if self.process.stdout is None:
            raise WorkerGone
        try:
            (size,) = LENGTH.unpack(await self.process.stdout.readexactly(LENGTH.size))
            if size > LARGEST:
                raise WorkerGone
            return from_worker.decode(await self.process.stdout.readexactly(size))
        except (asyncio.IncompleteReadError, ConnectionError, msgspec.MsgspecError):
            raise WorkerGone from None

    async def greeted(self, compiled: Path, memory_mb: int) -> None:
        """Give the worker its orders and wait until it can run code."""
        try:
            async with asyncio.timeout(START_SECONDS):
                self._say(Orders(str(compiled), memory_mb))
                ready = await self._hear()
        except (TimeoutError, WorkerGone):
            ready = None
        if not isinstance(ready, Ready):
            raise SandboxUnavailable(NOT_STARTED)

    def kill(self) -> None:
        """End the process at once, whatever it is doing."""
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()

    async def end(self) -> None:
        """End the process and wait until it is gone."""
        self.kill()
        await self.process.wait()


async def start(compiled: Path, scratch: Path, *, memory_mb: int) -> Worker:
    """Start a worker; -P keeps the working directory from lending it modules."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-m",
        "tertulia.sandbox.process",
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        env=bare_environment() | {"TMPDIR": str(scratch), "HOME": str(scratch), "MALLOC_ARENA_MAX": "2"},
    )
    worker = Worker(process, scratch)
    try:
        await worker.greeted(compiled, memory_mb)
    except BaseException:
        await worker.end()
        raise
    return worker


def order(job: Job) -> Run:
    """Return a job as a worker takes it."""
    limits = job.limits
    return Run(
        code=job.code,
        files={name: size_of(file) for name, file in job.files.items()},
        tools=dict(job.tools),
        seconds=limits.seconds,
        memory_mb=limits.memory_mb,
        output_bytes=limits.output_bytes,
        disk_bytes=limits.disk_bytes,
        most_files=limits.files,
    )


async def first(waited: Awaitable[T], stopping: asyncio.Future[Any], seconds: float | None = None) -> T:
    """Return what is waited for; raise when it is stopped before, or takes longer."""
    task = asyncio.ensure_future(waited)
    try:
        await asyncio.wait({task, stopping}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            raise Stopped
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()


def cut(status: Status, why: str, began: float) -> Outcome:
    """Return the outcome of a run that was ended from outside."""
    return Outcome(status, perf_counter() - began, error=why)
