"""What is said in plain English words and figures, and where each of them stands in what was said."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from tertulia.core.word_sets import word_set
from tertulia.dates.english_words import ENGLISH_WORDS
from tertulia.dates.french_words import FRENCH_CUES, FRENCH_WORDS
from tertulia.dates.german_words import GERMAN_CUES, GERMAN_WORDS
from tertulia.dates.spanish_words import SPANISH_CUES, SPANISH_WORDS
from tertulia.dates.word_tables import WordTable

WORD_PATTERN = re.compile(r"\d+|[^\W\d_]+(?:['\u2019][^\W\d_]+)*|\S")
PHRASE_MAX_WORDS = 6
#: So many words of a language, and more than half of all, tell it.
KNOWN_MIN_WORDS = 2
#: Words of English, too.
ENGLISH_LOOKALIKES = word_set("a am an die do fin in lang mes mi on once primer sept six so tag uno")
LANGUAGES: tuple[tuple[frozenset[str], WordTable], ...] = (
    (GERMAN_CUES, GERMAN_WORDS),
    (SPANISH_CUES, SPANISH_WORDS),
    (FRENCH_CUES, FRENCH_WORDS),
)
#: Short forms that may end with a full stop which ends no sentence.
SHORT_WORDS = word_set("""
    jan feb mar apr jun jul aug sep sept oct okt nov dec dez mon tue tues wed weds thu thur thurs fri
    sat sun
""")
UNIT_TEXT = (
    "one|first two|second three|third four|fourth five|fifth six|sixth seven|seventh eight|eighth nine|ninth"
)
UNIT_NUMBERS = {
    word: number
    for number, words in enumerate(
        UNIT_TEXT.split(),
        1,
    )
    for word in words.split("|")
}
TENS_NUMBERS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}


@dataclass(frozen=True, slots=True)
class Word:
    """A word in small letters, and where it stands."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text in plain words, and for each of its letters where it comes from."""

    text: str
    original: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where plain words stand in what was said."""
        return self.starts[start], self.ends[end - 1]


def make_plain(text: str) -> PlainText:
    """Return what is said in plain words."""
    words = [Word(found[0].casefold(), *found.span()) for found in WORD_PATTERN.finditer(text)]
    letters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    last_end = 0
    for plain in replace_words(words, choose_table(words)):
        gap = " " if letters and plain.start > last_end else ""
        for part, start, end in ((gap, last_end, plain.start), (plain.text, plain.start, plain.end)):
            letters.append(part)
            starts.extend([start] * len(part))
            ends.extend([end] * len(part))
        last_end = plain.end
    return PlainText("".join(letters), text, tuple(starts), tuple(ends))


def choose_table(words: list[Word]) -> WordTable:
    """Return the words of the language that most of the words are of: English, where none is told."""
    texts = {word.text for word in words if word.text[0].isalpha()}
    hits, table = max(((len(texts & cues), table) for cues, table in LANGUAGES), key=lambda found: found[0])
    if not hits:
        # "le 3 mai": no word of it tells the language by itself, but all of them together do.
        clear = texts - ENGLISH_LOOKALIKES
        counts = ((sum((text,) in table for text in clear), table) for _, table in LANGUAGES)
        known, table = max(counts, key=lambda found: found[0])
        hits = known if known >= KNOWN_MIN_WORDS and known * 2 > len(texts) else 0
    return {**ENGLISH_WORDS, **table} if hits else ENGLISH_WORDS


def replace_words(words: list[Word], table: WordTable) -> Iterator[Word]:
    """Yield the words with their plain forms, of the longest phrases that the table has."""
    index = 0
    while index < len(words):
        count, plain = find_phrase(words, index, table)
        word = words[index]
        last = words[index + count - 1]
        yield Word(plain, word.start, last.end)
        index += count
        if count == 1 and word.text in SHORT_WORDS and is_short_mark(words, index):
            index += 1


def is_short_mark(words: list[Word], index: int) -> bool:
    """Tell whether a full stop right here belongs to the short word before it."""
    return index < len(words) and words[index].text == "." and words[index].start == words[index - 1].end


def find_phrase(words: list[Word], index: int, table: WordTable) -> tuple[int, str]:
    """Return how many words form the longest phrase here, and its plain form; one word stands for itself."""
    if number := read_compound_number(words, index):
        return number
    for count in range(min(PHRASE_MAX_WORDS, len(words) - index), 0, -1):
        key = tuple(word.text for word in words[index : index + count])
        if (plain := table.get(key)) is not None:
            return count, plain
    return 1, unicodedata.normalize("NFC", words[index].text).replace("\u2019", "'")


def read_compound_number(words: list[Word], index: int) -> tuple[int, str] | None:
    """Return a number such as "twenty-five" or "thirty-first" in figures, and how many words say it."""
    tens = TENS_NUMBERS.get(words[index].text)
    if tens is None:
        return None
    step = 2 if index + 2 < len(words) and words[index + 1].text == "-" else 1
    unit = words[index + step].text if index + step < len(words) else ""
    if unit not in UNIT_NUMBERS:
        return None
    is_ordinal = unit.endswith(("st", "nd", "rd", "th"))
    return step + 1, f"{tens + UNIT_NUMBERS[unit]}{'th' if is_ordinal else ''}"
