"""The loop that does the jobs of this process."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from time import monotonic
from typing import Any

from tertulia.infra.db import Database
from tertulia.infra.jobs.queue import LEASE, Job, claim, fail, finish, free_all

log = logging.getLogger("tertulia.jobs")

Handler = Callable[[dict[str, Any]], Awaitable[None]]
LOOK_SECONDS = 2.0
#: After a job comes a rest of so many times as long, up to this: in a rush, people go before jobs.
REST = 3
LONGEST_REST = 0.5


class JobWorker:
    """Does one job at a time, woken by news of work and looking by itself now and then."""

    def __init__(
        self,
        db: Database,
        *,
        worker: str,
        handlers: Mapping[str, Handler],
        news: asyncio.Event,
        alone: bool = False,
    ) -> None:
        self._db = db
        self._worker = worker
        self._handlers = handlers
        self._news = news
        #: Whether no other worker can be alive: what one had claimed is then free at once.
        self._alone = alone

    async def run(self) -> None:
        """Do jobs until cancelled; a job cut off half-way is taken up by the next worker."""
        while True:
            self._news.clear()
            began = monotonic()
            if await self._do_one():
                await asyncio.sleep(min(LONGEST_REST, REST * (monotonic() - began)))
            else:
                await self._wait_for_news()

    async def _wait_for_news(self) -> None:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._news.wait()
        except TimeoutError:
            pass

    async def _do_one(self) -> bool:
        """Do the next job; False when there is none."""
        try:
            if self._alone:
                await self._db.write(free_all, by=None)
                self._alone = False
            job = await self._db.write(lambda tx: claim(tx, self._worker), by=None)
            if job is not None:
                await self._do(job)
        except Exception:
            log.exception("The job queue could not be reached; it is tried again.")
            return False
        return job is not None

    async def _do(self, job: Job) -> None:
        try:
            async with asyncio.timeout(LEASE.total_seconds()):
                await self._handlers[job.kind](job.payload)
        except Exception as error:
            log.warning("Job %s (%s) failed at attempt %d.", job.id, job.kind, job.attempts, exc_info=error)
            reason = f"{type(error).__name__}: {error}"
            await self._db.write(lambda tx: fail(tx, job, reason), by=None)
        else:
            await self._db.write(lambda tx: finish(tx, job), by=None)
