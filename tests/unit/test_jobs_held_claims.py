"""Work that somebody waits for: done in place of the worker that would, and never by two at once."""

import asyncio
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.databases import open_database

from tertulia.infra.db import Database
from tertulia.infra.jobs import JobUnderWay, enqueue, run_claimed
from tertulia.infra.jobs.queue import Job, claim_job, finish_job

pytestmark = pytest.mark.both_engines


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    db = open_database(tmp_path / "jobs.db")
    yield db
    db.close()


async def claim(db: Database) -> Job | None:
    return await db.write(lambda tx: claim_job(tx, "worker", kinds=["work"]), by=None)


async def waiting(db: Database) -> int:
    return await db.read(lambda tx: tx.value("SELECT count(*) FROM jobs"), by=None)


async def run(db: Database, *, wait_seconds: float = 5) -> bool:
    """Do the work and return whether a worker could have claimed it meanwhile."""

    async def work() -> bool:
        return await claim(db) is not None

    return await run_claimed(db, "work", key="work:1", payload={}, work=work, wait_seconds=wait_seconds)


async def test_work_that_was_queued_is_done_once_and_by_nobody_else(db: Database) -> None:
    await db.write(lambda tx: enqueue(tx, "work", key="work:1", payload={}), by=None)
    assert not await run(db)
    assert await waiting(db) == 0


async def test_work_that_was_not_queued_is_done_too(db: Database) -> None:
    assert not await run(db)
    assert await waiting(db) == 0


async def test_it_waits_for_a_worker_that_is_at_it(db: Database) -> None:
    await db.write(lambda tx: enqueue(tx, "work", key="work:1", payload={}), by=None)
    job = await claim(db)
    assert job is not None
    with pytest.raises(JobUnderWay):
        await run(db, wait_seconds=0.1)
    running = asyncio.create_task(run(db))
    await db.write(lambda tx: finish_job(tx, job), by=None)
    assert not await running


async def test_what_is_queued_meanwhile_is_done_afterwards(db: Database) -> None:
    async def work() -> None:
        await db.write(lambda tx: enqueue(tx, "work", key="work:1", payload={"again": 1}), by=None)
        assert await claim(db) is None

    await run_claimed(db, "work", key="work:1", payload={}, work=work, wait_seconds=1)
    job = await claim(db)
    assert job is not None
    assert job.payload == {"again": 1}


async def test_of_what_is_queued_meanwhile_the_earlier_time_counts(db: Database) -> None:
    for delays in ([timedelta(), timedelta(hours=1)], [timedelta(hours=1), timedelta()]):

        async def work(delays: list[timedelta] = delays) -> None:
            for delay in delays:
                await db.write(
                    lambda tx, delay=delay: enqueue(tx, "work", key="work:1", payload={}, delay=delay),
                    by=None,
                )

        await run_claimed(db, "work", key="work:1", payload={}, work=work, wait_seconds=1)
        job = await claim(db)
        assert job is not None, "what is due at once does not wait for what is due later"
        await db.write(lambda tx, job=job: finish_job(tx, job), by=None)


async def test_work_that_is_cut_off_is_left_to_a_worker(db: Database) -> None:
    has_begun = asyncio.Event()

    async def work() -> None:
        has_begun.set()
        await asyncio.Event().wait()

    running = asyncio.create_task(
        run_claimed(db, "work", key="work:1", payload={}, work=work, wait_seconds=1)
    )
    await has_begun.wait()
    running.cancel()
    await asyncio.wait([running])
    held = await db.read(lambda tx: tx.value("SELECT worker FROM jobs"), by=None)
    assert (await waiting(db), held) == (1, None)
