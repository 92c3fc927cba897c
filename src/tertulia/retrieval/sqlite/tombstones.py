"""Words of deleted chunks, which the full-text index keeps until its segments are merged.

A deletion only adds the chunk to a segment's list of deleted rows, its tombstones: that is what
makes it quick. FTS5's own `secure-delete` does nothing for a contentless index. A merge of all
segments leaves the deleted rows out, and it can be done a few pages at a time.
"""

from tertulia.infra.db import Tx
from tertulia.infra.db.sqlite.reclaimer import Leftover

#: Pages of the index that are written in one step: some milliseconds.
MERGE_STEP_PAGES = 64
#: FTS5 numbers the pages of tombstones from here on, above all others.
FIRST_TOMBSTONE_PAGE = 1 << 53
#: FTS5 reports at least this many changed rows for a step in which it merged something.
MERGED_CHANGES = 2


def count_tombstone_pages(tx: Tx) -> int:
    """Return how many pages list deleted rows: none once all their words are gone."""
    sql = "SELECT count(*) FROM chunk_words_data WHERE id >= :first"
    return int(tx.value(sql, first=FIRST_TOMBSTONE_PAGE))


def merge_segments_step(tx: Tx) -> None:
    """Go on with the merge that is under way, or begin one of all segments."""
    before = tx.value("SELECT total_changes()")
    run_fts5_command(tx, "merge", MERGE_STEP_PAGES)
    if tx.value("SELECT total_changes()") - before < MERGED_CHANGES:
        # So that a merge of two segments is gone on with even after new ones were added.
        run_fts5_command(tx, "usermerge", 2)
        run_fts5_command(tx, "merge", -MERGE_STEP_PAGES)


def run_fts5_command(tx: Tx, name: str, value: int) -> None:
    """Give the index one of FTS5's commands."""
    tx.run("INSERT INTO chunk_words (chunk_words, rank) VALUES (:name, :value)", name=name, value=value)


DELETED_WORDS = Leftover("words in the index", count_tombstone_pages, merge_segments_step)
