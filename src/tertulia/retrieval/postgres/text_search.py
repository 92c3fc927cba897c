"""The index of words on PostgreSQL: a `tsvector` for each chunk, ranked by BM25.

PostgreSQL's own ranking knows nothing of other texts. It does tell how often a word stands in a text, and
in how many texts it stands we count ourselves: the rest of BM25 is arithmetic.
"""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from math import log
from time import monotonic

from tertulia.infra.db import Tx, bound_list, bound_rows
from tertulia.retrieval.full_text_index import FullTextIndexDamaged, FullTextRow, UnindexedChunk
from tertulia.retrieval.message_texts import CHUNK_TEXT_COLUMNS
from tertulia.retrieval.postgres.folded_words import fold_words
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.search_scope import SearchScope
from tertulia.retrieval.word_frequencies import WIDE_QUERY_ENTRIES_MAX, SelectedTerms, WordFrequencies

#: Before the terms of a chunk's place: no word of a text has this sign, so none is mistaken for a place.
SCOPE_MARK = "@"
#: How soon further occurrences of a word count no more, and how much a long text counts against itself.
BM25_SATURATION = 1.2
BM25_LENGTH_SHARE = 0.75
#: What a match in the keys (headings, path, speaker) is worth beside one in the text.
KEYS_WEIGHT = 0.5
#: What a term counts for that stands nearly everywhere.
TERM_WEIGHT_MIN = 1e-6
#: The latest chunks, whose mean length stands for that of all, and how long that is remembered.
LENGTH_SAMPLE_CHUNKS = 1_000
LENGTH_TTL_SECONDS = 600

ADD_SQL = """INSERT INTO chunk_words (chunk, words) VALUES (:chunk,
    setweight(to_tsvector('tertulia', :content), 'A') || setweight(to_tsvector('tertulia', :keys), 'B')
    || CAST(:place AS tsvector)) ON CONFLICT DO NOTHING"""
MATCHES_SQL = f"""SELECT w.chunk, w.words, {BM25_SATURATION} * ({1 - BM25_LENGTH_SHARE}
      + {BM25_LENGTH_SHARE} * length(w.words) / CAST(:mean_length AS double precision)) AS resistance
    FROM chunk_words AS w
    WHERE w.words @@ (CAST(:scope AS tsquery) && websearch_to_tsquery('tertulia', :asked))"""
FILTERED_MATCHES_SQL = f"""{MATCHES_SQL} AND w.chunk IN (SELECT c.id FROM chunks AS c
    WHERE c.workspace_id = :workspace AND c.source IN {bound_list("among", of="BIGINT")})"""


def occurrences_sql(rank: str) -> str:
    """Return how often a word stands in a text, given its `ts_rank` where each occurrence weighs one.

    That is the sum of 1/k² for k up to n, as a share of what all k would sum to. What is missing from that
    is nearly 1/(n + ½).
    """
    return f"CASE WHEN {rank} > 0 THEN 1 / (1.64493406685 * (1 - {rank})) - 0.5 ELSE 0 END"


# A term of several words is a phrase: it is there or not, as its rank does not say how often.
RANK_SQL = f"""WITH terms AS MATERIALIZED (
        SELECT phraseto_tsquery('tertulia', CAST(g.term AS text)) AS term,
          CAST(g.weight AS double precision) AS weight FROM {bound_rows("terms", "term", "weight")} AS g)
    SELECT m.chunk, (SELECT sum(t.weight * f.found / (f.found + m.resistance)) FROM terms AS t
        CROSS JOIN LATERAL (SELECT ts_rank('{{0, 0, 0, 1}}', m.words, t.term) AS content,
          ts_rank('{{0, 0, 1, 0}}', m.words, t.term) AS keys OFFSET 0) AS r
        CROSS JOIN LATERAL (SELECT CASE WHEN numnode(t.term) = 1
            THEN {occurrences_sql("r.content")} + {KEYS_WEIGHT} * {occurrences_sql("r.keys")}
            WHEN m.words @@ t.term THEN 1 ELSE 0 END AS found OFFSET 0) AS f) AS score
    FROM (%s OFFSET 0) AS m ORDER BY score DESC, m.chunk LIMIT :limit"""
SCOPED_SEARCH_SQL = RANK_SQL % MATCHES_SQL
FILTERED_SEARCH_SQL = RANK_SQL % FILTERED_MATCHES_SQL
PREFIX_SEARCH_SQL = """SELECT w.chunk FROM chunk_words AS w
    WHERE w.words @@ (CAST(:scope AS tsquery) && to_tsquery('tertulia', :asked)) LIMIT :limit"""
MEAN_LENGTH_SQL = """SELECT CAST(coalesce(avg(length(words)), 1) AS double precision) FROM
    (SELECT words FROM chunk_words ORDER BY chunk DESC LIMIT :sample) AS latest"""
MISSING_CHUNKS_SQL = f"""SELECT c.id, c.source, {CHUNK_TEXT_COLUMNS} FROM chunks AS c
    JOIN sources AS s ON s.id = c.source
    WHERE NOT EXISTS (SELECT 1 FROM chunk_words AS w WHERE w.chunk = c.id) ORDER BY c.id DESC LIMIT :limit"""


class TextSearchIndex:
    """Finds chunks by their words."""

    def __init__(self) -> None:
        self._frequencies = WordFrequencies(self)
        #: When the mean length of a chunk was measured, and what it was.
        self._mean_length = (0.0, 0.0)

    def search(self, tx: Tx, query: ParsedQuery, scope: SearchScope, *, limit: int) -> dict[int, float]:
        """Return the chunks that speak most of what was asked, best first, and how well each matches."""
        asked = self._frequencies.select_terms(tx, query, max_entries=WIDE_QUERY_ENTRIES_MAX)
        return self._run_query(tx, asked, scope, limit=limit)

    def search_identifiers(
        self, tx: Tx, query: ParsedQuery, scope: SearchScope, *, limit: int
    ) -> dict[int, float]:
        """Return the chunks that hold the identifiers a query names, as they are written."""
        return self._run_query(tx, SelectedTerms(query.names), scope, limit=limit)

    def search_prefixes(
        self, tx: Tx, prefixes: Sequence[str], scope: SearchScope, *, limit: int
    ) -> Sequence[int]:
        """Return some chunks in a reach with words that begin in one of these ways, in no order."""
        asked = " | ".join(f"{folded}:*" for prefix in prefixes if (folded := fold_words(prefix)))
        with damage_translated():
            return tx.column(PREFIX_SEARCH_SQL, scope=scope_query(scope), asked=asked, limit=limit)

    def take_chunk_ids(self, tx: Tx, count: int) -> Sequence[int]:
        """Return so many ids from the sequence of chunks."""
        sql = "SELECT nextval(pg_get_serial_sequence('chunks', 'id')) FROM generate_series(1, :count)"
        return tx.column(sql, count=count)

    def add(self, tx: Tx, rows: Iterable[FullTextRow]) -> None:
        """Enter chunks into the index."""
        entries = (
            {
                "chunk": row.chunk,
                "content": fold_words(row.content),
                "keys": fold_words(row.keys),
                "place": " ".join(map(scope_lexeme, row.scope_terms)),
            }
            for row in rows
        )
        with damage_translated():
            tx.run_many(ADD_SQL, entries)

    def count_chunks(self, tx: Tx) -> int:
        """Return how many chunks the index has, in all workspaces."""
        with damage_translated():
            return int(tx.value("SELECT count(*) FROM chunk_words"))

    def measure_bytes(self, tx: Tx) -> int:
        """Return how large the index is, in all workspaces."""
        return int(tx.value("SELECT pg_total_relation_size('chunk_words')"))

    def is_readable(self, tx: Tx) -> bool:
        """Tell whether the index can be read from end to end: slow."""
        try:
            return tx.attempt(lambda: read_all(tx))
        except FullTextIndexDamaged:
            return False

    def clear(self, tx: Tx) -> None:
        """Throw away what cannot be read. What can stays, as another process may have just entered it.

        Of the indexes of the table nobody can tell whether they are whole: they are made anew.
        """
        if self.is_readable(tx):
            tx.run("REINDEX TABLE chunk_words")
        else:
            tx.run("TRUNCATE chunk_words")

    def list_missing(self, tx: Tx, *, limit: int) -> list[UnindexedChunk]:
        """Return the latest of the chunks that the index lacks."""
        return tx.all(UnindexedChunk, MISSING_CHUNKS_SQL, limit=limit)

    def estimate_chunks(self, tx: Tx) -> int:
        """Return how many chunks there are."""
        return self.count_chunks(tx)

    def count_word(self, tx: Tx, word: str, *, at_most: int) -> int:
        """Return in how many chunks a word stands, counting no further than `at_most`."""
        return count_matches(tx, "phraseto_tsquery('tertulia', :term)", fold_words(word), at_most=at_most)

    def count_scope_term(self, tx: Tx, term: str, *, at_most: int) -> int:
        """Return how many chunks belong to a place, counting no further than `at_most`."""
        return count_matches(tx, "CAST(:term AS tsquery)", scope_lexeme(term), at_most=at_most)

    def _run_query(
        self, tx: Tx, selected: SelectedTerms, scope: SearchScope, *, limit: int
    ) -> dict[int, float]:
        """Return the best chunks within a reach that have these terms."""
        weighted = [
            (folded, self._weigh(tx, term)) for term in selected.terms if (folded := fold_words(term))
        ]
        if not weighted:
            return {}
        with damage_translated():
            rows = tx.rows(
                SCOPED_SEARCH_SQL if scope.among is None else FILTERED_SEARCH_SQL,
                scope=scope_query(scope),
                asked=(" " if selected.all_required else " or ").join(f'"{term}"' for term, _ in weighted),
                terms=weighted,
                mean_length=self._measure_length(tx),
                among=sorted(scope.among or ()),
                limit=limit,
            )
        return dict(rows)

    def _weigh(self, tx: Tx, term: str) -> float:
        """Return the inverse document frequency of a term."""
        total, found = self._frequencies.count_chunks(tx), self._frequencies.count_identifier(tx, term)
        return max(TERM_WEIGHT_MIN, log((max(total, found) - found + 0.5) / (found + 0.5)))

    def _measure_length(self, tx: Tx) -> float:
        """Return how long a chunk is on average, roughly: measured anew only now and then."""
        at, length = self._mean_length
        if not length or monotonic() - at > LENGTH_TTL_SECONDS:
            length = max(1.0, float(tx.value(MEAN_LENGTH_SQL, sample=LENGTH_SAMPLE_CHUNKS)))
            self._mean_length = (monotonic(), length)
        return length


def count_matches(tx: Tx, query_sql: str, term: str, *, at_most: int) -> int:
    """Return how many chunks match a term, counting no further than `at_most`."""
    sql = f"""SELECT count(*) FROM
        (SELECT 1 FROM chunk_words AS w WHERE w.words @@ {query_sql} LIMIT :most) AS found"""
    with damage_translated():
        return int(tx.value(sql, term=term, most=at_most))


def read_all(tx: Tx) -> bool:
    """Read every entry, or raise `FullTextIndexDamaged`."""
    with damage_translated():
        return tx.value("SELECT count(length(words)) FROM chunk_words") is not None


@contextmanager
def damage_translated() -> Generator[None]:
    """Turn what the server says of pages that it cannot make sense of into `FullTextIndexDamaged`."""
    from psycopg import errors

    try:
        yield
    except (errors.DataCorrupted, errors.IndexCorrupted, errors.InternalError_) as error:
        raise FullTextIndexDamaged from error


def scope_lexeme(term: str) -> str:
    """Return the term of a place as a lexeme, quoted."""
    return f"'{SCOPE_MARK}{term}'"


def scope_query(scope: SearchScope) -> str:
    """Return the query that keeps to a reach."""
    seen = " | ".join(map(scope_lexeme, scope.owner_terms))
    without = [f"!{scope_lexeme(term)}" for term in scope.excluded_terms]
    return " & ".join([*map(scope_lexeme, scope.required_terms), f"({seen})", *without])
