"""The write-ahead log is moved into the database beside the writer, by it only where it grows too fast."""

import threading
from collections.abc import AsyncGenerator
from pathlib import Path

import apsw
import pytest
from tests.databases import open_database

from tertulia.infra.db import Database, Tx
from tertulia.infra.db.sqlite import checkpointer
from tertulia.infra.db.sqlite.compaction import wal_bytes

pytestmark = pytest.mark.sqlite

PAGE_BYTES = 4_096
LARGE = "x" * (checkpointer.WAL_CHECKPOINT_MIN_PAGES * PAGE_BYTES)


class Moves:
    """Notes which threads moved the log, and waits for the next time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads: list[str] = []
        self.moved = threading.Event()
        move_log = checkpointer.checkpoint_wal

        def noting(connection: apsw.Connection) -> None:
            move_log(connection)
            self.threads.append(threading.current_thread().name)
            self.moved.set()

        monkeypatch.setattr(checkpointer, "checkpoint_wal", noting)


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> Moves:
    return Moves(monkeypatch)


@pytest.fixture
async def db(tmp_path: Path, moves: Moves) -> AsyncGenerator[Database]:
    database = open_database(tmp_path / "log.db")
    await database.write(lambda tx: tx.run("CREATE TABLE texts (text TEXT)"), by=None)
    yield database
    database.close()


def add_large(tx: Tx) -> None:
    tx.run("INSERT INTO texts VALUES (:text)", text=LARGE)


async def test_a_large_write_leaves_moving_the_log_to_another_thread(
    db: Database, moves: Moves, tmp_path: Path
) -> None:
    await db.write(add_large, by=None)
    assert moves.moved.wait(5)
    assert set(moves.threads) == {"db-checkpointer"}
    assert (tmp_path / "log.db").stat().st_size > len(LARGE)


async def test_a_log_that_grows_too_fast_is_moved_by_the_writer(
    db: Database, moves: Moves, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 2 * checkpointer.WAL_CHECKPOINT_MIN_PAGES
    monkeypatch.setattr(checkpointer, "WAL_CHECKPOINT_MIN_PAGES", 1_000_000)
    monkeypatch.setattr(checkpointer, "WAL_CHECKPOINT_MAX_PAGES", most)
    for _ in range(10):
        await db.write(add_large, by=None)
    assert set(moves.threads) == {"db-writer"}
    assert wal_bytes(tmp_path / "log.db") < 2 * most * PAGE_BYTES


async def test_a_log_that_cannot_be_moved_fails_no_write(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: apsw.Connection) -> None:
        raise apsw.FullError

    monkeypatch.setattr(checkpointer, "checkpoint_wal", fail)
    monkeypatch.setattr(checkpointer, "WAL_CHECKPOINT_MAX_PAGES", 1)
    await db.write(add_large, by=None)
    assert await db.read(lambda tx: tx.value("SELECT count(*) FROM texts"), by=None) == 1
