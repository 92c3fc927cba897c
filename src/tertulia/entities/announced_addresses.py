"""Addresses after words that say so, whatever they are made of: "the address is Lion Yard, Guild Hall"."""

import re
from collections.abc import Iterator

from tertulia.entities.address_tails import read_address_tail, read_known_town
from tertulia.entities.address_words import ALL_STREET_KINDS, COUNTED_WORDS, JOINING_WORDS, NOT_TOWN_WORDS

#: What says that an address follows: not one of e-mail, of the web or of a machine.
ANNOUNCEMENT_PATTERN = re.compile(
    r"(?<![\w-])(?<!mail )(?<!web )(?<!IP )(?<!wallet )"
    r"(?:address(?:[ ]is|[ ]?:|[ ]=)|(?:located|situated)[ ]at)"
    r"[ ]+(?=[A-Za-z\d])",
    re.IGNORECASE,
)
#: One part of it, up to a comma: words in capitals and numbers.
CAPITAL_WORD_REGEX = (
    r"(?:(?:St|Dr|Mt|Ft|Ave|Rd|Blvd|Ln|No)\.|#?\d{1,5}(?!\d)[\w/-]{0,5}|#?[A-Z][\w'\u2019/-]*|[-\u2013])"
)
PART_PATTERN = re.compile(
    rf"(?:(?:off|of|the)[ ])?{CAPITAL_WORD_REGEX}(?:[ ](?:(?:[Oo]ff|of|the)[ ]){{0,2}}{CAPITAL_WORD_REGEX})*"
)
#: With these something else begins to be said.
TURN_REGEX = r"(?:and|with|phone|telephone|tel|postcode|post)\b"
#: The same in small letters, up to where something else is said.
SMALL_PART_PATTERN = re.compile(
    r"[a-z\d][\w'\u2019-]*"
    rf"(?:[ ](?!{TURN_REGEX})[a-z\d][\w'\u2019-]*){{1,7}}"
    rf"(?=[ ]?(?:$|[.,;:!?\n])|[ ]{TURN_REGEX})"
)
PART_SEPARATOR_PATTERN = re.compile(r",[ ]")
WORD_PATTERN = re.compile(r"[\w'\u2019]+")
ANNOUNCED_PARTS_MAX = 6
ANNOUNCED_MIN_WORDS = 2


def find_announced_addresses(text: str) -> Iterator[tuple[int, int]]:
    """Yield where addresses stand that words before them announce."""
    for announced in ANNOUNCEMENT_PATTERN.finditer(text):
        start = announced.end()
        end = _read_parts(text, start) or _read_small(text, start)
        if end and len(WORD_PATTERN.findall(text[start:end])) >= ANNOUNCED_MIN_WORDS:
            yield start, read_address_tail(text, end)


def _read_parts(text: str, start: int) -> int:
    """Return where the last part ends that has a kind of street, a number or its town; zero for none."""
    end, position = 0, start
    for _ in range(ANNOUNCED_PARTS_MAX):
        part = PART_PATTERN.match(text, position)
        if part is None or _begins_anew(part[0]):
            break
        words = [word.casefold() for word in WORD_PATTERN.findall(part[0])]
        if not ALL_STREET_KINDS.isdisjoint(words[1:]) or (end and words[0].isdigit()):
            end = part.end()
        elif end == 0 and (town := read_known_town(text, part.end())):
            return town
        separator = PART_SEPARATOR_PATTERN.match(text, part.end())
        if separator is None:
            break
        position = separator.end()
    return end


def _begins_anew(part: str) -> bool:
    """Tell whether words after a comma speak of something else: "Phone", "Tomorrow"."""
    first = part.partition(" ")[0]
    return first.casefold() in NOT_TOWN_WORDS - {"the", "suite", "unit", "flat", "floor", "apt", "apartment"}


def _read_small(text: str, start: int) -> int:
    """Return where an address in small letters ends; zero where these words name no street."""
    found = SMALL_PART_PATTERN.match(text, start)
    words = found[0].split() if found else []
    is_name = COUNTED_WORDS.isdisjoint(set(words) - JOINING_WORDS - ALL_STREET_KINDS)
    return found.end() if found and is_name and not ALL_STREET_KINDS.isdisjoint(words[1:]) else 0
