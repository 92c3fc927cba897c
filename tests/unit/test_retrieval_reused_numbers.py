"""A text that was deleted while it was indexed leaves nothing, although the next one has its number."""

from collections.abc import Generator
from pathlib import Path

import pytest
from tests.databases import open_database

from tertulia.core.clock import now
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database
from tertulia.retrieval import store
from tertulia.retrieval.chunking.domain import Chunk
from tertulia.retrieval.chunking.message_chunks import chunk_message
from tertulia.retrieval.claims import claim_waiting
from tertulia.retrieval.indexer import ChunkBatch
from tertulia.retrieval.sources import IndexedSource, NewSource, SourceKind, queue_source
from tertulia.retrieval.store import UnembeddedChunk
from tertulia.search.factory import open_indexes

#: PostgreSQL gives a number once.
pytestmark = pytest.mark.sqlite

WORKER = "wrk_1"
ADA = Principal("usr_ada", "wsp_1", Role.MEMBER)


@pytest.fixture
def db(tmp_path: Path) -> Generator[Database]:
    database = open_database(tmp_path / "index.db")
    yield database
    database.close()


@pytest.fixture(autouse=True)
async def workspace(db: Database) -> None:
    sql = "INSERT INTO workspaces (id, name, settings, created_at) VALUES ('wsp_1', 'Test', '{}', 0)"
    await db.write(lambda tx: tx.run(sql), by=None)


async def queued(db: Database, source_id: str) -> IndexedSource:
    """Have a message indexed, and return it as the indexer takes it up."""
    source = NewSource(SourceKind.MESSAGE, source_id, None, now())
    await db.write(lambda tx: queue_source(tx, source), by=ADA)
    [waiting] = await claimed(db)
    return waiting


async def claimed(db: Database) -> list[IndexedSource]:
    return await db.write(lambda tx: claim_waiting(tx, SourceKind.MESSAGE, worker=WORKER, limit=9), by=None)


async def deleted(db: Database, source: IndexedSource) -> None:
    await db.write(lambda tx: tx.run("DELETE FROM sources WHERE id = :id", id=source.id), by=None)


async def written(db: Database, source: IndexedSource, text: str) -> bool:
    """Write the chunks of a text, and tell whether they were."""
    chunks: list[Chunk] = list(chunk_message(text, as_one_chunk=True))
    batch = ChunkBatch(source, chunks, WORKER, is_first=True, total_chunks=len(chunks), problem="")
    return await db.write(lambda tx: batch.write(tx, indexes=open_indexes(db)), by=None)


async def unembedded(db: Database) -> list[UnembeddedChunk]:
    sources = await db.read(lambda tx: tx.column("SELECT id FROM sources WHERE state = 'ready'"), by=None)
    return await db.read(lambda tx: store.list_unembedded(tx, "toy", sources, limit=9), by=None)


async def test_its_words_are_not_written_under_the_next_text(db: Database) -> None:
    gone = await queued(db, "msg_1")
    await deleted(db, gone)
    new = await queued(db, "msg_2")
    assert (new.id, new.revision) == (gone.id, gone.revision)

    assert not await written(db, gone, "The canary is green.")
    assert await db.read(lambda tx: tx.column("SELECT content FROM chunks"), by=None) == []
    assert await written(db, new, "The lamp is red.")


async def test_its_failure_does_not_end_the_next_text(db: Database) -> None:
    gone = await queued(db, "msg_1")
    await deleted(db, gone)
    new = await queued(db, "msg_2")

    await db.write(lambda tx: store.mark_failed(tx, gone, "odd"), by=None)
    await db.write(lambda tx: store.mark_chunked(tx, gone, chunks=1), by=None)
    await db.write(lambda tx: store.delete_source(tx, gone), by=None)
    assert await db.write(lambda tx: store.hold_source(tx, new, worker=WORKER), by=None)
    [waiting] = await claimed(db)
    assert waiting.attempts == 0


async def test_its_vector_is_not_given_to_the_next_chunk(db: Database) -> None:
    gone = await queued(db, "msg_1")
    await written(db, gone, "The canary is green.")
    taken_up = await unembedded(db)
    assert await db.read(lambda tx: store.filter_unchanged(tx, taken_up), by=None) == set(taken_up)
    await deleted(db, gone)
    await written(db, await queued(db, "msg_2"), "The lamp is red.")

    assert [chunk.id for chunk in await unembedded(db)] == [chunk.id for chunk in taken_up]
    assert await db.read(lambda tx: store.filter_unchanged(tx, taken_up), by=None) == set()
