"""The words of a query, and where they stand in a text."""

from dataclasses import dataclass
from itertools import pairwise

from tertulia.core.word_stems import stem
from tertulia.retrieval.accents import strip_accents
from tertulia.retrieval.index_words import UNSPACED_SCRIPTS_START, split_unspaced
from tertulia.retrieval.query_parser import ParsedQuery

#: A stem may have an ending of so many letters.
WORD_ENDING_MAX_CHARS = 4
#: Shorter words stand whole, but for the plural of those of three letters: every syllable begins some word.
INFLECTED_WORD_MIN_CHARS = 4
SHORT_PLURAL_CHARS = 3
#: A word of fewer letters may stand anywhere by chance, and so may a syllable of Japanese.
TELLING_WORD_MIN_CHARS = 4
TELLING_NUMBER_MIN_CHARS = 3
HIRAGANA = ("\u3040", "\u309f")
#: A word of fewer letters alone makes no strong match.
STRONG_WORD_MIN_CHARS = 3
#: Words with no more than this between them are neighbours.
ADJACENT_WORDS_GAP_MAX_CHARS = 3
#: Places of one word that are looked at; that it stands there at all is what counts most.
WORD_OCCURRENCES_MAX = 8
#: And of one that other words have in them.
SHORT_WORD_OCCURRENCES_MAX = 40


@dataclass(frozen=True, slots=True)
class QueryWords:
    """The words of a query in the form in which they are compared."""

    words: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    #: Those that say what it is about; all of them where none does.
    topic: frozenset[str]
    #: Those that stand in the place of others that the index does not have.
    corrected: frozenset[str]

    @classmethod
    def of(cls, query: ParsedQuery) -> "QueryWords":
        """Return the words of a question."""
        words = tuple(map(fold_word, query.words))
        corrected = frozenset(map(fold_word, query.corrected))
        topic = {fold_word(part) for word in query.topic for part in split_unspaced(word.lower())}
        said = (topic | corrected).intersection(words)
        return cls(words, frozenset(pairwise(words)), frozenset(said or words), corrected)

    def match_in(self, text: str) -> tuple[str, ...]:
        """Return the query's words in the order of a text, with nothing in the place of all others."""
        text = strip_accents(text)
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


def fold_word(word: str) -> str:
    """Return a word in the form in which it is compared: without accents and ending."""
    return stem(strip_accents(word))


def is_unspaced(word: str) -> bool:
    """Tell whether a word is of a script that puts no spaces between words."""
    return max(word) >= UNSPACED_SCRIPTS_START


def is_telling(word: str) -> bool:
    """Tell whether a text that has a word has it hardly by chance."""
    if is_unspaced(word):
        return len(word) > 1 and not all(HIRAGANA[0] <= letter <= HIRAGANA[1] for letter in word)
    return len(word) >= (TELLING_NUMBER_MIN_CHARS if word.isdigit() else TELLING_WORD_MIN_CHARS)


def is_strong(word: str) -> bool:
    """Tell whether a word is long enough to make a match strong."""
    return is_unspaced(word) or len(word) >= STRONG_WORD_MIN_CHARS


def find_occurrences(word: str, lowered: str, original: str) -> list[tuple[int, int, str]]:
    """Return where a word stands in a text in small letters: alone, with an ending, or as part of a name.

    Plain searches are many times quicker than one pattern for all words. `original` is
    the text as it is written: there a capital begins the next part of a name.
    """
    places: list[tuple[int, int, str]] = []
    anywhere = is_unspaced(word)
    is_short = len(word) < INFLECTED_WORD_MIN_CHARS
    start = lowered.find(word)
    for _ in range(SHORT_WORD_OCCURRENCES_MAX if is_short else WORD_OCCURRENCES_MAX):
        if start < 0:
            break
        after = start + len(word)
        if anywhere:
            places.append((start, after, word))
        elif is_word_start(start, lowered, original) and (
            end := word_end(after, lowered, original, endings=ending_letters(word))
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


def ending_letters(word: str) -> int:
    """Return how many letters may follow a stem."""
    if len(word) >= INFLECTED_WORD_MIN_CHARS:
        return WORD_ENDING_MAX_CHARS
    return int(len(word) == SHORT_PLURAL_CHARS)


def word_end(position: int, lowered: str, original: str, *, endings: int) -> int:
    """Return where the word ends whose stem ends at a place; 0 when it goes on for too long."""
    ending = lowered[position : position + endings + 1]
    if endings == 1 and ending[:1].isalnum() and ending[:1] != "s" and original[position].islower():
        return 0
    for end, letter in enumerate(ending, position):
        if not letter.isalnum() or original[end].isupper():
            return end
    return len(lowered) if len(ending) <= endings else 0
