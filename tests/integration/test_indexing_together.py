"""Several processes index one list of texts: every text once, each a share, and all find everything."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.databases import open_database
from tests.fake_embedder import FakeEmbedder
from tests.search_world import until
from tests.world import add_person

from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.projects.access import list_project_ids
from tertulia.retrieval import sources
from tertulia.retrieval.embedding_service import EmbeddingService
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.indexer import Indexer, SourceText
from tertulia.retrieval.search import Search
from tertulia.retrieval.search_query import SearchQuery, SearchStage
from tertulia.retrieval.sources import IndexedSource, NewSource, SourceKind
from tertulia.search.factory import open_indexes
from tertulia.settings import Settings

pytestmark = pytest.mark.both_engines

TEXTS = 60
PROCESSES = 3


@dataclass
class Process:
    """What a process has of search: a database of its own, an indexer and a search."""

    db: Database
    indexer: Indexer
    search: Search
    #: The texts that it read to index them.
    read: list[str] = field(default_factory=list[str])

    async def finds(self, text: str, part: SearchStage, *, by: Principal) -> bool:
        """Tell whether a text is found, in one way of looking."""
        query = SearchQuery(text=text, parts=frozenset({part}), limit=1)
        result = await self.search.find(query, by=by)
        return [hit.candidate.content for hit in result.hits] == [text]


@asynccontextmanager
async def running_process(path: Path, number: int) -> AsyncGenerator[Process]:
    """Index as one of several processes until the block ends."""
    db, settings = open_database(path), Settings(data_dir=path.parent)
    indexes = open_indexes(db)
    embeddings = EmbeddingService(FakeEmbedder(), make=lambda _: None, vectors=indexes.vectors)
    read: list[str] = []

    async def read_source(source: IndexedSource) -> SourceText:
        read.append(source.source_id)
        return SourceText(iter([text_of(source.source_id)]))

    indexer = Indexer(
        db,
        settings,
        embeddings,
        indexes=indexes,
        readers={SourceKind.MESSAGE: read_source},
        worker=f"wrk_{number}",
        is_only_worker=False,
        damage=IndexDamage(),
        is_busy=lambda: False,
        sleep=lambda seconds: asyncio.sleep(min(seconds, 0.02)),
    )
    search = Search(
        db, settings, embeddings, indexes=indexes, list_project_ids=list_project_ids, damage=IndexDamage()
    )
    running = asyncio.create_task(indexer.run())
    try:
        yield Process(db, indexer, search, read)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await search.write_metrics()
        await embeddings.close()
        db.close()


def text_of(source_id: str) -> str:
    return f"The {source_id} walrus eats clams."


async def queue_texts(db: Database, by: Principal) -> list[str]:
    """Have many texts indexed, and return their ids."""
    ids = [f"msg{number}" for number in range(TEXTS)]

    def write(tx: Tx) -> None:
        for source_id in ids:
            sources.queue_source(tx, NewSource(SourceKind.MESSAGE, source_id, None, now()))

    await db.write(write, by=by)
    return ids


async def is_indexed(db: Database) -> bool:
    left = "SELECT 1 FROM sources WHERE state <> 'ready' OR embedder = '' LIMIT 1"
    return not await db.read(lambda tx: tx.value(left), by=None)


async def test_three_processes_index_every_text_once_and_all_find_it(tmp_path: Path) -> None:
    path = tmp_path / "tertulia.db"
    db = open_database(path)
    ada, _ = await add_person(db, role=Role.OWNER, workspace=None, email="ada@example.org")
    ids = await queue_texts(db, ada)
    async with AsyncExitStack() as stack:
        processes = [
            await stack.enter_async_context(running_process(path, number)) for number in range(PROCESSES)
        ]
        await until(lambda: is_indexed(db), seconds=60)
        read = Counter(source_id for process in processes for source_id in process.read)
        assert read == Counter(ids), "each text is read by one process, once"
        assert all(process.read for process in processes)
        chunks = await db.read(lambda tx: tx.rows("SELECT source, number FROM chunks"), by=None)
        assert len(chunks) == len(set(chunks)) == TEXTS
        assert await db.read(lambda tx: tx.value("SELECT count(*) FROM vectors"), by=None) == TEXTS

        for process in processes:
            for part in (SearchStage.LEXICAL, SearchStage.DENSE):
                assert await process.finds(text_of(ids[7]), part, by=ada)
    db.close()
