"""A job belongs to one worker at a time, and to the next once that one is gone."""

import asyncio
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.databases import open_database

from tertulia.infra.db import Database
from tertulia.infra.jobs import JobWorker, enqueue
from tertulia.infra.jobs.queue import Job, claim_job, fail_job, finish_job

pytestmark = pytest.mark.both_engines

LEASE = timedelta(milliseconds=90)


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "jobs.db")
    yield database
    database.close()


async def queue_work(db: Database, kind: str = "work") -> None:
    await db.write(lambda tx: enqueue(tx, kind, key=f"{kind}:1", payload={}), by=None)


async def claim(db: Database, worker: str, **options: Any) -> Job | None:
    return await db.write(lambda tx: claim_job(tx, worker, kinds=["work"], **options), by=None)


async def lapse(db: Database) -> None:
    await db.write(lambda tx: tx.run("UPDATE jobs SET lease_until = 0"), by=None)


async def test_a_worker_leaves_work_of_a_kind_that_it_does_not_know(db: Database) -> None:
    await queue_work(db, "newer")
    assert await claim(db, "older") is None

    await queue_work(db)
    job = await claim(db, "older")
    assert job is not None
    assert job.kind == "work"
    assert await db.read(lambda tx: tx.column("SELECT attempts FROM jobs WHERE kind = 'newer'"), by=None) == [
        0
    ]


@pytest.mark.parametrize("ends_well", [True, False])
async def test_a_worker_that_lost_its_claim_does_not_end_the_job_of_another(
    db: Database, ends_well: bool
) -> None:
    await queue_work(db)
    lost = await claim(db, "first")
    assert lost is not None
    await lapse(db)
    assert await claim(db, "second")

    await db.write(
        lambda tx: finish_job(tx, lost) if ends_well else fail_job(tx, lost, "odd", is_retried=False), by=None
    )
    assert await db.read(lambda tx: tx.rows("SELECT worker, failed_at FROM jobs"), by=None) == [
        ("second", None)
    ]


async def test_a_long_job_stays_with_its_worker(db: Database) -> None:
    others: list[Job | None] = []

    async def work(_: dict[str, Any]) -> None:
        async with asyncio.timeout(5):
            while len(await renewals(db, began)) < 3:
                others.append(await claim(db, "second"))

    await queue_work(db)
    began: set[int] = set()
    worker = JobWorker(db, worker="first", handlers={"work": work}, job_news=asyncio.Event(), lease=LEASE)
    assert await worker._run_next()
    assert set(others) == {None}
    assert await db.read(lambda tx: tx.value("SELECT count(*) FROM jobs"), by=None) == 0


async def renewals(db: Database, seen: set[int]) -> set[int]:
    """Return the ends of the lease that were seen so far."""
    seen.add(await db.read(lambda tx: tx.value("SELECT lease_until FROM jobs"), by=None))
    return seen


async def test_a_worker_that_lost_its_claim_ends_what_it_does(db: Database) -> None:
    ended = asyncio.Event()

    async def work(_: dict[str, Any]) -> None:
        await lapse(db)
        assert await claim(db, "second", lease=timedelta(hours=1))
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    await queue_work(db)
    worker = JobWorker(db, worker="first", handlers={"work": work}, job_news=asyncio.Event(), lease=LEASE)
    async with asyncio.timeout(5):
        assert await worker._run_next()
    assert ended.is_set()
    assert await db.read(lambda tx: tx.column("SELECT worker FROM jobs"), by=None) == ["second"]


async def test_a_worker_that_starts_beside_others_leaves_their_claims_alone(db: Database) -> None:
    await queue_work(db)
    assert await claim(db, "first")
    beside = JobWorker(db, worker="second", handlers={}, job_news=asyncio.Event())
    assert not await beside._run_next()
    assert await db.read(lambda tx: tx.column("SELECT worker FROM jobs"), by=None) == ["first"]
