"""Writes that share a commit: a disk that fails one of them does not undo the others."""

import asyncio
import threading
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

import apsw
import pytest
from tests.databases import open_database

from tertulia.core.clock import now
from tertulia.infra.db import Database, Tx

pytestmark = pytest.mark.sqlite


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "groups.db")
    yield database
    database.close()


def add_workspace(tx: Tx, id_: str) -> None:
    tx.run("INSERT INTO workspaces VALUES (:id, :id, '{}', :now)", id=id_, now=now())


def fill_disk(tx: Tx) -> None:
    add_workspace(tx, "wsp_lost")
    raise apsw.FullError


def lose_transaction(tx: Tx) -> None:
    add_workspace(tx, "wsp_lost")
    tx.run("ROLLBACK")
    message = "told in other words"
    raise RuntimeError(message)


@pytest.mark.parametrize("fail", [fill_disk, lose_transaction])
async def test_only_the_write_that_fails_is_undone(db: Database, fail: Callable[[Tx], None]) -> None:
    goes_on = threading.Event()
    first = asyncio.create_task(db.write(lambda _tx: goes_on.wait(10), by=None))
    await asyncio.sleep(0)
    group = [
        asyncio.create_task(db.write(write, by=None))
        for write in (partial(add_workspace, id_="wsp_a"), fail, partial(add_workspace, id_="wsp_b"))
    ]
    await asyncio.sleep(0.05)
    goes_on.set()
    await first
    before, failed, after = await asyncio.gather(*group, return_exceptions=True)
    assert (before, after) == (None, None)
    assert isinstance(failed, Exception)
    assert await db.read(lambda tx: tx.column("SELECT id FROM workspaces ORDER BY id"), by=None) == [
        "wsp_a",
        "wsp_b",
    ]
