"""The loop that does the jobs of this process."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from time import monotonic
from typing import TypeVar

from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Database, Tx
from tertulia.infra.jobs.held_claims import hold_claim
from tertulia.infra.jobs.queue import (
    JOB_LEASE,
    Job,
    claim_job,
    fail_job,
    finish_job,
    release_all_jobs,
)
from tertulia.infra.jobs.retry import is_retried

log = logging.getLogger("tertulia.jobs")

T = TypeVar("T")
JobHandler = Callable[[JsonObject], Awaitable[None]]
JOB_POLL_SECONDS = 2.0
#: After a job comes a rest of so many times as long, up to this: in a rush, people go before jobs.
JOB_REST_RATIO = 3
JOB_REST_MAX_SECONDS = 0.5


class JobWorker:
    """Does one job at a time, woken by news of work and looking by itself now and then."""

    def __init__(
        self,
        db: Database,
        *,
        worker: str,
        handlers: Mapping[str, JobHandler],
        job_news: asyncio.Event,
        is_only_worker: bool = False,
        lease: timedelta = JOB_LEASE,
        poll_seconds: float = JOB_POLL_SECONDS,
    ) -> None:
        self._db = db
        self._worker = worker
        self._handlers = handlers
        self._job_news = job_news
        #: Whether no other worker can be alive: what one had claimed is then free at once.
        self._is_only_worker = is_only_worker
        self._lease = lease
        self._poll_seconds = poll_seconds
        #: Set once what workers of the past had claimed is free: others may then claim work beside this one.
        self.is_ready = asyncio.Event()

    async def run(self) -> None:
        """Do jobs until cancelled; a job cut off half-way is taken up by the next worker."""
        while True:
            self._job_news.clear()
            began = monotonic()
            if await self._run_next():
                await asyncio.sleep(min(JOB_REST_MAX_SECONDS, JOB_REST_RATIO * (monotonic() - began)))
            else:
                await self._wait_for_job()

    async def _wait_for_job(self) -> None:
        try:
            async with asyncio.timeout(self._poll_seconds):
                await self._job_news.wait()
        except TimeoutError:
            pass

    async def _run_next(self) -> bool:
        """Do the next job; False when there is none."""
        try:
            if self._is_only_worker:
                await self._db.write(release_all_jobs, by=None)
                self._is_only_worker = False
            self.is_ready.set()
            job = await self._write(self._claim)
            if job is not None:
                await self._run_job(job)
        except Exception:
            log.exception("The job queue could not be reached; it is tried again.")
            return False
        return job is not None

    async def _write(self, call: Callable[[Tx], T]) -> T:
        # Beside other writes: each of these is decided by the one row that it changes.
        return await self._db.write(call, by=None, concurrent=True)

    def _claim(self, tx: Tx) -> Job | None:
        return claim_job(tx, self._worker, kinds=self._handlers, lease=self._lease)

    async def _run_job(self, job: Job) -> None:
        try:
            await self._run_claimed(job)
        except Exception as error:
            log.warning("Job %s (%s) failed at attempt %d.", job.id, job.kind, job.attempts, exc_info=error)
            reason = f"{type(error).__name__}: {error}"
            retried = is_retried(error)
            await self._write(lambda tx: fail_job(tx, job, reason, is_retried=retried))
        else:
            await self._write(lambda tx: finish_job(tx, job))

    async def _run_claimed(self, job: Job) -> None:
        """Do a job for as long as it is ours and does not take too long."""
        async with hold_claim(self._db, job, lease=self._lease):
            await self._handlers[job.kind](job.payload)
