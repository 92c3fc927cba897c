"""Holding the claim on a job while it is done: renewed in time, ended when another worker has it."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import TypeVar

from tertulia.core.errors import TertuliaError, Unavailable
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.core.tasks import cancel_tasks
from tertulia.infra.db import Database
from tertulia.infra.jobs.queue import JOB_LEASE, Job, claim_by_key, fail_job, finish_job, renew_claim

log = logging.getLogger("tertulia.jobs")

T = TypeVar("T")
#: A job that takes longer is ended, and tried again later.
JOB_MAX_SECONDS = 60.0
#: Claims are renewed so many times before they would lapse.
JOB_RENEWALS_PER_LEASE = 3
#: What is noted of work that somebody waited for and that did not end well: a worker does it later.
JOB_CUT_OFF = "cut off while somebody waited for it"
#: How often it is looked whether a job that somebody else does is free.
CLAIM_POLL_SECONDS = 0.1


class JobUnderWay(Unavailable):
    """The same work is being done by somebody else, and takes long."""

    code = "job_under_way"

    def __init__(self) -> None:
        super().__init__("This is being done just now and takes a while. Try again in a minute.")


@asynccontextmanager
async def hold_claim(db: Database, job: Job, *, lease: timedelta = JOB_LEASE) -> AsyncGenerator[None]:
    """Keep the claim on a job for as long as the block runs and does not take too long."""
    async with asyncio.timeout(JOB_MAX_SECONDS) as time_limit:
        renewal = asyncio.create_task(_renew(db, job, lease, time_limit))
        try:
            yield
        finally:
            await cancel_tasks([renewal])


async def run_claimed(
    db: Database,
    kind: str,
    *,
    key: str,
    payload: JsonObject,
    work: Callable[[], Awaitable[T]],
    wait_seconds: float,
) -> T:
    """Do the work of a job right now, in place of the worker that would: nobody else does it meanwhile."""
    job = await _wait_for_claim(db, kind, key, payload, seconds=wait_seconds)
    try:
        async with hold_claim(db, job):
            result = await work()
    except BaseException:
        await db.write(lambda tx: fail_job(tx, job, JOB_CUT_OFF, is_retried=True), by=None, concurrent=True)
        raise
    await db.write(lambda tx: finish_job(tx, job), by=None, concurrent=True)
    return result


async def _wait_for_claim(db: Database, kind: str, key: str, payload: JsonObject, *, seconds: float) -> Job:
    """Return the claim on a job as soon as nobody else has it."""
    worker = new_id("wrk")
    for attempt in range(max(1, int(seconds / CLAIM_POLL_SECONDS))):
        await asyncio.sleep(CLAIM_POLL_SECONDS if attempt else 0)
        job = await _claim(db, kind, key, payload, worker)
        if job is not None:
            return job
    raise JobUnderWay


async def _claim(db: Database, kind: str, key: str, payload: JsonObject, worker: str) -> Job | None:
    return await db.write(
        lambda tx: claim_by_key(tx, kind, key=key, payload=payload, worker=worker), by=None, concurrent=True
    )


async def _renew(db: Database, job: Job, lease: timedelta, time_limit: asyncio.Timeout) -> None:
    """Keep the claim on a job; when another worker has it, end the job here."""
    while True:
        await asyncio.sleep(lease.total_seconds() / JOB_RENEWALS_PER_LEASE)
        try:
            is_ours = await db.write(lambda tx: renew_claim(tx, job, lease=lease), by=None, concurrent=True)
        except TertuliaError as error:
            log.warning("The claim on job %s could not be renewed yet: %s", job.id, error)
        else:
            if not is_ours:
                time_limit.reschedule(asyncio.get_running_loop().time())
                return
