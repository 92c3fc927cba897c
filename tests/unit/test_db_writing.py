"""Writes of the database: what one function does when a statement of it fails."""

import asyncio
from collections.abc import Generator
from functools import partial
from pathlib import Path

import pytest
from tests.databases import open_database

from tertulia.core.clock import now
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import ConstraintBroken

pytestmark = pytest.mark.both_engines


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "writing.db")
    yield database
    database.close()


def add_workspace(tx: Tx, id_: str) -> None:
    tx.run("INSERT INTO workspaces VALUES (:id, :id, '{}', :now)", id=id_, now=now())


def add_twice(tx: Tx) -> None:
    add_workspace(tx, "wsp_other")
    add_workspace(tx, "wsp_one")


async def names(db: Database) -> list[str]:
    return await db.read(lambda tx: tx.column("SELECT id FROM workspaces ORDER BY id"), by=None)


async def test_a_function_goes_on_after_an_attempt_that_broke_a_constraint(db: Database) -> None:
    def write(tx: Tx) -> None:
        add_workspace(tx, "wsp_one")
        with pytest.raises(ConstraintBroken):
            tx.attempt(lambda: add_twice(tx))
        tx.attempt(lambda: add_workspace(tx, "wsp_two"))

    await db.write(write, by=None)
    assert await names(db) == ["wsp_one", "wsp_two"]


async def test_a_broken_constraint_undoes_its_write_alone(db: Database) -> None:
    await db.write(partial(add_workspace, id_="wsp_one"), by=None)
    together = [db.write(partial(add_workspace, id_=f"wsp_{number}"), by=None) for number in range(3)]
    broken, *_ = await asyncio.gather(db.write(add_twice, by=None), *together, return_exceptions=True)
    assert isinstance(broken, ConstraintBroken)
    assert await names(db) == ["wsp_0", "wsp_1", "wsp_2", "wsp_one"]


async def test_housekeeping_may_write_beside_others(db: Database) -> None:
    both = [
        db.write(partial(add_workspace, id_=id_), by=None, concurrent=True) for id_ in ("wsp_one", "wsp_two")
    ]
    await asyncio.gather(*both)
    assert await names(db) == ["wsp_one", "wsp_two"]
