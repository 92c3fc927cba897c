"""A request that is under way while an account or a workspace is deleted leaves nothing of it behind."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.databases import open_database
from tests.world import add_person

from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.deletion_rules import PERSON_COLUMNS, DeletionRule
from tertulia.infra.db.errors import ReferenceBroken

pytestmark = pytest.mark.both_engines

#: Columns of what a person had, by the names of their tables.
OWN_COLUMNS = [
    (column.table, column.column) for column in PERSON_COLUMNS if column.rule is not DeletionRule.KEEP
]
#: What else a row must say to be a person's own.
PRIVATE_VALUES = {"conversations": {"visibility": "private"}}
#: What others write of a person too: it is left out, and what they do goes on.
LEFT_OUT = {"reminder_plans"}
#: Tables that name a workspace without a reference to it, and whether somebody waits for what is written.
WITHOUT_REFERENCE = {"connections": True, "presets": True, "offered_models": False, "token_ratios": False}


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    db = open_database(tmp_path / "data" / "tertulia.db")
    yield db
    db.close()


def insert(tx: Tx, table: str, values: dict[str, str]) -> None:
    """Write a row with these columns alone: what is refused for them is refused before all else."""
    names = ", ".join(values)
    tx.run(f"INSERT INTO {table} ({names}) VALUES ({', '.join(f':{name}' for name in values)})", **values)


async def add_deleted_person(db: Database) -> Principal:
    principal, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
    sql = "UPDATE users SET deleted_at = 1 WHERE id = :id"
    await db.write(lambda tx: tx.run(sql, id=principal.user_id), by=None)
    return principal


@pytest.mark.parametrize(("table", "column"), OWN_COLUMNS)
async def test_nothing_is_added_to_a_deleted_account(db: Database, table: str, column: str) -> None:
    ada = await add_deleted_person(db)
    values = {column: ada.user_id, "workspace_id": ada.workspace_id, **PRIVATE_VALUES.get(table, {})}
    if table in LEFT_OUT:
        await db.write(lambda tx: insert(tx, table, {**values, "id": "one"}), by=None)
        assert await db.read(lambda tx: tx.value(f"SELECT count(*) FROM {table}"), by=None) == 0
        return
    with pytest.raises(ReferenceBroken, match="person deleted"):
        await db.write(lambda tx: insert(tx, table, values), by=None)


@pytest.mark.parametrize(("table", "is_refused"), WITHOUT_REFERENCE.items())
async def test_nothing_is_added_to_a_deleted_workspace(db: Database, table: str, is_refused: bool) -> None:
    values = {"workspace_id": new_id("wsp")}
    if is_refused:
        with pytest.raises(ReferenceBroken, match="workspace deleted"):
            await db.write(lambda tx: insert(tx, table, values), by=None)
        return
    await db.write(lambda tx: insert(tx, table, values), by=None)
    assert await db.read(lambda tx: tx.value(f"SELECT count(*) FROM {table}"), by=None) == 0
