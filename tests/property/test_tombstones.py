"""Whatever is indexed, deleted and indexed meanwhile: the words of what was deleted leave the index."""

from collections.abc import Generator
from contextlib import contextmanager

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import effort

from tertulia.infra.db import Tx
from tertulia.infra.db.sqlite.statements import SqliteStatements
from tertulia.retrieval.sqlite.fts5 import CREATE_FULL_TEXT_INDEX_SQL
from tertulia.retrieval.sqlite.tombstones import count_tombstone_pages, merge_segments_step

pytestmark = pytest.mark.sqlite

#: More steps than any of these small indexes needs.
ENOUGH_STEPS = 200


@contextmanager
def small_index() -> Generator[Tx]:
    connection = apsw.Connection(":memory:")
    connection.execute(CREATE_FULL_TEXT_INDEX_SQL)
    try:
        yield Tx(SqliteStatements(connection), by=None, tenant_tables=frozenset(), checked_statements=set())
    finally:
        connection.close()


def add(tx: Tx, number: int, *, length: int = 20) -> None:
    words = " ".join(f"word{number}x{place}" for place in range(length))
    sql = "INSERT INTO chunk_words (rowid, content, keys, place) VALUES (:id, :content, '', 'p')"
    tx.run(sql, id=number, content=f"secret{number} {words}")


def known_secrets(tx: Tx) -> set[int]:
    tx.run("CREATE VIRTUAL TABLE IF NOT EXISTS vocabulary USING fts5vocab (chunk_words, 'row')")
    found = tx.column("SELECT term FROM vocabulary WHERE term LIKE 'secret%'")
    tx.run("DROP TABLE vocabulary")
    return {int(term.removeprefix("secret")) for term in found}


@settings(max_examples=effort(20))
@given(
    groups=st.lists(st.integers(1, 30), min_size=1, max_size=8),
    deleted=st.sets(st.integers(1, 60), min_size=1),
    new_between_steps=st.integers(0, 3),
)
def test_no_word_of_a_deleted_chunk_stays_while_others_are_indexed(
    groups: list[int], deleted: set[int], new_between_steps: int
) -> None:
    with small_index() as tx:
        kept: set[int] = set()
        for size in groups:
            tx.run("BEGIN")
            new = range(len(kept) + 1, len(kept) + size + 1)
            for number in new:
                add(tx, number)
            kept.update(new)
            tx.run("COMMIT")
        for number in deleted & kept:
            tx.run("DELETE FROM chunk_words WHERE rowid = :id", id=number)
        kept -= deleted
        next_number = 1_000
        for _ in range(ENOUGH_STEPS):
            if not count_tombstone_pages(tx):
                break
            merge_segments_step(tx)
            for _ in range(new_between_steps):
                add(tx, next_number, length=500)
                kept.add(next_number)
                next_number += 1

        assert count_tombstone_pages(tx) == 0
        assert known_secrets(tx) == kept
        tx.run("INSERT INTO chunk_words (chunk_words) VALUES ('integrity-check')")
