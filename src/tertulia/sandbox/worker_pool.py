"""Keeps workers: some prepared and idle, none for long, a new one for each that is lost."""

import asyncio
import logging
import shutil
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

from tertulia.core.errors import TertuliaError
from tertulia.sandbox.domain import RUN_MEMORY_DEFAULT_MB
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.scratch import Scratch
from tertulia.sandbox.worker import SandboxWorker, start_worker

WORKER_IDLE_SECONDS = 600
#: A worker is replaced after so many runs, lest anything in it grows for ever.
WORKER_RUNS_MAX = 500
WORKERS_SHUTTING_DOWN = "The server is shutting down."

log = logging.getLogger("tertulia.sandbox")


class WorkerPool:
    """Lends out workers, each to one run at a time."""

    def __init__(self, compiled: Callable[[], Path], scratch: Path, *, idle_seconds: float) -> None:
        self._compiled = compiled
        self._scratch = Scratch(scratch)
        self._idle_seconds = idle_seconds
        self._idle: list[SandboxWorker] = []
        self._busy: set[SandboxWorker] = set()
        self._timers: dict[SandboxWorker, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    @asynccontextmanager
    async def borrow(self, stop: asyncio.Event) -> AsyncGenerator[SandboxWorker | None]:
        """Give a prepared worker, or start one; afterwards it is kept if it may be used again.

        None comes when `stop` is set before a worker has started.
        """
        worker = await self._take_unless_stopped(stop)
        if worker is None:
            yield None
            return
        self._busy.add(worker)
        try:
            yield worker
        finally:
            self._busy.discard(worker)
            if worker.is_usable and worker.runs < WORKER_RUNS_MAX and not self._closed:
                self._keep(worker)
            else:
                self._run_in_background(self._replace(worker))

    async def ensure_idle(self) -> None:
        """Have at least one worker idle and prepared."""
        if not self._idle and not self._closed:
            self._keep(await self._start())

    async def close(self) -> None:
        """End every worker, and wait for what is under way."""
        self._closed = True
        for timer in self._timers.values():
            timer.cancel()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*map(self._stop_worker, [*self._idle, *self._busy]))
        self._idle.clear()
        await asyncio.to_thread(self._scratch.close)

    @property
    def idle(self) -> list[int]:
        """Return the numbers of the processes that wait for work."""
        return [worker.pid for worker in self._idle]

    @property
    def busy(self) -> list[int]:
        """Return the numbers of the processes that run code."""
        return [worker.pid for worker in self._busy]

    async def _take_unless_stopped(self, stop: asyncio.Event) -> SandboxWorker | None:
        taking, stopping = asyncio.ensure_future(self._take()), asyncio.ensure_future(stop.wait())
        waited = False
        try:
            await asyncio.wait({taking, stopping}, return_when=asyncio.FIRST_COMPLETED)
            waited = taking.done()
        finally:
            stopping.cancel()
            if not waited:
                self._run_in_background(self._keep_when_started(taking))
        return taking.result() if waited else None

    async def _keep_when_started(self, taking: asyncio.Future[SandboxWorker]) -> None:
        try:
            self._keep(await taking)
        except (OSError, TertuliaError):
            log.warning("A worker of the sandbox did not start.", exc_info=True)

    async def _take(self) -> SandboxWorker:
        while self._idle:
            worker = self._idle.pop()
            self._timers.pop(worker).cancel()
            if worker.is_usable:
                return worker
            self._run_in_background(self._stop_worker(worker))
        return await self._start()

    async def _start(self) -> SandboxWorker:
        if self._closed:
            raise SandboxUnavailable(WORKERS_SHUTTING_DOWN)
        scratch = self._scratch.make_folder()
        try:
            return await start_worker(self._compiled(), scratch, memory_mb=RUN_MEMORY_DEFAULT_MB)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise

    def _keep(self, worker: SandboxWorker) -> None:
        loop = asyncio.get_running_loop()
        self._timers[worker] = loop.call_later(self._idle_seconds, self._stop_idle, worker)
        self._idle.append(worker)

    def _stop_idle(self, worker: SandboxWorker) -> None:
        self._timers.pop(worker)
        self._idle.remove(worker)
        self._run_in_background(self._stop_worker(worker))

    async def _replace(self, worker: SandboxWorker) -> None:
        try:
            await self._stop_worker(worker)
            await self.ensure_idle()
        except (OSError, TertuliaError):
            log.warning("A worker of the sandbox could not be replaced.", exc_info=True)

    async def _stop_worker(self, worker: SandboxWorker) -> None:
        await worker.stop()
        await asyncio.to_thread(shutil.rmtree, worker.scratch, ignore_errors=True)

    def _run_in_background(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
