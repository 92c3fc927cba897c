"""The index of words on SQLite: FTS5, ranked by its BM25."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

import apsw

from tertulia.infra.db import Tx, bound_list
from tertulia.retrieval.full_text_index import FullTextIndexDamaged, FullTextRow, UnindexedChunk
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN
from tertulia.retrieval.message_texts import CHUNK_TEXT_COLUMNS
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.search_scope import SearchScope
from tertulia.retrieval.word_frequencies import (
    SCOPED_QUERY_ENTRIES_MAX,
    WIDE_QUERY_ENTRIES_MAX,
    SelectedTerms,
    WordFrequencies,
)

CREATE_FULL_TEXT_INDEX_SQL = """CREATE VIRTUAL TABLE chunk_words USING fts5 (
    content, keys, place,
    content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2'
)"""
#: What a match in the text, in its keys (headings, path, speaker), and in its place is worth.
BM25_COLUMN_WEIGHTS = "1.0, 0.5, 0.0"
BM25_MATCH_SQL = f"chunk_words MATCH :match AND w.rank MATCH 'bm25({BM25_COLUMN_WEIGHTS})'"
SCOPED_SEARCH_SQL = f"""SELECT w.rowid AS chunk, -w.rank AS score FROM chunk_words AS w
    WHERE {BM25_MATCH_SQL} ORDER BY w.rank LIMIT :limit"""
FILTERED_SEARCH_SQL = f"""SELECT w.rowid AS chunk, -w.rank AS score
    FROM chunk_words AS w CROSS JOIN chunks AS c ON c.id = w.rowid
    WHERE {BM25_MATCH_SQL} AND c.workspace_id = :workspace AND c.source IN {bound_list("among", of="BIGINT")}
    ORDER BY w.rank LIMIT :limit"""
# The ranking counts in how many chunks each part of a query stands, also a part that excludes a kind. So the
# kind of the best is looked up in their rows.
KINDS_SEARCH_SQL = f"""SELECT w.rowid AS chunk, -w.rank AS score FROM chunk_words AS w
    CROSS JOIN chunks AS c ON c.id = w.rowid CROSS JOIN sources AS s ON s.id = c.source
    WHERE {BM25_MATCH_SQL} AND s.workspace_id = :workspace AND s.kind IN {bound_list("kinds")}
    ORDER BY w.rank LIMIT :limit"""
# The same for a place that holds most of the chunks: counting them takes longer than all the rest.
WIDE_SEARCH_SQL = f"""SELECT w.rowid AS chunk, -w.rank AS score FROM chunk_words AS w
    CROSS JOIN chunks AS c ON c.id = w.rowid CROSS JOIN sources AS s ON s.id = c.source
    WHERE {BM25_MATCH_SQL} AND s.workspace_id = :workspace AND (s.owner_id IS NULL OR s.owner_id = :me)
      AND (:project_id IS NULL OR s.project_id = :project_id) AND s.kind IN {bound_list("kinds")}
    ORDER BY w.rank LIMIT :limit"""
# The kinds and the place are looked up in rows: only a few of what begins alike are wanted.
PREFIX_SEARCH_SQL = f"""SELECT w.rowid FROM chunk_words AS w
    CROSS JOIN chunks AS c ON c.id = w.rowid CROSS JOIN sources AS s ON s.id = c.source
    WHERE chunk_words MATCH :match AND s.workspace_id = :workspace
      AND (s.owner_id IS NULL OR s.owner_id = :me)
      AND (:project_id IS NULL OR s.project_id = :project_id) AND s.kind IN {bound_list("kinds")}
    LIMIT :limit"""
#: An index of up to so many chunks is merged when a share of it is new: some milliseconds each time.
MERGED_INDEX_MAX_CHUNKS = 8_000
MERGE_MIN_CHUNKS = 32
MERGE_MIN_SHARE = 1 / 16
COUNT_SQL = "SELECT count(*) FROM (SELECT 1 FROM chunk_words WHERE chunk_words MATCH :match LIMIT :most)"


class Fts5Index:
    """Finds chunks by their words."""

    def __init__(self) -> None:
        self._frequencies = WordFrequencies(self)
        #: The last chunk that was entered when the index was merged.
        self._merged_chunk = 0

    def search(self, tx: Tx, query: ParsedQuery, scope: SearchScope, *, limit: int) -> dict[int, float]:
        """Return the chunks that speak most of what was asked, best first, and how well each matches."""
        wide = self._frequencies.is_wide(tx, scope)
        entries = WIDE_QUERY_ENTRIES_MAX if wide else SCOPED_QUERY_ENTRIES_MAX
        asked = self._frequencies.select_terms(tx, query, max_entries=entries)
        return run_query(tx, match_expression(asked), scope, limit=limit, wide=wide)

    def search_identifiers(
        self, tx: Tx, query: ParsedQuery, scope: SearchScope, *, limit: int
    ) -> dict[int, float]:
        """Return the chunks that hold the identifiers a query names, as they are written."""
        return run_query(tx, match_expression(SelectedTerms(query.names)), scope, limit=limit)

    def search_prefixes(
        self, tx: Tx, prefixes: Sequence[str], scope: SearchScope, *, limit: int
    ) -> Sequence[int]:
        """Return some chunks in a reach with words that begin in one of these ways, in no order."""
        match = " OR ".join(f"{fts_phrase(prefix)} *" for prefix in prefixes)
        with damage_translated():
            return tx.column(
                PREFIX_SEARCH_SQL,
                match=f"{{content keys}} : ({match})",
                project_id=scope.project_id,
                kinds=sorted(scope.kinds),
                limit=limit,
            )

    def take_chunk_ids(self, tx: Tx, count: int) -> Sequence[int]:
        """Return so many ids after all that chunks or the index have."""
        first = 1 + max(self.estimate_chunks(tx), int(tx.value("SELECT coalesce(max(id), 0) FROM chunks")))
        return range(first, first + count)

    def add(self, tx: Tx, rows: Iterable[FullTextRow]) -> None:
        """Enter chunks into the index."""
        entries = [
            {"id": row.chunk, "content": row.content, "keys": row.keys, "place": " ".join(row.scope_terms)}
            for row in rows
        ]
        tx.run_many(
            "INSERT INTO chunk_words (rowid, content, keys, place) VALUES (:id, :content, :keys, :place)",
            entries,
        )
        self._merge_small(tx)

    def _merge_small(self, tx: Tx) -> None:
        """Merge what was entered into one sorted list, for as long as that is quick.

        Each transaction leaves a list of its own, and a word takes the most room where a list has it first.
        FTS5 merges lists of one size when there are several, which keeps a small index half as large again.
        """
        last = self.estimate_chunks(tx)
        unmerged = last - self._merged_chunk
        if last > MERGED_INDEX_MAX_CHUNKS or unmerged < max(MERGE_MIN_CHUNKS, last * MERGE_MIN_SHARE):
            return
        tx.run("INSERT INTO chunk_words (chunk_words) VALUES ('optimize')")
        self._merged_chunk = last

    def count_chunks(self, tx: Tx) -> int:
        """Return how many chunks the index has, in all workspaces."""
        with damage_translated():
            return int(tx.value("SELECT count(*) FROM chunk_words_docsize"))

    def measure_bytes(self, tx: Tx) -> int:
        """Return how large the index is, in all workspaces."""
        return int(tx.value("SELECT coalesce(sum(length(block)), 0) FROM chunk_words_data"))

    def is_readable(self, tx: Tx) -> bool:
        """Tell whether the index can be read from end to end: slow."""
        try:
            with damage_translated():
                tx.run("INSERT INTO chunk_words (chunk_words) VALUES ('integrity-check')")
        except FullTextIndexDamaged:
            return False
        return True

    def clear(self, tx: Tx) -> None:
        """Put an empty index in the place of a damaged one."""
        tx.run("DROP TABLE IF EXISTS chunk_words")
        tx.run(CREATE_FULL_TEXT_INDEX_SQL)

    def list_missing(self, tx: Tx, *, limit: int) -> list[UnindexedChunk]:
        """Return the latest chunks before those that were entered, which began with the latest too."""
        first = tx.value("SELECT coalesce(min(id), 9223372036854775807) FROM chunk_words_docsize")
        return tx.all(
            UnindexedChunk,
            f"""SELECT c.id, c.source, {CHUNK_TEXT_COLUMNS} FROM chunks AS c
                JOIN sources AS s ON s.id = c.source
                WHERE c.id < :first AND c.id NOT IN (SELECT id FROM chunk_words_docsize)
                ORDER BY c.id DESC LIMIT :limit""",
            first=first,
            limit=limit,
        )

    def estimate_chunks(self, tx: Tx) -> int:
        """Return the highest id of a chunk in the index: about how many chunks there are."""
        return int(tx.value("SELECT coalesce(max(id), 0) FROM chunk_words_docsize"))

    def count_word(self, tx: Tx, word: str, *, at_most: int) -> int:
        """Return in how many chunks a word stands, counting no further than `at_most`."""
        return count_matches(tx, f"{{content keys}} : {fts_phrase(word)}", at_most=at_most)

    def count_scope_term(self, tx: Tx, term: str, *, at_most: int) -> int:
        """Return how many chunks belong to a place, counting no further than `at_most`."""
        return count_matches(tx, f"{{place}} : {fts_phrase(term)}", at_most=at_most)


def run_query(
    tx: Tx, expression: str, scope: SearchScope, *, limit: int, wide: bool = False
) -> dict[int, float]:
    """Run a query in the full-text language within a reach; a wide one is looked at after the ranking."""
    if not expression:
        return {}
    match = f"{{content keys}} : ({expression})"
    sql = WIDE_SEARCH_SQL if wide else select_statement(scope)
    with damage_translated():
        rows = tx.rows(
            sql,
            match=match if wide else f"{scope_expression(scope)} AND {match}",
            limit=limit,
            among=sorted(scope.among or ()),
            project_id=scope.project_id,
            kinds=sorted(scope.kinds),
        )
    return dict(rows)


def select_statement(scope: SearchScope) -> str:
    """Return the statement for a reach whose place the query itself names."""
    if scope.among is not None:
        return FILTERED_SEARCH_SQL
    return KINDS_SEARCH_SQL if scope.excluded_terms else SCOPED_SEARCH_SQL


def count_matches(tx: Tx, match: str, *, at_most: int) -> int:
    """Return how many chunks match an expression, counting no further than `at_most`."""
    with damage_translated():
        return int(tx.value(COUNT_SQL, match=match, most=at_most))


@contextmanager
def damage_translated() -> Generator[None]:
    """Turn what SQLite raises for a broken index into `FullTextIndexDamaged`."""
    try:
        yield
    except (apsw.CorruptError, apsw.SQLError) as error:
        raise FullTextIndexDamaged from error


def scope_expression(scope: SearchScope) -> str:
    """Return the part of a full-text query that keeps to a reach."""
    seen = " OR ".join(scope.owner_terms)
    seen = f"({seen})" if len(scope.owner_terms) > 1 else seen
    return f"place : ({' AND '.join((*scope.required_terms, seen))})"


def match_expression(selected: SelectedTerms) -> str:
    """Return terms as a query in the full-text language; empty when there are none."""
    phrases = [fts_phrase(term) for term in selected.terms]
    if selected.all_required and phrases:
        return f"({' AND '.join(phrases)})"
    return " OR ".join(phrases)


def fts_phrase(text: str) -> str:
    """Return text as a phrase of the full-text language, in which nothing has a meaning of its own."""
    return '"' + " ".join(INDEX_WORD_PATTERN.findall(text)) + '"'
