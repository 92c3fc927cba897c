"""The kind of an error decides whether a job is tried again."""

import asyncio
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tests.databases import open_database

from tertulia.core.errors import Kind, TertuliaError
from tertulia.infra.db import Database
from tertulia.infra.jobs import JobWorker, enqueue
from tertulia.infra.jobs.retry import RETRIED_BY_KIND

pytestmark = pytest.mark.both_engines

GIVEN_UP = "SELECT failed_at IS NOT NULL FROM jobs"


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "jobs.db")
    yield database
    database.close()


def error_of(kind: Kind) -> TertuliaError:
    return type("Failed", (TertuliaError,), {"kind": kind, "code": "failed"})("It failed.")


async def is_given_up(db: Database, error: Exception) -> bool:
    async def fail(_: dict[str, Any]) -> None:
        raise error

    await db.write(lambda tx: enqueue(tx, "work", key="work:1", payload={}), by=None)
    worker = JobWorker(db, worker="wrk", handlers={"work": fail}, job_news=asyncio.Event())
    assert await worker._run_next()
    return bool(await db.read(lambda tx: tx.value(GIVEN_UP), by=None))


def test_every_kind_of_error_says_whether_a_job_is_tried_again() -> None:
    assert set(RETRIED_BY_KIND) == set(Kind)


@pytest.mark.parametrize("kind", [Kind.UNAVAILABLE, Kind.UPSTREAM, Kind.LIMITED, Kind.STORAGE_FULL])
async def test_a_job_that_may_succeed_later_is_tried_again(db: Database, kind: Kind) -> None:
    assert not await is_given_up(db, error_of(kind))


@pytest.mark.parametrize("kind", [Kind.INVALID, Kind.NOT_FOUND, Kind.NOT_ALLOWED])
async def test_a_job_that_cannot_succeed_is_given_up_at_once(db: Database, kind: Kind) -> None:
    assert await is_given_up(db, error_of(kind))


async def test_a_job_that_fails_for_an_unforeseen_reason_is_tried_again(db: Database) -> None:
    assert not await is_given_up(db, RuntimeError("odd"))
