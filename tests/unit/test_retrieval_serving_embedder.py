"""The database says which embedder serves: what one process changes, the searches of all others follow."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.databases import open_database
from tests.fake_embedder import FakeEmbedder
from tests.world import add_person

from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.projects.access import list_project_ids
from tertulia.retrieval import sources, store
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery
from tertulia.retrieval.sources import NewSource, SourceKind
from tertulia.search.factory import open_indexes
from tertulia.settings import Settings

pytestmark = pytest.mark.both_engines


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "tertulia.db")
    yield database
    database.close()


class Process:
    """What a process has of search, with embedders of its own."""

    def __init__(self, db: Database, folder: Path, wanted: str) -> None:
        self.embedders = {name: FakeEmbedder(name) for name in ("fake/one", "fake/two")}
        indexes = open_indexes(db)
        self.embeddings = EmbeddingService(
            self.embedders[wanted], make=self.embedders.get, vectors=indexes.vectors
        )
        self.search = Search(
            db,
            Settings(data_dir=folder),
            self.embeddings,
            indexes=indexes,
            list_project_ids=list_project_ids,
            damage=IndexDamage(),
        )

    @property
    def serving(self) -> str:
        return self.embeddings.serving.name if self.embeddings.serving else "none"


async def test_a_search_follows_the_embedder_that_another_process_promoted(
    db: Database, tmp_path: Path
) -> None:
    ada, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
    old, new = Process(db, tmp_path, "fake/one"), Process(db, tmp_path, "fake/two")
    await old.embeddings.start(db)
    await new.embeddings.start(db)
    assert (old.serving, new.serving) == ("fake/one", "fake/one")

    await new.embeddings.promote(db)
    assert new.serving == "fake/two"
    assert new.embedders["fake/one"].closed
    await find(old, ada)
    assert old.serving == "fake/two"
    assert not old.embedders["fake/one"].closed, "it is still wanted there"


async def test_an_embedder_serves_once_every_text_has_its_vectors(db: Database) -> None:
    ada, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")

    def add(tx: Tx) -> None:
        sources.queue_source(tx, NewSource(SourceKind.MESSAGE, "msg_1", None, now()))
        tx.run("UPDATE sources SET state = 'ready', embedder = 'fake/one' WHERE workspace_id = :workspace")

    await db.write(add, by=ada)
    assert await db.read(lambda tx: store.is_embedded_by(tx, "fake/one"), by=None)
    assert not await db.read(lambda tx: store.is_embedded_by(tx, "fake/two"), by=None)


async def find(process: Process, by: Principal) -> None:
    await process.search.find(SearchQuery(text="walrus"), by=by)
    await process.search.write_metrics()
