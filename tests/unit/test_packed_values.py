"""Long texts are packed where the engine keeps them as they are, and read back on both."""

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.databases import Engine, databases, open_database

from tertulia.infra.db import Database, Packed, PackedText, Tx
from tertulia.infra.db.sqlite.table_reader import read_snapshot

pytestmark = pytest.mark.both_engines

LONG = "What was said at the table, word for word. " * 40
JSON = [{"kind": "topic", "text": LONG}]


@dataclass(frozen=True, slots=True)
class Kept:
    """A workspace whose columns hold whatever the test puts there."""

    id: str
    name: PackedText
    settings: list[dict[str, str]]


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "packed.db")
    yield database
    database.close()


async def keep(db: Database, name: object, settings: object) -> None:
    def write(tx: Tx) -> None:
        sql = "INSERT INTO workspaces (id, name, settings, created_at) VALUES ('wsp_1', :name, :settings, 1)"
        tx.run(sql, name=name, settings=settings)

    await db.write(write, by=None)


@pytest.mark.parametrize("is_packed", [True, False])
async def test_a_value_is_read_back_packed_or_not(db: Database, *, is_packed: bool) -> None:
    await keep(db, Packed(LONG) if is_packed else LONG, Packed(JSON) if is_packed else JSON)
    sql = "SELECT * FROM workspaces WHERE id = 'wsp_1'"
    assert await db.read(lambda tx: tx.one(Kept, sql), by=None) == Kept("wsp_1", PackedText(LONG), JSON)


async def test_only_an_engine_that_keeps_texts_as_they_are_has_them_packed(db: Database) -> None:
    await keep(db, Packed(LONG), Packed(JSON))
    [name] = await db.read(lambda tx: tx.column("SELECT name FROM workspaces WHERE id = 'wsp_1'"), by=None)
    if databases.engine is Engine.POSTGRES:
        assert name == LONG
    else:
        assert isinstance(name, bytes)
        assert len(name) < len(LONG) / 10


async def test_a_copy_of_a_table_has_its_texts_as_they_were(tmp_path: Path, db: Database) -> None:
    await keep(db, Packed(LONG), "{}")
    if databases.engine is Engine.SQLITE:
        with read_snapshot(tmp_path / "packed.db") as reader:
            assert (LONG,) in list(reader.read_rows("workspaces", ["name"]))
