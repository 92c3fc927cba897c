"""The words of a query, and where they stand in a text."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from tertulia.models.ranking import stem
from tertulia.retrieval.question import Question

#: A stem may have an ending of so many letters.
LONGEST_ENDING = 4
#: Words with no more than this between them are neighbours.
BETWEEN = 3
#: Places of one word that are looked at; that it stands there at all is what counts most.
MOST_PLACES = 8


@dataclass(frozen=True, slots=True)
class Asked:
    """The words of a query in the form in which they are compared."""

    words: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]

    @classmethod
    def of(cls, question: Question) -> "Asked":
        """Return the words of a question."""
        words = tuple(stem(word) for word in question.words)
        return cls(words, frozenset(pairwise(words)))

    def met_in(self, text: str) -> list[str]:
        """Return the query's words in the order of a text, with nothing in the place of all others."""
        small = text.lower()
        shown = text if len(text) == len(small) else small
        places = sorted(
            (start, end, word) for word in set(self.words) for start, end in standing(word, small, shown)
        )
        met: list[str] = []
        last = 0
        for start, end, word in places:
            if start - last > BETWEEN:
                met.append("")
            met.append(word)
            last = end
        return met


def standing(word: str, small: str, shown: str) -> Iterator[tuple[int, int]]:
    """Yield where a word stands in a text in small letters: alone, with an ending, or as part of a name.

    Plain searches are many times quicker than one pattern for all words. `shown` is
    the text as it is written: there a capital begins the next part of a name.
    """
    found = small.find(word)
    for _ in range(MOST_PLACES):
        if found < 0:
            return
        end = end_of(found + len(word), small, shown)
        if end and begins(found, small, shown):
            yield found, end
        found = small.find(word, found + 1)


def begins(place: int, small: str, shown: str) -> bool:
    """Tell whether a word, or a part of a name, begins at a place."""
    return (
        not place or not small[place - 1].isalnum() or (shown[place].isupper() and shown[place - 1].islower())
    )


def end_of(place: int, small: str, shown: str) -> int:
    """Return where the word ends whose stem ends at a place; 0 when it goes on for too long."""
    for end in range(place, min(place + LONGEST_ENDING, len(small)) + 1):
        if end == len(small) or not small[end].isalnum() or shown[end].isupper():
            return end
    return 0
