"""Work that is queued while the same work is being done is not lost: it is done once more."""

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.databases import open_database

from tertulia.infra.db import Database
from tertulia.infra.jobs import JobWorker, enqueue
from tertulia.infra.jobs.queue import claim_job, finish_job

pytestmark = pytest.mark.both_engines


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "jobs.db")
    yield database
    database.close()


async def queue_work(db: Database, number: int) -> None:
    await db.write(lambda tx: enqueue(tx, "work", key="work:1", payload={"number": number}), by=None)


async def waiting(db: Database) -> int:
    return await db.read(lambda tx: tx.value("SELECT count(*) FROM jobs"), by=None)


@pytest.mark.parametrize("first_fails", [False, True])
async def test_work_queued_while_it_is_done_is_done_again(db: Database, first_fails: bool) -> None:
    done: list[int] = []

    async def work(payload: dict[str, Any]) -> None:
        done.append(payload["number"])
        if len(done) == 1:
            await queue_work(db, 2)
            if first_fails:
                raise RuntimeError("odd")

    worker = JobWorker(db, worker="wrk", handlers={"work": work}, job_news=asyncio.Event())
    await queue_work(db, 1)
    while await worker._run_next():
        pass
    assert done == [1, 2]
    assert await waiting(db) == 0


async def test_work_queued_while_it_is_done_is_not_begun_beside_it(db: Database) -> None:
    await queue_work(db, 1)
    job = await db.write(lambda tx: claim_job(tx, "first", kinds=["work"]), by=None)
    assert job is not None
    await queue_work(db, 2)
    assert await db.write(lambda tx: claim_job(tx, "second", kinds=["work"]), by=None) is None

    await db.write(lambda tx: finish_job(tx, job), by=None)
    again = await db.write(lambda tx: claim_job(tx, "second", kinds=["work"]), by=None)
    assert again is not None
    assert again.payload == {"number": 2}


async def test_who_lost_its_claim_does_not_release_that_of_another(db: Database) -> None:
    await queue_work(db, 1)
    job = await db.write(lambda tx: claim_job(tx, "first", kinds=["work"]), by=None)
    assert job is not None
    await db.write(lambda tx: tx.run("UPDATE jobs SET lease_until = 0"), by=None)
    assert await db.write(lambda tx: claim_job(tx, "second", kinds=["work"]), by=None)
    await queue_work(db, 2)

    await db.write(lambda tx: finish_job(tx, job), by=None)
    assert await db.write(lambda tx: claim_job(tx, "third", kinds=["work"]), by=None) is None
