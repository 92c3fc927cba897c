"""Looking beyond a project: only where something else is to be found."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.databases import open_database
from tests.world import add_person

from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.projects import store as projects
from tertulia.projects.access import list_project_ids
from tertulia.retrieval.sources import NewSource, SourceKind, has_sources_elsewhere, queue_source


@pytest.fixture
async def db(tmp_path: Path) -> AsyncGenerator[Database]:
    database = open_database(tmp_path / "widening.db")
    yield database
    database.close()


@pytest.fixture
async def ada(db: Database) -> Principal:
    return (await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org"))[0]


def add_source(tx: Tx, source_id: str, project_id: str | None) -> None:
    queue_source(tx, NewSource(SourceKind.FILE, source_id, project_id, now()))


@pytest.mark.parametrize("place", ["project", "workspace"])
async def test_there_is_more_elsewhere_once_another_place_holds_something(
    db: Database, ada: Principal, place: str
) -> None:
    def write(tx: Tx) -> tuple[bool, bool]:
        own, other = projects.add(tx, "Own"), projects.add(tx, "Other")
        add_source(tx, "fil_own", own)
        before = has_sources_elsewhere(tx, own, project_ids=list_project_ids(tx))
        add_source(tx, "fil_other", other if place == "project" else None)
        return before, has_sources_elsewhere(tx, own, project_ids=list_project_ids(tx))

    assert await db.write(write, by=ada) == (False, True)


async def test_what_other_workspaces_hold_is_nowhere_else(db: Database, ada: Principal) -> None:
    bob, _ = await add_person(db, role=Role.OWNER, workspace=None, email="bob@example.org")
    own = await db.write(lambda tx: projects.add(tx, "Own"), by=ada)
    await db.write(lambda tx: add_source(tx, "fil_bob", None), by=bob)

    assert not await db.read(
        lambda tx: has_sources_elsewhere(tx, own, project_ids=list_project_ids(tx)), by=ada
    )
