"""Telling that the index of words no longer agrees with the chunks, and making it anew from them."""

from tertulia.infra.db import Database, Tx
from tertulia.retrieval.full_text_index import FullTextIndex, FullTextIndexDamaged, UnindexedChunk
from tertulia.retrieval.full_text_rows import full_text_row
from tertulia.retrieval.message_texts import complete_context
from tertulia.retrieval.sources import IndexedSource

REBUILD_BATCH_CHUNKS = 1_000


def has_all_chunks(tx: Tx, index: FullTextIndex) -> bool:
    """Tell whether there are as many entries as chunks: quick, and true after any crash."""
    try:
        return tx.value("SELECT count(*) FROM chunks") == index.count_chunks(tx)
    except FullTextIndexDamaged:
        return False


def is_readable(tx: Tx, index: FullTextIndex) -> bool:
    """Tell whether the index of words can be read from end to end and has every chunk: slow."""
    return index.is_readable(tx) and has_all_chunks(tx, index)


async def rebuild_full_text_index(db: Database, index: FullTextIndex) -> int:
    """Make the index of words anew, in steps, so that others may write in between; return the chunks done."""
    await db.write(index.clear, by=None)
    done = 0
    while some := await db.write(lambda tx: index_missing_chunks(tx, index), by=None):
        done += some
    return done


def index_missing_chunks(tx: Tx, index: FullTextIndex) -> int:
    """Enter some of the chunks that are missing, and return how many."""
    missing = index.list_missing(tx, limit=REBUILD_BATCH_CHUNKS)
    sources = {
        source_id: tx.one(IndexedSource, "SELECT * FROM sources WHERE id = :id", id=source_id)
        for source_id in {chunk.source for chunk in missing}
    }
    index.add(
        tx,
        (
            full_text_row(source, chunk.id, context=chunk_context(chunk), content=chunk.content)
            for chunk in missing
            if (source := sources[chunk.source])
        ),
    )
    return len(missing)


def chunk_context(chunk: UnindexedChunk) -> str:
    """Return the context of a chunk, be it stored or not."""
    return complete_context(
        chunk.kind, chunk.context, title=chunk.title, asked=chunk.asked, said_at=chunk.said_at
    )
