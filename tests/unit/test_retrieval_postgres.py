"""What only PostgreSQL's indexes do: how a search by meaning is planned, and going on where one fails."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.databases import Engine, open_database
from tests.fake_embedder import FakeEmbedder
from tests.world import add_person

from tertulia.core.principal import Role
from tertulia.infra.db import Database, Tx
from tertulia.projects.access import list_project_ids
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.postgres import text_search
from tertulia.retrieval.postgres.vector_search import create_hnsw_index, nearest_sql, vector_text
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery
from tertulia.retrieval.vector_index import QueryMeaning
from tertulia.search.factory import open_indexes
from tertulia.settings import Settings

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("engine", [Engine.POSTGRES], indirect=True)]

FAKE = FakeEmbedder("it's/one")
#: One with more dimensions than HNSW takes.
LONG = FakeEmbedder("long/one", dimensions=4_096)
DAMAGED_INDEX_SQL = """CREATE FUNCTION read_damaged_index() RETURNS BIGINT LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'invalid page' USING ERRCODE = 'XX001'; END $$"""


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "tertulia.db")
    yield database
    database.close()


async def plan(
    db: Database, *, is_exact: bool, is_filtered: bool = False, embedder: FakeEmbedder = FAKE
) -> str:
    """Return how a search by meaning is planned where sorting is dear, as it is with many vectors."""
    meaning = QueryMeaning(embedder.vector("walrus"), embedder.name)
    sql = nearest_sql(meaning, is_exact=is_exact, is_filtered=is_filtered, limit=9)

    def explain(tx: Tx) -> str:
        tx.run("SET LOCAL enable_sort = off")
        values = {"vector": vector_text(meaning.vector), "banks": ["wsp_1"], "among": [1]}
        return "\n".join(tx.column(f"EXPLAIN {sql}", **values))

    return await db.write(explain, by=None)


async def test_many_vectors_are_searched_by_the_index_of_their_embedder(db: Database) -> None:
    for dimensions in (FAKE.dimensions, 3):
        await db.write(
            lambda tx, dimensions=dimensions: create_hnsw_index(tx, FAKE.name, dimensions), by=None
        )
    assert "Index Scan using vectors_near_" in await plan(db, is_exact=False)
    assert "Index Scan using vectors_near_" in await plan(db, is_exact=False, is_filtered=True)
    assert "vectors_near_" not in await plan(db, is_exact=True)


async def test_vectors_longer_than_the_index_takes_are_searched_by_their_beginnings(db: Database) -> None:
    await db.write(lambda tx: create_hnsw_index(tx, LONG.name, LONG.dimensions), by=None)
    assert "Index Scan using vectors_near_" in await plan(db, is_exact=False, embedder=LONG)


async def test_the_index_of_an_embedder_is_made_once(db: Database) -> None:
    vectors = open_indexes(db).vectors
    for _ in range(2):
        await vectors.prepare(db, FAKE.name, dimensions=FAKE.dimensions)
        await open_indexes(db).vectors.prepare(db, FAKE.name, dimensions=FAKE.dimensions)
    made = "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'vectors_near_%'"
    assert await db.read(lambda tx: tx.value(made), by=None) == 1


async def test_a_search_goes_on_by_meaning_where_the_words_cannot_be_read(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
    await db.write(lambda tx: tx.run(DAMAGED_INDEX_SQL), by=None)
    monkeypatch.setattr(text_search, "SCOPED_SEARCH_SQL", "SELECT read_damaged_index(), 1.0")
    indexes = open_indexes(db)
    embeddings = EmbeddingService(FAKE, make=lambda _: None, vectors=indexes.vectors)
    await embeddings.start(db)
    search = Search(
        db,
        Settings(data_dir=tmp_path),
        embeddings,
        indexes=indexes,
        list_project_ids=list_project_ids,
        damage=IndexDamage(),
    )
    result = await search.find(SearchQuery(text="walrus"), by=ada)
    await search.write_metrics()
    await embeddings.close()
    assert result.broken == ("words_broken",)
