"""One worker as the server sees it: a process that is given a job and heard out, or killed."""

import asyncio
import codecs
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing
from pathlib import Path
from time import perf_counter
from typing import Literal, TypeVar

from tertulia.infra.child.process import ChildGone, ChildProcess, start_module
from tertulia.sandbox.domain import (
    FILES_FOLDER,
    TOOLS_FOLDER,
    FileOpened,
    JobFile,
    OutputStream,
    PrintedText,
    RunEvent,
    RunOutcome,
    RunStatus,
    SandboxJob,
)
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.frames import (
    WORKER_FRAME_MAX_BYTES,
    FilePart,
    FileRequest,
    OutputPiece,
    RunRequest,
    RunResult,
    RunStarted,
    ToolRead,
    WorkerReady,
    WorkerSetup,
    from_worker_decoder,
)
from tertulia.sandbox.job_files import JobFileUnreadable, job_file_size, read_blocks
from tertulia.sandbox.result_validation import validate_result

WORKER_START_SECONDS = 60
#: How much longer than its limit a run may take before its worker is killed.
RUN_GRACE_SECONDS = 2
WORKER_NOT_STARTED = "The sandbox's worker did not start."
RUN_OVERTIME_ERROR = "The code ran longer than {seconds:g} seconds and was stopped."
RUN_STOPPED_ERROR = "The code was stopped."
WORKER_GONE_ERROR = "The sandbox's worker ended unexpectedly; the code was stopped."

T = TypeVar("T")


class RunNotStarted(Exception):
    """The worker was gone before the code began: another may take the job."""


class RunStopped(Exception):
    """Somebody wants the run to end."""


class SandboxWorker:
    """Runs one job at a time; after one that was cut short it is not used again."""

    def __init__(self, child: ChildProcess, scratch: Path) -> None:
        self._child = child
        self.scratch = scratch
        self.runs = 0
        self._cut_short = False
        self._run_started = False

    @property
    def pid(self) -> int:
        """Return the process's number."""
        return self._child.pid

    @property
    def is_usable(self) -> bool:
        """Tell whether another job may be given to it."""
        return not self._cut_short and self._child.is_running

    async def run(self, job: SandboxJob, *, stop: asyncio.Event) -> AsyncGenerator[RunEvent]:
        """Run a job; whoever stops listening, or sets `stop`, has the worker killed."""
        began, self._cut_short, self._run_started = perf_counter(), True, False
        self.runs += 1
        stopping = asyncio.ensure_future(stop.wait())
        ended = cut_short_outcome(RunStatus.CRASHED, WORKER_GONE_ERROR, began)
        try:
            async with aclosing(self._exchange(job, stopping, began)) as events:
                async for event in events:
                    if isinstance(event, RunOutcome):
                        ended, self._cut_short = event, False
                    else:
                        yield event
        except RunStopped:
            ended = cut_short_outcome(RunStatus.STOPPED, RUN_STOPPED_ERROR, began)
        except TimeoutError:
            ended = cut_short_outcome(
                RunStatus.TIMEOUT, RUN_OVERTIME_ERROR.format(seconds=job.limits.seconds), began
            )
        except ChildGone:
            if not self._run_started:
                raise RunNotStarted from None
        finally:
            stopping.cancel()
            if self._cut_short:
                self._child.kill()
        yield ended

    async def _exchange(
        self, job: SandboxJob, stopping: asyncio.Future[Literal[True]], began: float
    ) -> AsyncGenerator[RunEvent]:
        texts = {stream: codecs.getincrementaldecoder("utf-8")("replace") for stream in OutputStream}
        deadline = began + job.limits.seconds + RUN_GRACE_SECONDS
        await wait_unless_stopped(self._child.send(run_request(job)), stopping, deadline - perf_counter())
        while True:
            receiving = self._child.receive(from_worker_decoder)
            message = await wait_unless_stopped(receiving, stopping, deadline - perf_counter())
            if isinstance(message, RunStarted):
                self._run_started = True
            elif isinstance(message, OutputPiece) and message.stream in texts:
                stream, paused = OutputStream(message.stream), perf_counter()
                yield PrintedText(stream, texts[stream].decode(message.data))
                # Whoever listens may be slow: that is not the code's time.
                deadline += perf_counter() - paused
            elif isinstance(message, ToolRead) and message.name in job.tools:
                yield FileOpened(f"{TOOLS_FOLDER}/{message.name}")
            elif isinstance(message, FileRequest):
                if message.name in job.files:
                    yield FileOpened(f"{FILES_FOLDER}/{message.name}")
                file = job.files.get(message.name)
                await wait_unless_stopped(self._send_file(file), stopping, deadline - perf_counter())
            elif isinstance(message, RunResult) and message.status in set(RunStatus):
                yield validate_result(message, job=job, seconds=perf_counter() - began)
                return
            else:
                raise ChildGone

    async def _send_file(self, file: JobFile | None) -> None:
        try:
            async with aclosing(read_blocks(file)) as parts:
                async for part in parts:
                    await self._child.send(FilePart(part))
            await self._child.send(FilePart(b""))
        except JobFileUnreadable:
            await self._child.send(FilePart(None))

    async def set_up(self, compiled: Path, memory_mb: int) -> None:
        """Give the worker its orders and wait until it can run code."""
        try:
            async with asyncio.timeout(WORKER_START_SECONDS):
                await self._child.send(WorkerSetup(str(compiled), memory_mb))
                ready = await self._child.receive(from_worker_decoder)
        except (TimeoutError, ChildGone):
            ready = None
        if not isinstance(ready, WorkerReady):
            raise SandboxUnavailable(WORKER_NOT_STARTED)

    async def stop(self) -> None:
        """End the process and wait until it is gone."""
        await self._child.stop()


async def start_worker(compiled: Path, scratch: Path, *, memory_mb: int) -> SandboxWorker:
    """Start a worker and return once it can run code."""
    child = await start_module(
        "tertulia.sandbox.process",
        frame_max_bytes=WORKER_FRAME_MAX_BYTES,
        environment={"TMPDIR": str(scratch), "HOME": str(scratch), "MALLOC_ARENA_MAX": "2"},
        shows_errors=False,
    )
    worker = SandboxWorker(child, scratch)
    try:
        await worker.set_up(compiled, memory_mb)
    except BaseException:
        await worker.stop()
        raise
    return worker


def run_request(job: SandboxJob) -> RunRequest:
    """Return a job as a worker takes it."""
    limits = job.limits
    return RunRequest(
        code=job.code,
        files={name: job_file_size(file) for name, file in job.files.items()},
        tools=dict(job.tools),
        seconds=limits.seconds,
        memory_mb=limits.memory_mb,
        output_bytes=limits.output_bytes,
        disk_bytes=limits.disk_bytes,
        max_files=limits.files,
    )


async def wait_unless_stopped(
    awaitable: Awaitable[T], stopping: asyncio.Future[Literal[True]], seconds: float | None = None
) -> T:
    """Return what is waited for; raise when it is stopped before, or takes longer."""
    task = asyncio.ensure_future(awaitable)
    try:
        await asyncio.wait({task, stopping}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if stopping.done():
            raise RunStopped
        if not task.done():
            raise TimeoutError
        return task.result()
    finally:
        task.cancel()


def cut_short_outcome(status: RunStatus, why: str, began: float) -> RunOutcome:
    """Return the outcome of a run that was ended from outside."""
    return RunOutcome(status, perf_counter() - began, error=why)
