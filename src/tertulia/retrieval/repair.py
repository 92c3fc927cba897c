"""Telling that the index of words no longer agrees with the chunks, and making it anew from them."""

from dataclasses import dataclass

import apsw

from tertulia.infra.db import Database, Tx
from tertulia.retrieval.store import Source, words_row

BLOCK = 1_000
MAKE = """CREATE VIRTUAL TABLE chunk_words USING fts5 (
    content, keys, place,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
)"""


@dataclass(frozen=True, slots=True)
class Wordless:
    """A chunk that the index of words does not know."""

    id: int
    source: int
    context: str
    content: str


def agrees(tx: Tx) -> bool:
    """Tell whether there are as many entries as chunks: quick, and true after any crash."""
    try:
        return tx.value("SELECT count(*) FROM chunks") == tx.value("SELECT count(*) FROM chunk_words_docsize")
    except (apsw.CorruptError, apsw.SQLError):
        return False


def is_sound(tx: Tx) -> bool:
    """Tell whether the index of words can be read from end to end: slow."""
    try:
        tx.run("INSERT INTO chunk_words (chunk_words) VALUES ('integrity-check')")
    except (apsw.CorruptError, apsw.SQLError):
        return False
    return agrees(tx)


async def repair(db: Database) -> int:
    """Make the index of words anew, in steps, so that others may write in between; return the chunks done."""
    await db.write(start_anew, by=None)
    done = 0
    while some := await db.write(fill, by=None):
        done += some
    return done


def start_anew(tx: Tx) -> None:
    """Put an empty index in the place of the damaged one."""
    tx.run("DROP TABLE IF EXISTS chunk_words")
    tx.run(MAKE)


def fill(tx: Tx) -> int:
    """Enter some of the chunks that are missing, and return how many."""
    last = tx.value("SELECT coalesce(min(id), 9223372036854775807) FROM chunk_words_docsize")
    missing = tx.all(
        Wordless,
        """SELECT id, source, context, content FROM chunks WHERE id < :last
           AND id NOT IN (SELECT id FROM chunk_words_docsize) ORDER BY id DESC LIMIT :block""",
        last=last,
        block=BLOCK,
    )
    sources = {
        one.source: tx.one(Source, "SELECT * FROM sources WHERE id = :id", id=one.source) for one in missing
    }
    tx.run_many(
        "INSERT INTO chunk_words (rowid, content, keys, place) VALUES (:id, :content, :keys, :place)",
        (
            words_row(source, one.id, context=one.context, content=one.content)
            for one in missing
            if (source := sources[one.source])
        ),
    )
    return len(missing)
