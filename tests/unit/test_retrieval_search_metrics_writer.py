"""The figures of searches: written together, and only where what they are about is still there."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from tests.databases import open_database
from tests.search_world import until
from tests.world import add_person

from tertulia.accounts import members
from tertulia.conversations import store
from tertulia.conversations.domain import Anchor
from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import ConstraintBroken, StorageFailed
from tertulia.retrieval.search_metrics_writer import SearchMetricsWriter

T = TypeVar("T")


@pytest.fixture
async def db(tmp_path: Path) -> AsyncGenerator[Database]:
    database = open_database(tmp_path / "metrics.db")
    yield database
    database.close()


@pytest.fixture
async def ada(db: Database) -> Principal:
    return (await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org"))[0]


def figures(query: str, conversation_id: str | None = None) -> dict[str, object]:
    return {
        "project_id": None,
        "conversation_id": conversation_id,
        "query": query,
        "purpose": "turn",
        "sources": {},
        "latency": {},
        "top_scores": [],
        "top_similarities": [],
        "kinds": {},
        "broken": [],
        "flags": {},
        "hits": 0,
        "tokens": 0,
        "created_at": now(),
    }


async def kept(db: Database) -> list[str]:
    """Return what was searched for, as far as it was kept."""
    return await db.read(lambda tx: tx.column("SELECT query FROM retrieval_metrics ORDER BY id"), by=None)


async def test_the_figures_of_searches_at_about_the_same_time_are_one_write(
    db: Database, ada: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    bob, _ = await add_person(db, role=Role.MEMBER, workspace=ada.workspace_id, email="bob@example.org")
    writer, write, writes = SearchMetricsWriter(db), db.write, 0

    async def count_write(call: Callable[[Tx], T], *, by: Principal | None) -> T:
        nonlocal writes
        writes += 1
        return await write(call, by=by)

    monkeypatch.setattr(db, "write", count_write)
    for number in range(20):
        writer.add(figures(str(number)), by=bob if number % 2 else ada)

    async def all_kept() -> bool:
        return await kept(db) == [str(number) for number in range(20)]

    await until(all_kept)
    assert writes == 1
    of_bob = "SELECT count(*) FROM retrieval_metrics WHERE workspace_id = :workspace AND user_id = :me"
    assert await db.read(lambda tx: tx.value(of_bob), by=bob) == 10


async def test_what_is_pending_is_written_at_the_end(db: Database, ada: Principal) -> None:
    writer = SearchMetricsWriter(db)
    writer.add(figures("walrus"), by=ada)
    await writer.flush()
    assert await kept(db) == ["walrus"]


@pytest.mark.parametrize("error", [StorageFailed("no disk"), ConstraintBroken("retrieval_metrics")])
async def test_figures_that_cannot_be_written_at_the_end_hold_nobody_up(
    db: Database, ada: Principal, error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(_call: Callable[[Tx], T], *, by: Principal | None) -> T:
        raise error

    writer = SearchMetricsWriter(db)
    writer.add(figures("walrus"), by=ada)
    monkeypatch.setattr(db, "write", fail)
    await writer.flush()
    assert await kept(db) == []


async def test_what_was_deleted_meanwhile_leaves_no_figures(db: Database, ada: Principal) -> None:
    bob, _ = await add_person(db, role=Role.MEMBER, workspace=ada.workspace_id, email="bob@example.org")

    def add_conversation(tx: Tx) -> str:
        return store.add(tx, project_id=None, anchor=Anchor.WORKSPACE, title="Walrus").id

    conversation_id = await db.write(add_conversation, by=ada)
    writer = SearchMetricsWriter(db)
    writer.add(figures("said there", conversation_id), by=ada)
    writer.add(figures("by bob"), by=bob)
    writer.add(figures("by ada"), by=ada)

    def delete(tx: Tx) -> None:
        tx.run("DELETE FROM conversations WHERE id = :id", id=conversation_id)
        members.remove(tx.acting_for(ada), bob.user_id)

    await db.write(delete, by=None)
    await writer.flush()
    assert await kept(db) == ["by ada"]
