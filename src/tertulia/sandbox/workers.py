"""Keeps workers: some prepared and idle, none for long, a new one for each that is lost."""

import asyncio
import contextlib
import itertools
import logging
import os
import shutil
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path

from tertulia.core.errors import TertuliaError
from tertulia.sandbox.domain import Limits
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.link import Worker, start

IDLE_SECONDS = 600
#: A worker is replaced after so many runs, lest anything in it grows for ever.
MOST_RUNS = 500
CLOSED = "The server is shutting down."
USUAL_MB = Limits().memory_mb

log = logging.getLogger("tertulia.sandbox")


class Workers:
    """Lends out workers, each to one run at a time."""

    def __init__(self, compiled: Callable[[], Path], scratch: Path, *, idle_seconds: float) -> None:
        self._compiled = compiled
        self._scratch = scratch
        self._idle_seconds = idle_seconds
        self._numbers = itertools.count()
        self._idle: list[Worker] = []
        self._busy: set[Worker] = set()
        self._timers: dict[Worker, asyncio.TimerHandle] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    @asynccontextmanager
    async def lent(self, stop: asyncio.Event) -> AsyncGenerator[Worker | None]:
        """Give a prepared worker, or start one; afterwards it is kept if it may be used again.

        None comes when `stop` is set before a worker has started.
        """
        worker = await self._take_unless(stop)
        if worker is None:
            yield None
            return
        self._busy.add(worker)
        try:
            yield worker
        finally:
            self._busy.discard(worker)
            if worker.usable and worker.runs < MOST_RUNS and not self._closed:
                self._keep(worker)
            else:
                self._later(self._replace(worker))

    async def warm(self) -> None:
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
        await asyncio.gather(*map(self._end, [*self._idle, *self._busy]))
        self._idle.clear()
        await asyncio.to_thread(remove_dead, self._scratch, os.getpid())

    @property
    def idle(self) -> list[int]:
        """Return the numbers of the processes that wait for work."""
        return [worker.process.pid for worker in self._idle]

    @property
    def busy(self) -> list[int]:
        """Return the numbers of the processes that run code."""
        return [worker.process.pid for worker in self._busy]

    async def _take_unless(self, stop: asyncio.Event) -> Worker | None:
        taking, stopping = asyncio.ensure_future(self._take()), asyncio.ensure_future(stop.wait())
        waited = False
        try:
            await asyncio.wait({taking, stopping}, return_when=asyncio.FIRST_COMPLETED)
            waited = taking.done()
        finally:
            stopping.cancel()
            if not waited:
                self._later(self._keep_what_comes(taking))
        return taking.result() if waited else None

    async def _keep_what_comes(self, taking: asyncio.Future[Worker]) -> None:
        try:
            self._keep(await taking)
        except (OSError, TertuliaError):
            log.warning("A worker of the sandbox did not start.", exc_info=True)

    async def _take(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            self._timers.pop(worker).cancel()
            if worker.usable:
                return worker
            self._later(self._end(worker))
        return await self._start()

    async def _start(self) -> Worker:
        if self._closed:
            raise SandboxUnavailable(CLOSED)
        scratch = self._scratch / f"{os.getpid()}-{id(self)}-{next(self._numbers)}"
        scratch.mkdir(parents=True, mode=0o700)
        try:
            return await start(self._compiled(), scratch, memory_mb=USUAL_MB)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise

    def _keep(self, worker: Worker) -> None:
        loop = asyncio.get_running_loop()
        self._timers[worker] = loop.call_later(self._idle_seconds, self._dismiss, worker)
        self._idle.append(worker)

    def _dismiss(self, worker: Worker) -> None:
        self._timers.pop(worker)
        self._idle.remove(worker)
        self._later(self._end(worker))

    async def _replace(self, worker: Worker) -> None:
        try:
            await self._end(worker)
            await self.warm()
        except (OSError, TertuliaError):
            log.warning("A worker of the sandbox could not be replaced.", exc_info=True)

    async def _end(self, worker: Worker) -> None:
        await worker.end()
        await asyncio.to_thread(shutil.rmtree, worker.scratch, ignore_errors=True)

    def _later(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def remove_dead(scratch: Path, mine: int | None = None) -> None:
    """Remove what workers of servers that are no more left behind, and on request one's own."""
    for folder in scratch.glob("*-*-*"):
        with contextlib.suppress(ValueError):
            owner = int(folder.name.split("-")[0])
            if owner == mine or not is_alive(owner):
                shutil.rmtree(folder, ignore_errors=True)


def is_alive(pid: int) -> bool:
    """Tell whether there is such a process."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
