"""Pages of an index that cannot be read: the other ways of looking go on, and the result says so."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import apsw
import pytest
from tests.databases import open_database
from tests.fake_embedder import FakeEmbedder
from tests.world import add_person

from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Tx
from tertulia.infra.db.errors import StorageFailed
from tertulia.projects.access import list_project_ids
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery, SearchResult
from tertulia.search.factory import open_indexes
from tertulia.settings import Settings

pytestmark = pytest.mark.sqlite

PAGE_BYTES = 4_096
WALRUS = SearchQuery(text="walrus")


def overwrite_pages(path: Path, name: str) -> None:
    """Destroy the pages of a table or an index, as a bad disk would."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    pages = [page for (page,) in connection.execute("SELECT pageno FROM dbstat WHERE name = ?", (name,))]
    connection.close()
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE_BYTES)
            file.write(b"\xff" * PAGE_BYTES)


@dataclass(frozen=True, slots=True)
class DamagedSearch:
    """A search in a database of which a part is destroyed."""

    search: Search
    damage: IndexDamage
    ada: Principal

    async def find_walrus(self) -> SearchResult:
        """Search by words and by meaning."""
        return await self.search.find(WALRUS, by=self.ada)


@asynccontextmanager
async def damaged_search(path: Path, name: str) -> AsyncGenerator[DamagedSearch]:
    """Destroy a part of a database that has one text to find, and open a search in it."""
    db = open_database(path)
    ada, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
    await db.write(lambda tx: add_words(tx, ada), by=None)
    db.close()
    overwrite_pages(path, name)
    db, damage, indexes = open_database(path), IndexDamage(), open_indexes(db)
    embeddings = EmbeddingService(FakeEmbedder(), make=lambda _: None, vectors=indexes.vectors)
    await embeddings.start(db)
    settings = Settings(data_dir=path.parent)
    search = Search(
        db, settings, embeddings, indexes=indexes, list_project_ids=list_project_ids, damage=damage
    )
    try:
        yield DamagedSearch(search, damage, ada)
    finally:
        await search.write_metrics()
        await embeddings.close()
        db.close()


def add_words(tx: Tx, ada: Principal) -> None:
    """Put a text into the index of words."""
    tx.run(
        "INSERT INTO chunk_words (rowid, content, keys, place) VALUES (1, 'walrus tusk', '', :place)",
        place=f"oall w{ada.workspace_id[-26:].lower()}",
    )


@pytest.mark.parametrize("table", ["chunk_words_data", "chunk_words_idx"])
async def test_damaged_words_are_told_and_rebuilt(tmp_path: Path, table: str) -> None:
    async with damaged_search(tmp_path / "tertulia.db", table) as damaged:
        assert (await damaged.find_walrus()).broken == ("words_broken",)
        assert damaged.damage.is_reported.is_set()


async def test_damage_is_told_though_the_search_fails_after_meeting_it(tmp_path: Path) -> None:
    def fail(_tx: Tx, _results: list[SearchResult]) -> None:
        raise StorageFailed("the disk is gone")

    async with damaged_search(tmp_path / "tertulia.db", "chunk_words_data") as damaged:
        with pytest.raises(StorageFailed):
            await damaged.search.find_all([WALRUS], by=damaged.ada, audience=damaged.ada, take=fail)
        assert damaged.damage.is_reported.is_set()


async def test_damaged_vectors_leave_words_to_be_searched(tmp_path: Path) -> None:
    async with damaged_search(tmp_path / "tertulia.db", "vectors") as damaged:
        result = await damaged.find_walrus()
        assert result.broken == ("storage_failed",)
        assert result.found_lexical == 1
        assert not damaged.damage.is_reported.is_set()


def test_whoever_met_the_damage_before_a_rebuild_asks_for_no_second_one() -> None:
    damage = IndexDamage()
    damage.report(rebuilds_seen=0)
    damage.note_rebuilt()
    damage.report(rebuilds_seen=0)
    assert not damage.is_reported.is_set()
    damage.report(rebuilds_seen=1)
    assert damage.is_reported.is_set()
