"""In how many chunks words stand, and which of them are therefore worth looking for."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Protocol

from tertulia.infra.db import Tx
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN, QUERY_WORDS_MAX
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.search_scope import SearchScope

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
WORD_COUNT_TTL_SECONDS = 600
WORD_COUNT_CACHE_MAX_WORDS = 20_000


class WordCounter(Protocol):
    """Counts in an index of words."""

    def estimate_chunks(self, tx: Tx) -> int:
        """Return about how many chunks there are."""
        ...

    def count_word(self, tx: Tx, word: str, *, at_most: int) -> int:
        """Return in how many chunks a word stands, counting no further than `at_most`."""
        ...

    def count_scope_term(self, tx: Tx, term: str, *, at_most: int) -> int:
        """Return how many chunks belong to a place, counting no further than `at_most`."""
        ...


@dataclass(frozen=True, slots=True)
class SelectedTerms:
    """Words and identifiers to look for, any of them, or all of them together."""

    terms: tuple[str, ...]
    all_required: bool = False


class WordFrequencies:
    """Knows which words stand in so many chunks that looking for them tells nothing."""

    def __init__(self, counter: WordCounter) -> None:
        self._counter = counter
        self._counts: dict[tuple[str, str], tuple[float, int]] = {}
        self._chunk_count = (0.0, 0)

    def select_words(self, tx: Tx, words: Sequence[str]) -> list[str]:
        """Return the words worth looking for: all in a small collection, else the rarer ones."""
        total = self.count_chunks(tx)
        if total < SMALL_INDEX_MAX_CHUNKS:
            return list(words)[:QUERY_WORDS_MAX]
        rated = sorted((self.count_word(tx, word), place, word) for place, word in enumerate(words))
        rare = [word for count, _, word in rated if 0 < count <= total * COMMON_WORD_MIN_SHARE]
        return (rare or [word for count, _, word in rated[:2] if count])[:QUERY_WORDS_MAX]

    def select_terms(self, tx: Tx, query: ParsedQuery, *, max_entries: int) -> SelectedTerms:
        """Return what to look for: identifiers and words, the rarest first, within bounds."""
        words = self.select_words(tx, query.words)
        if self.count_chunks(tx) < SMALL_INDEX_MAX_CHUNKS:
            return SelectedTerms((*query.names, *words))
        left = max_entries
        chosen: list[str] = []
        rated = sorted((self.count_identifier(tx, name), name) for name in query.names)
        for count, term in [*rated, *((self.count_word(tx, word), word) for word in words)]:
            if count and count <= left:
                chosen.append(term)
                left -= count
        if chosen:
            return SelectedTerms(tuple(chosen))
        # Where every word is common, those chunks are meant that have them all.
        return SelectedTerms(tuple(words[:COMMON_WORDS_REQUIRED_MAX]), all_required=True)

    def is_wide(self, tx: Tx, scope: SearchScope) -> bool:
        """Tell whether a reach holds so much of a large collection that it tells little apart."""
        if scope.among is not None or scope.conversation_id:
            return False
        total = self.count_chunks(tx)
        if total < SMALL_INDEX_MAX_CHUNKS:
            return False
        return self._count_place(tx, scope.place_term) > total * COMMON_WORD_MIN_SHARE

    def count_identifier(self, tx: Tx, name: str) -> int:
        """Return in how many chunks the rarest part of an identifier stands: it stands in no more itself."""
        return min(
            (self.count_word(tx, part.lower()) for part in INDEX_WORD_PATTERN.findall(name)), default=0
        )

    def count_chunks(self, tx: Tx) -> int:
        """Return how many chunks there are, roughly: counted anew only now and then."""
        at, total = self._chunk_count
        if monotonic() - at > WORD_COUNT_TTL_SECONDS / 10 or not total:
            total = self._counter.estimate_chunks(tx)
            self._chunk_count = (monotonic(), total)
        return total

    def count_word(self, tx: Tx, word: str) -> int:
        """Return in how many chunks a word stands, roughly: counted anew only now and then."""
        if (kept := self._recall("word", word)) is not None:
            return kept
        at_most = min(self._common_count, SCOPED_QUERY_ENTRIES_MAX + 1)
        return self._remember("word", word, self._counter.count_word(tx, word, at_most=at_most))

    def _count_place(self, tx: Tx, term: str) -> int:
        if (kept := self._recall("place", term)) is not None:
            return kept
        found = self._counter.count_scope_term(tx, term, at_most=self._common_count)
        return self._remember("place", term, found)

    @property
    def _common_count(self) -> int:
        """Return in how many chunks a word stands that is surely common."""
        return int(self._chunk_count[1] * COMMON_WORD_MIN_SHARE) + 1

    def _recall(self, kind: str, term: str) -> int | None:
        kept = self._counts.get((kind, term))
        return kept[1] if kept and monotonic() - kept[0] < WORD_COUNT_TTL_SECONDS else None

    def _remember(self, kind: str, term: str, found: int) -> int:
        if len(self._counts) >= WORD_COUNT_CACHE_MAX_WORDS:
            self._counts.clear()
        if found:  # a word that nobody has used yet may be used at any moment, and is then to be found
            self._counts[kind, term] = (monotonic(), found)
        return found
