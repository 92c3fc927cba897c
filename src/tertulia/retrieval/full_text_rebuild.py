"""Telling that the index of words no longer agrees with the chunks, and making it anew from them."""

from dataclasses import dataclass

import apsw

from tertulia.infra.db import Database, Tx
from tertulia.retrieval.full_text_index import count_indexed_chunks, full_text_row, insert_full_text_rows
from tertulia.retrieval.sources import IndexedSource

REBUILD_BATCH_CHUNKS = 1_000
CREATE_FULL_TEXT_INDEX_SQL = """CREATE VIRTUAL TABLE chunk_words USING fts5 (
    content, keys, place,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
)"""


@dataclass(frozen=True, slots=True)
class UnindexedChunk:
    """A chunk that the index of words does not know."""

    id: int
    source: int
    context: str
    content: str


def has_all_chunks(tx: Tx) -> bool:
    """Tell whether there are as many entries as chunks: quick, and true after any crash."""
    try:
        return tx.value("SELECT count(*) FROM chunks") == count_indexed_chunks(tx)
    except (apsw.CorruptError, apsw.SQLError):
        return False


def is_readable(tx: Tx) -> bool:
    """Tell whether the index of words can be read from end to end: slow."""
    try:
        tx.run("INSERT INTO chunk_words (chunk_words) VALUES ('integrity-check')")
    except (apsw.CorruptError, apsw.SQLError):
        return False
    return has_all_chunks(tx)


async def rebuild_full_text_index(db: Database) -> int:
    """Make the index of words anew, in steps, so that others may write in between; return the chunks done."""
    await db.write(create_empty_index, by=None)
    done = 0
    while some := await db.write(index_missing_chunks, by=None):
        done += some
    return done


def create_empty_index(tx: Tx) -> None:
    """Put an empty index in the place of the damaged one."""
    tx.run("DROP TABLE IF EXISTS chunk_words")
    tx.run(CREATE_FULL_TEXT_INDEX_SQL)


def index_missing_chunks(tx: Tx) -> int:
    """Enter some of the chunks that are missing, and return how many."""
    last = tx.value("SELECT coalesce(min(id), 9223372036854775807) FROM chunk_words_docsize")
    missing = tx.all(
        UnindexedChunk,
        """SELECT id, source, context, content FROM chunks WHERE id < :last
           AND id NOT IN (SELECT id FROM chunk_words_docsize) ORDER BY id DESC LIMIT :block""",
        last=last,
        block=REBUILD_BATCH_CHUNKS,
    )
    sources = {
        unindexed_chunk.source: tx.one(
            IndexedSource, "SELECT * FROM sources WHERE id = :id", id=unindexed_chunk.source
        )
        for unindexed_chunk in missing
    }
    insert_full_text_rows(
        tx,
        (
            full_text_row(
                source, unindexed_chunk.id, context=unindexed_chunk.context, content=unindexed_chunk.content
            )
            for unindexed_chunk in missing
            if (source := sources[unindexed_chunk.source])
        ),
    )
    return len(missing)
