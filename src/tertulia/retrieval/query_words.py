"""The words of a query, and where they stand in a text."""

from dataclasses import dataclass
from itertools import pairwise

from tertulia.core.word_stems import stem
from tertulia.retrieval.query_parser import ParsedQuery

#: A stem may have an ending of so many letters.
WORD_ENDING_MAX_CHARS = 4
#: Words with no more than this between them are neighbours.
ADJACENT_WORDS_GAP_MAX_CHARS = 3
#: Places of one word that are looked at; that it stands there at all is what counts most.
WORD_OCCURRENCES_MAX = 8


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words of a query in the form in which they are compared."""

    words: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, query: ParsedQuery) -> "QueryWords":
        """Return the words of a question."""
        words = tuple(stem(word) for word in query.words)
        return cls(words, frozenset(pairwise(words)))

    def match_in(self, text: str) -> tuple[str, ...]:
        """Return the query's words in the order of a text, with nothing in the place of all others."""
        small = text.lower()
        shown = text if len(text) == len(small) else small
        places = sorted(
            place
            for word in set(self.words)
            if word in small
            for place in find_occurrences(word, small, shown)
        )
        met: list[str] = []
        last = 0
        for start, end, word in places:
            if start - last > ADJACENT_WORDS_GAP_MAX_CHARS:
                met.append("")
            met.append(word)
            last = end
        return tuple(met)


def find_occurrences(word: str, lowered: str, original: str) -> list[tuple[int, int, str]]:
    """Return where a word stands in a text in small letters: alone, with an ending, or as part of a name.

    Plain searches are many times quicker than one pattern for all words. `original` is
    the text as it is written: there a capital begins the next part of a name.
    """
    places: list[tuple[int, int, str]] = []
    start = lowered.find(word)
    for _ in range(WORD_OCCURRENCES_MAX):
        if start < 0:
            break
        if is_word_start(start, lowered, original) and (
            end := word_end(start + len(word), lowered, original)
        ):
            places.append((start, end, word))
        start = lowered.find(word, start + 1)
    return places


def is_word_start(position: int, lowered: str, original: str) -> bool:
    """Tell whether a word, or a part of a name, begins at a place."""
    return (
        not position
        or not lowered[position - 1].isalnum()
        or (original[position].isupper() and original[position - 1].islower())
    )


def word_end(position: int, lowered: str, original: str) -> int:
    """Return where the word ends whose stem ends at a place; 0 when it goes on for too long."""
    ending = lowered[position : position + WORD_ENDING_MAX_CHARS + 1]
    for end, letter in enumerate(ending, position):
        if not letter.isalnum() or original[end].isupper():
            return end
    return len(lowered) if len(ending) <= WORD_ENDING_MAX_CHARS else 0
