"""Reads of the database: many at once, failing, and no longer wanted."""

import asyncio
import threading
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.databases import open_database

from tertulia.infra.db import Database, Tx
from tertulia.infra.db.sqlite.database import READER_THREADS


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "reading.db")
    yield database
    database.close()


async def test_many_reads_at_once_are_each_answered(db: Database) -> None:
    wanted = range(50 * READER_THREADS)
    found = await asyncio.gather(
        *(db.read(lambda tx, one=one: tx.value("SELECT :one", one=one), by=None) for one in wanted)
    )
    assert found == list(wanted)


async def test_a_read_that_fails_tells_its_asker_and_harms_no_other(db: Database) -> None:
    def fail(tx: Tx) -> None:
        raise LookupError

    for _ in range(2 * READER_THREADS):
        with pytest.raises(LookupError):
            await db.read(fail, by=None)
    assert await db.read(lambda tx: tx.value("SELECT 1"), by=None) == 1


async def test_a_read_that_nobody_waits_for_any_more_is_not_made(db: Database) -> None:
    go_on, made = threading.Event(), list[str]()
    held = [asyncio.create_task(db.read(lambda _: go_on.wait(10), by=None)) for _ in range(READER_THREADS)]
    unwanted = asyncio.create_task(db.read(lambda _: made.append("unwanted"), by=None))
    await asyncio.sleep(0)
    unwanted.cancel()
    await asyncio.wait([unwanted])
    go_on.set()
    await asyncio.gather(*held)
    await db.read(lambda _: made.append("wanted"), by=None)
    assert made == ["wanted"]


def test_closing_answers_what_was_asked_before(tmp_path: Path) -> None:
    async def ask_and_close() -> int:
        database = open_database(tmp_path / "closing.db")
        asked = asyncio.create_task(database.read(lambda tx: int(tx.value("SELECT 7")), by=None))
        await asyncio.sleep(0)
        database.close()
        return await asked

    assert asyncio.run(ask_and_close()) == 7
