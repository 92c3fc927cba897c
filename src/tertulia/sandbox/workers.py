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
from tertulia.sandbox.link import Worker, start

IDLE_SECONDS = 600
#: A worker is replaced after so many runs, lest anything in it grows for ever.
MOST_RUNS = 500
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
    async def lent(self) -> AsyncGenerator[Worker]:
        """Give a prepared worker, or start one; afterwards it is kept if it may be used again."""
        worker = await self._take()
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
    def pids(self) -> list[int]:
        """Return the numbers of the processes that wait for work."""
        return [worker.process.pid for worker in self._idle]

    async def _take(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            self._timers.pop(worker).cancel()
            if worker.usable:
                return worker
            self._later(self._end(worker))
        return await self._start()

    async def _start(self) -> Worker:
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
