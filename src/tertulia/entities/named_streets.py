"""Streets without the number of a house, and corners of two of them."""

import re
from collections.abc import Iterator

from tertulia.entities.address_cues import STREET_CUE_PATTERN, is_announced
from tertulia.entities.address_tails import read_address_tail
from tertulia.entities.address_units import start_with_unit
from tertulia.entities.address_words import COUNTED_WORDS, NOT_DISTRICT_WORDS

NOT_STREET_REGEX = r"(?!(?:On|In|At|The|From|To|My|Our|Is|And|Near|Off|Corner|Wall|No|By|All|It|Its)\b)"
NAMED_STREET_PATTERN = re.compile(
    rf"(?<![\w'\u2019-]){NOT_STREET_REGEX}(?:[A-Z][a-z'\u2019]+|\d{{1,3}}(?:st|nd|rd|th))"
    r"(?:[ ](?:[A-Z][a-z'\u2019.]+|St\.)){0,3}[ ](?:Street|Road|Avenue|Boulevard|Lane|Drive|Crescent"
    r"|Terrace|Rd|Ave|Blvd)\b"
    r"(?![ ](?:Journal|Fighter|View|Trip|Bikes?|Food|Map)\b)"
)
CORNER_STREET_REGEX = (
    r"(?:\d{1,3}(?:st|nd|rd|th)|[A-Z][\w'\u2019]+)(?:[ ](?:Street|Avenue|Road|Lane|St|Ave|Rd|Blvd)\b\.?)?"
)
ORDINAL_STREET_REGEX = (
    r"(?:\d{1,3}(?:st|nd|rd|th)|First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth)"
)
CORNER_PATTERN = re.compile(
    rf"\b(?:[Tt]he[ ])?[Cc]orner[ ]of[ ]{CORNER_STREET_REGEX}[ ](?:and|&)[ ]{CORNER_STREET_REGEX}"
    rf"|(?<=\b(?:at|on)[ ]){ORDINAL_STREET_REGEX}[ ](?:and|&)[ ][A-Z][a-z]+(?:[ ](?:Street|Ave|St)\b)?"
)
#: Kinds of streets that are plain words too: a code after them or the words before tell.
PLAIN_NAMED_STREET_PATTERN = re.compile(
    rf"(?<![\w'\u2019-]){NOT_STREET_REGEX}[A-Z][a-z'\u2019]+(?:[ ][A-Z][a-z'\u2019.]+){{0,4}}"
    r"[ ](?:Way|Place|Parade|Row|Close|Gardens|Court|Walk|Mews|Grove|Quay|Wharf|Circle)\b(?!['\u2019])"
)
#: Streets in small letters, after a word that a place follows.
SMALL_STREET_PATTERN = re.compile(
    r"(?<=\b(?:on|at|is)[ ])(?P<name>(?:[a-z'\u2019]{3,20}[ ]){1,2})(?:street|road|avenue|lane|boulevard)\b"
)
NEXT_WORD_PATTERN = re.compile(r"[ ]([A-Z]\w+)")


def find_named_streets(text: str) -> Iterator[tuple[int, int]]:
    """Yield where addresses stand that have no number of a house."""
    for found in find_streets(text):
        yield start_with_unit(text, found.start()), read_address_tail(text, found.end())


def find_streets(text: str) -> Iterator[re.Match[str]]:
    """Yield the names of streets in a text."""
    for pattern in (NAMED_STREET_PATTERN, CORNER_PATTERN):
        yield from (found for found in pattern.finditer(text) if not names_something_else(text, found.end()))
    for found in PLAIN_NAMED_STREET_PATTERN.finditer(text):
        tail = text[found.end() : read_address_tail(text, found.end())]
        if any(char.isdigit() for char in tail) or is_announced(text, found.start(), STREET_CUE_PATTERN):
            yield found
    for found in SMALL_STREET_PATTERN.finditer(text):
        if COUNTED_WORDS.isdisjoint(found["name"].split()):
            yield found


def names_something_else(text: str, end: int) -> bool:
    """Tell whether the word after a street makes another name of it: "Abbey Road Studios"."""
    found = NEXT_WORD_PATTERN.match(text, end)
    return found is not None and found[1].casefold() in NOT_DISTRICT_WORDS
