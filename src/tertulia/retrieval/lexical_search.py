"""Finding chunks by their words."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

import apsw

from tertulia.core.errors import Unavailable
from tertulia.infra.db import Tx, bound_list
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN, QUERY_WORDS_MAX, fts_any_of, fts_phrase
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.sources import SourceKind

#: A word in more than this share of all chunks tells nothing apart, and is slow to look for.
COMMON_WORD_MIN_SHARE = 0.2
#: In a small collection every word counts.
SMALL_INDEX_MAX_CHUNKS = 2_000
#: Entries of the index that one query may weigh: rare words come first, and what they leave goes to others.
WIDE_QUERY_ENTRIES_MAX = 6_000
#: In a small place of a large collection most entries are only counted, which is a tenth of the work.
SCOPED_QUERY_ENTRIES_MAX = 15_000
#: How many words a chunk must have where all of them are common.
COMMON_WORDS_REQUIRED_MAX = 3
SCOPE_COLUMN = "place"
WORD_COUNT_TTL_SECONDS = 600
WORD_COUNT_CACHE_MAX_WORDS = 20_000
#: What a match in the text, in its keys (headings, path, speaker), and in its place is worth.
BM25_COLUMN_WEIGHTS = "1.0, 0.5, 0.0"


class FullTextIndexDamaged(Unavailable):
    """The index of words is damaged; it is rebuilt from the chunks, and meanwhile meanings are searched."""

    code = "words_broken"


@dataclass(frozen=True, slots=True)
class SearchScope:
    """Where one looks, and what may be seen there."""

    workspace_id: str
    #: Who looks; empty for somebody who owns nothing.
    user_id: str
    project_id: str | None = None
    conversation_id: str | None = None
    kind: SourceKind | None = None
    #: The only sources that count, where filters were set; None for all.
    among: frozenset[int] | None = None

    @property
    def match_expression(self) -> str:
        """Return the part of a full-text query that keeps to this reach."""
        words = [scope_term("w", self.workspace_id)]
        if self.project_id:
            words = [scope_term("p", self.project_id)]
        if self.conversation_id:
            words = [scope_term("c", self.conversation_id)]
        if self.kind:
            words.append(f"k{self.kind}")
        seen = f"(oall OR {scope_term('o', self.user_id)})" if self.user_id else "oall"
        return f"place : ({' AND '.join(words)} AND {seen})"


def scope_term(letter: str, thing_id: str) -> str:
    """Return an id as one word that the tokenizer leaves whole."""
    return letter + thing_id.rsplit("_", 1)[-1].lower()


def scope_terms(
    *, workspace_id: str, project_id: str | None, conversation_id: str | None, owner_id: str | None, kind: str
) -> str:
    """Return the words under which a chunk is found only where it belongs."""
    words = [scope_term("w", workspace_id), f"k{kind}", scope_term("o", owner_id) if owner_id else "oall"]
    words += [scope_term("p", project_id)] if project_id else []
    words += [scope_term("c", conversation_id)] if conversation_id else []
    return " ".join(words)


def search_full_text(
    tx: Tx, query: ParsedQuery, scope: SearchScope, *, frequencies: "WordFrequencies", limit: int
) -> dict[int, float]:
    """Return the chunks that speak most of what was asked, best first, and how well each matches."""
    wide = frequencies.is_wide(tx, scope)
    asked = " OR ".join(
        frequencies.select_terms(
            tx, query, max_entries=WIDE_QUERY_ENTRIES_MAX if wide else SCOPED_QUERY_ENTRIES_MAX
        )
    )
    return run_full_text_query(tx, asked, scope, limit=limit, wide=wide)


def search_identifiers(tx: Tx, query: ParsedQuery, scope: SearchScope, *, limit: int) -> dict[int, float]:
    """Return the chunks that hold the identifiers a query names, as they are written."""
    return run_full_text_query(tx, fts_any_of(query.names), scope, limit=limit)


def run_full_text_query(
    tx: Tx, expression: str, scope: SearchScope, *, limit: int, wide: bool = False
) -> dict[int, float]:
    """Run a query in the full-text language within a reach; a wide one is looked at after the ranking."""
    if not expression:
        return {}
    match = f"{{content keys}} : ({expression})"
    sql = WIDE_SEARCH_SQL if wide else SCOPED_SEARCH_SQL if scope.among is None else FILTERED_SEARCH_SQL
    try:
        rows = tx.rows(
            sql,
            match=match if wide else f"{scope.match_expression} AND {match}",
            limit=limit,
            among=sorted(scope.among or ()),
            project_id=scope.project_id,
            kind=scope.kind,
        )
    except (apsw.CorruptError, apsw.SQLError) as error:
        raise FullTextIndexDamaged("The index of words is damaged and is being rebuilt.") from error
    return dict(rows)


BM25_MATCH_SQL = f"chunk_words MATCH :match AND w.rank MATCH 'bm25({BM25_COLUMN_WEIGHTS})'"
SCOPED_SEARCH_SQL = f"""SELECT w.rowid AS chunk, -w.rank AS score FROM chunk_words AS w
    WHERE {BM25_MATCH_SQL} ORDER BY w.rank LIMIT :limit"""
FILTERED_SEARCH_SQL = f"""SELECT w.rowid AS chunk, -w.rank AS score
    FROM chunk_words AS w CROSS JOIN chunks AS c ON c.id = w.rowid
    WHERE {BM25_MATCH_SQL} AND c.workspace_id = :workspace AND c.source IN {bound_list("among")}
    ORDER BY w.rank LIMIT :limit"""
# The ranking counts in how many chunks each part of a query stands: for a place that holds most of
# them, that takes longer than all the rest. So the place is looked up for the best, in their rows.
WIDE_SEARCH_SQL = f"""SELECT w.rowid AS chunk, -w.rank AS score FROM chunk_words AS w
    CROSS JOIN chunks AS c ON c.id = w.rowid CROSS JOIN sources AS s ON s.id = c.source
    WHERE {BM25_MATCH_SQL} AND s.workspace_id = :workspace AND (s.owner_id IS NULL OR s.owner_id = :me)
      AND (:project_id IS NULL OR s.project_id = :project_id) AND (:kind IS NULL OR s.kind = :kind)
    ORDER BY w.rank LIMIT :limit"""


class WordFrequencies:
    """Knows which words stand in so many chunks that looking for them tells nothing."""

    def __init__(self) -> None:
        self._word_counts: dict[str, tuple[float, int]] = {}
        self._chunk_count = (0.0, 0)

    def select_words(self, tx: Tx, words: Sequence[str]) -> list[str]:
        """Return the words worth looking for: all in a small collection, else the rarer ones."""
        total = self._count_chunks(tx)
        if total < SMALL_INDEX_MAX_CHUNKS:
            return list(words)[:QUERY_WORDS_MAX]
        rated = sorted((self._count_word(tx, word), place, word) for place, word in enumerate(words))
        rare = [word for count, _, word in rated if 0 < count <= total * COMMON_WORD_MIN_SHARE]
        return (rare or [word for count, _, word in rated[:2] if count])[:QUERY_WORDS_MAX]

    def select_terms(self, tx: Tx, query: ParsedQuery, *, max_entries: int) -> list[str]:
        """Return what to look for, as phrases: identifiers and words, the rarest first, within bounds."""
        words = self.select_words(tx, query.words)
        if self._count_chunks(tx) < SMALL_INDEX_MAX_CHUNKS:
            return [fts_phrase(term) for term in (*query.names, *words)]
        left = max_entries
        chosen: list[str] = []
        rated = sorted((self._count_identifier(tx, name), name) for name in query.names)
        for count, term in [*rated, *((self._count_word(tx, word), word) for word in words)]:
            if count and count <= left:
                chosen.append(fts_phrase(term))
                left -= count
        # Where every word is common, those chunks are meant that have them all.
        return chosen or [
            f"({' AND '.join(fts_phrase(word) for word in words[:COMMON_WORDS_REQUIRED_MAX])})"
        ] * bool(words)

    def is_wide(self, tx: Tx, scope: SearchScope) -> bool:
        """Tell whether a reach holds so much of a large collection that it tells little apart."""
        if (
            scope.among is not None
            or scope.conversation_id
            or self._count_chunks(tx) < SMALL_INDEX_MAX_CHUNKS
        ):
            return False
        place = scope_term("p", scope.project_id) if scope.project_id else scope_term("w", scope.workspace_id)
        return (
            self._count_word(tx, place, columns=SCOPE_COLUMN) > self._chunk_count[1] * COMMON_WORD_MIN_SHARE
        )

    def _count_identifier(self, tx: Tx, name: str) -> int:
        """Return in how many chunks the rarest part of an identifier stands: it stands in no more itself."""
        return min(
            (self._count_word(tx, part.lower()) for part in INDEX_WORD_PATTERN.findall(name)), default=0
        )

    def _count_chunks(self, tx: Tx) -> int:
        at, total = self._chunk_count
        if monotonic() - at > WORD_COUNT_TTL_SECONDS / 10 or not total:
            total = int(tx.value("SELECT coalesce(max(id), 0) FROM chunk_words_docsize"))
            self._chunk_count = (monotonic(), total)
        return total

    def _count_word(self, tx: Tx, word: str, *, columns: str = "content keys") -> int:
        """Return in how many chunks a word stands, roughly: counted anew only now and then."""
        key = f"{columns} {word}"
        kept = self._word_counts.get(key)
        if kept and monotonic() - kept[0] < WORD_COUNT_TTL_SECONDS:
            return kept[1]
        if len(self._word_counts) >= WORD_COUNT_CACHE_MAX_WORDS:
            self._word_counts.clear()
        sql = "SELECT count(*) FROM (SELECT 1 FROM chunk_words WHERE chunk_words MATCH :match LIMIT :most)"
        most = int(self._chunk_count[1] * COMMON_WORD_MIN_SHARE) + 1
        if columns != SCOPE_COLUMN:
            most = min(most, SCOPED_QUERY_ENTRIES_MAX + 1)
        try:
            found = int(tx.value(sql, match=f"{{{columns}}} : {fts_phrase(word)}", most=most))
        except (apsw.CorruptError, apsw.SQLError) as error:
            raise FullTextIndexDamaged("The index of words is damaged and is being rebuilt.") from error
        if found:  # a word that nobody has used yet may be used at any moment, and is then to be found
            self._word_counts[key] = (monotonic(), found)
        return found
