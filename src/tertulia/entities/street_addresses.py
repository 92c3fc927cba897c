"""Addresses as they are written in English: a number, a street, and what follows."""

import re
from collections.abc import Iterator

from tertulia.entities.address_cues import ADDRESS_CUE_PATTERN, POSTCODE_CUE_PATTERN, is_announced
from tertulia.entities.address_tails import (
    LONE_POSTCODE_REGEX,
    has_region_after,
    read_address_tail,
    read_town,
)
from tertulia.entities.address_units import start_with_unit
from tertulia.entities.address_words import (
    ALL_STREET_KINDS,
    ARTICLE_STREET_KINDS,
    COUNTED_WORDS,
    DIRECTIONS,
    JOINING_WORDS,
    LEADING_STREET_KINDS,
    POSTCODE_AREAS,
    STREET_KINDS,
    WHOLE_STREET_NAMES,
)
from tertulia.entities.announced_addresses import find_announced_addresses
from tertulia.entities.domain import EntityMention, EntityType
from tertulia.entities.european_addresses import find_european_addresses
from tertulia.entities.named_streets import find_named_streets

#: The number of a house: digits, a range of them, a letter after; or a small one in letters.
HOUSE_NUMBER_PATTERN = re.compile(
    r"(?<![\w$€£.,:/#+-])(?:\d{1,6}(?:(?:[-\u2013/]|[ ][-\u2013][ ])\d{1,5})?[A-Za-z]?"
    r"(?:[ ]1/2)?|(?:One|Two|Three|Four|Five"
    r"|Ten)(?=[ ][A-Z])),?(?=[ ])"
)
STREET_WORD_PATTERN = re.compile(r"[ ]{1,2}((?:[^\W_]|['\u2019&-])+\.?)")
#: A street that is but its kind: "6 The Crescent".
ARTICLE_STREET_PATTERN = re.compile(r"[ ]The[ ]([A-Z][a-z]+)\b")
LETTER_STREET_PATTERN = re.compile(r"[ ][A-Z][ ](?:Street|St|Avenue|Ave|Road|Rd)\b")
#: A letter between the names of whom a street is called after: "500 Terry A Francois Blvd".
MIDDLE_INITIAL_PATTERN = re.compile(r"[ ][A-Z]\.?[ ](?=[A-Z][a-z])")
STREET_NAME_MAX_WORDS = 6
POST_BOX_PATTERN = re.compile(r"\b(?:P\.?[ ]?O\.?[ ]?Box|Postfach|Apartado)[ ]\d{1,7}\b", re.IGNORECASE)
LONE_POSTCODE_PATTERN = re.compile(rf"(?<![\w-]){LONE_POSTCODE_REGEX}(?![\w-])", re.IGNORECASE)


def find_addresses(text: str) -> Iterator[EntityMention]:
    """Yield the addresses of a text; some may overlap."""
    spans = {*find_numbered_streets(text), *find_named_streets(text), *find_european_addresses(text)}
    spans |= {*find_announced_addresses(text)}
    spans |= {
        (found.start(), read_address_tail(text, found.end())) for found in POST_BOX_PATTERN.finditer(text)
    }
    spans |= {found.span() for found in LONE_POSTCODE_PATTERN.finditer(text) if is_postcode(text, found)}
    for start, end in sorted(spans):
        value = text[start:end].rstrip(" ,.")
        yield EntityMention(EntityType.ADDRESS, value, normalise_address(value), start, start + len(value))


def is_postcode(text: str, found: re.Match[str]) -> bool:
    """Tell whether letters and digits are a British postcode: in capitals, or where they are called one."""
    is_called_one = is_announced(text, found.start(), POSTCODE_CUE_PATTERN)
    is_area = found["area"] is None or found["area"].upper() in POSTCODE_AREAS
    return is_area and len(found[0]) >= 5 and (found[0].isupper() or is_called_one)


def find_numbered_streets(text: str) -> Iterator[tuple[int, int]]:
    """Yield where addresses stand that begin with the number of a house."""
    for number in HOUSE_NUMBER_PATTERN.finditer(text):
        if end := read_street(text, number.end()) or read_article_street(text, number.end()):
            yield start_with_unit(text, number.start()), read_address_tail(text, end)
        elif end := read_street_without_kind(text, number):
            yield number.start(), read_address_tail(text, end)


def read_article_street(text: str, position: int) -> int:
    """Return where a street ends whose name is its kind with an article; zero where none begins here."""
    found = ARTICLE_STREET_PATTERN.match(text, position)
    return found.end() if found and found[1].casefold() in ARTICLE_STREET_KINDS else 0


def read_street(text: str, position: int) -> int:
    """Return where a street with its kind ends; zero where none begins here."""
    end, is_named, is_capital = 0, False, True
    for word, word_end in read_street_words(text, position):
        bare = word.casefold().rstrip(".")
        if not end and not is_named and bare in LEADING_STREET_KINDS:
            end = read_street_after_kind(text, word_end) or end
            if end:
                return end
        if not is_named and bare in WHOLE_STREET_NAMES and word[0].isupper():
            end = word_end - word.endswith(".")
        if (
            is_named
            and bare in ALL_STREET_KINDS
            and (bare in STREET_KINDS or (is_capital and word[0].isupper()))
        ):
            end = word_end - (word.endswith(".") and not is_abbreviation(word))
            if word.endswith(".") and not continues_address(text, word_end):
                return end - word.endswith(".") if end == word_end else end
        is_small = bare in JOINING_WORDS or bare in DIRECTIONS
        is_capital = is_capital and (is_small or word[0].isupper() or word[0].isdigit())
        is_named = is_named or bare not in JOINING_WORDS
    return end


def read_street_words(text: str, position: int) -> Iterator[tuple[str, int]]:
    """Yield the words that may be the name of a street, and where each ends."""
    for number in range(STREET_NAME_MAX_WORDS):
        found = STREET_WORD_PATTERN.match(text, position)
        if found is None:
            return
        word, bare = found[1], found[1].casefold().rstrip(".")
        is_small = bare in COUNTED_WORDS and not (number and bare in JOINING_WORDS)
        is_name = (bare in ALL_STREET_KINDS and word[0].isupper()) or is_letter_street(text, found)
        is_name = is_name or (number > 0 and MIDDLE_INITIAL_PATTERN.match(text, found.start()) is not None)
        if (is_small and not is_name and bare not in DIRECTIONS) or word.isdigit():
            return
        yield word, found.end()
        if word.endswith(".") and not is_abbreviation(word):
            return
        position = found.end()


def is_letter_street(text: str, word: re.Match[str]) -> bool:
    """Tell whether a street is called by one letter: "401 I Street"."""
    return LETTER_STREET_PATTERN.match(text, word.start()) is not None


def is_abbreviation(word: str) -> bool:
    """Tell whether the full stop after a word belongs to it."""
    bare = word.rstrip(".").casefold()
    return len(bare) <= 4 and (
        bare in ALL_STREET_KINDS
        or bare in DIRECTIONS
        or bare in {"st", "jr", "dr", "mt", "ft"}
        or len(bare) == 1
    )


def continues_address(text: str, position: int) -> bool:
    """Tell whether an address goes on after an abbreviation with its full stop."""
    return read_address_tail(text, position) > position or text[position : position + 1] == ","


def read_street_after_kind(text: str, position: int) -> int:
    """Return where a street ends that has its kind before its name: "Avenue of the Americas", "Highway 9"."""
    found = re.compile(
        r"(?:[ ](?:of[ ]the|of|de[ ]la|de|del|la|el)[ ][A-Z][\w'\u2019]+(?:[ ][A-Z][\w'\u2019]+)?|"
        r"[ ](?:Road|Route|Highway)[ ]\d{1,4}|[ ][A-Z0-9]{1,4}\b"
        r"|[ ](?:Real|[A-Z][\w'\u2019]+)(?:[ ][A-Z][\w'\u2019]+)?)"
    ).match(text, position)
    return found.end() if found else 0


def read_street_without_kind(text: str, number: re.Match[str]) -> int:
    """Return where a street without its kind ends: only after words that announce it, or before a region."""
    if not number[0][0].isdigit():
        return 0
    end, count = 0, 0
    for word, word_end in read_street_words(text, number.end()):
        is_measure = word.isupper() and len(word) <= 3 and word.isalpha()
        if is_measure or not (word[0].isupper() or word[0].isdigit()) or count >= 3:
            break
        end, count = word_end - word.endswith("."), count + 1
    if not end:
        return 0
    town = read_town(text, end)
    if town and has_region_after(text, town):
        return end
    return end if is_announced(text, number.start(), ADDRESS_CUE_PATTERN) else 0


def normalise_address(value: str) -> str:
    """Return an address as it is compared: small letters, common abbreviations written out, no marks."""
    words = re.sub(r"[^\w#]+", " ", value.casefold()).split()
    return " ".join(FULL_WORDS.get(word, word) for word in words)


FULL_WORDS = {
    "st": "street",
    "ave": "avenue",
    "av": "avenue",
    "rd": "road",
    "blvd": "boulevard",
    "ln": "lane",
    "dr": "drive",
    "ct": "court",
    "pl": "place",
    "sq": "square",
    "hwy": "highway",
    "pkwy": "parkway",
    "apt": "apartment",
    "ste": "suite",
    "n": "north",
    "s": "south",
    "e": "east",
    "w": "west",
    "str": "straße",
    "strasse": "straße",
    "c": "calle",
    "avda": "avenida",
}
