"""What follows a street in an address: its unit, town, state, code and country."""

import re
from itertools import takewhile

from tertulia.entities.address_words import (
    COUNTRY_REGEX,
    NOT_DISTRICT_WORDS,
    NOT_TOWN_WORDS,
    POSTCODE_AREAS,
    STATE_NAMES_REGEX,
    STATES,
)
from tertulia.entities.name_lists import GIVEN_NAMES, PLACE_NAMES

UNIT_PATTERN = re.compile(
    r",?[ ]*(?:(?:apt|apartment|suite|ste|unit|flat|room|rm|bldg|building|floor|fl|lot|office|tower|level"
    r"|block)\b"
    r"\.?[ ]?(?:no\.?[ ]?)?#?[ ]?(?=[\w-]{0,3}\d|[A-Za-z]\b)[A-Za-z0-9-]{1,6}\b|#[ ]?[A-Za-z0-9-]{1,6}\b"
    r"|\d{1,2}(?:st|nd|rd|th)[ ](?:floor|fl)\b\.?)",
    re.IGNORECASE,
)
DIRECTION_PATTERN = re.compile(
    r",?[ ](?:NE|NW|SE|SW|N|S|E|W|North|South|East|West|North(?:east|west)|South(?:east"
    r"|west))\b(?!['\u2019])\.?(?=[ ,.;:!?)]|$)"
)
STATE_PATTERN = re.compile(rf",?[ ]*(?:([A-Z]{{2,3}})\b|(?:{STATE_NAMES_REGEX})\b)")
ZIP_PATTERN = re.compile(r",?[ ]+(?:\d{5}(?:-\d{4})?|\d{6})(?![\w-]|[.,]\d|[ ]\d)")
POSTCODE_REGEX = r"(?:GIR ?0AA|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d)\b"
#: By itself, a Canadian one has its space: without, it is a name of something else.
LONE_POSTCODE_REGEX = (
    r"(?:GIR ?0AA|(?P<area>[A-Z]{1,2})\d[A-Z\d]? ?\d[A-Z]{2}|[ABCEGHJKLMNPRSTVXY]\d[A-Z] \d[A-Z]\d)\b"
)
POSTCODE_PATTERN = re.compile(rf",?[ ]*{POSTCODE_REGEX}", re.IGNORECASE)
#: The first half of a British postcode, as people give it with a town.
OUTWARD_CODE_PATTERN = re.compile(r",?[ ](?P<area>[A-Z]{1,2})\d{1,2}[A-Z]?(?![\w-]|[.,:]\d|[ ]\d)")
AUSTRALIAN_CODE_PATTERN = re.compile(r",?[ ]*(?:NSW|VIC|QLD|TAS|ACT|SA|WA|NT)[ ]\d{4}(?![\w-]|[.,]\d)")
COUNTRY_PATTERN = re.compile(rf",?[ ]+(?:{COUNTRY_REGEX})(?!\w)")
ANY_CASE_TOWN_PATTERN = re.compile(r",?[ ]{1,2}(?P<first>[^\W\d_]+)(?:[ ](?P<second>[^\W\d_]+))?(?!\w)")
TOWN_NAMES = frozenset(name.casefold() for name in PLACE_NAMES if name != "Nice")
#: Towns whose districts of the post have a number: "Dublin 1".
NUMBERED_TOWN_PATTERN = re.compile(r",?[ ]Dublin[ ]\d{1,2}W?(?![\w-]|[.,:]\d)")
CENTRE_PATTERN = re.compile(r",?[ ](?:city|town)[ ](?:centre|center)\b", re.IGNORECASE)
#: A town: up to four words in capitals, small ones between.
TOWN_REGEX = (
    r"(?:(?:St|Ste|Ft|Mt|Bad)\.?(?=[ ])|[A-ZÀ-Ý][\w'\u2019-]*)(?:[ ](?:(?:upon|on|of|de|del|la|las|los|am"
    r"|an|der|den|im|le|les|sur|the|y)[ ]){0,2}"
    r"[A-ZÀ-Ý][\w'\u2019-]+){0,3}"
)
TOWN_PATTERN = re.compile(rf"(?:,[ ]*|[ ]*\n[ ]*)({TOWN_REGEX})")
BARE_TOWN_PATTERN = re.compile(rf"[ ]({TOWN_REGEX})")
#: Continental style: the code comes before the town.
CODE_AND_TOWN_PATTERN = re.compile(
    rf"(?:,[ ]*|[ ]+|[ ]*\n[ ]*)(?:[A-Z]{{1,2}}-)?(?:\d{{4,5}}|\d{{4}} ?[A-Z]{{2}})[ ]+{TOWN_REGEX}"
)
#: What may follow a town: the end of what is said, or words that go on about something else.
AFTER_TOWN_PATTERN = re.compile(r"\s*(?:$|[.,;:!?()\]\"”\n\u2013—-]|[a-zà-ÿ]|\d)")
#: What people do: the name before it is theirs.
DEED_PATTERN = re.compile(
    r"[ ](?:will|would|can|could|has|had|said|says|told|called|calls|asked|wants|wanted|came|went|likes"
    r"|thinks|thought|knows|does|did|gave|got|took|made|makes|needs|needed|was|were|lives|works|sent"
    r"|and[ ]I)\b"
)
#: Codes of the post end what is said of a town.
CODE_PATTERNS = (POSTCODE_PATTERN, AUSTRALIAN_CODE_PATTERN, CODE_AND_TOWN_PATTERN, ZIP_PATTERN)
ADDRESS_PARTS_MAX = 7


def read_address_tail(text: str, position: int) -> int:
    """Return where an address ends whose street ends at a position."""
    for _ in range(ADDRESS_PARTS_MAX):
        if end := read_code(text, position):
            country = COUNTRY_PATTERN.match(text, end)
            return country.end() if country else end
        end = read_address_part(text, position)
        if end == position:
            break
        position = end
    return position


def read_code(text: str, position: int) -> int:
    """Return where a code of the post ends, with its town if that follows; zero where none stands here."""
    codes = (pattern.match(text, position) for pattern in CODE_PATTERNS)
    return next((found.end() for found in codes if found), 0)


def read_address_part(text: str, position: int) -> int:
    """Return where the next part of an address ends; the position itself where there is none."""
    for pattern in (UNIT_PATTERN, CENTRE_PATTERN, NUMBERED_TOWN_PATTERN):
        if found := pattern.match(text, position):
            return found.end()
    if end := read_outward_code(text, position) or read_state(text, position):
        return end
    for pattern in (COUNTRY_PATTERN, DIRECTION_PATTERN):
        if found := pattern.match(text, position):
            return found.end() - found[0].endswith(".") * (pattern is DIRECTION_PATTERN)
    return read_town(text, position) or read_known_town(text, position) or position


def read_known_town(text: str, position: int) -> int:
    """Return where a large town ends that is named right here, in whichever letters; zero for none."""
    found = ANY_CASE_TOWN_PATTERN.match(text, position)
    if found is None:
        return 0
    first, both = found["first"], f"{found['first']} {found['second'] or ''}".strip()
    if both.casefold() in TOWN_NAMES:
        return found.end()
    is_before_code = first.casefold() not in NOT_TOWN_WORDS and POSTCODE_PATTERN.match(
        text, found.end("first")
    )
    return found.end("first") if first.casefold() in TOWN_NAMES or is_before_code else 0


def read_outward_code(text: str, position: int) -> int:
    """Return where the first half of a British postcode ends; zero where none stands right here."""
    found = OUTWARD_CODE_PATTERN.match(text, position)
    return found.end() if found and found["area"] in POSTCODE_AREAS else 0


def read_state(text: str, position: int) -> int:
    """Return where a state ends that is named right here; zero where there is none."""
    found = STATE_PATTERN.match(text, position)
    return found.end() if found and (found[1] is None or found[1] in STATES) else 0


def read_town(text: str, position: int) -> int:
    """Return where a town ends that is named right here; zero where there is none."""
    if found := TOWN_PATTERN.match(text, position):
        end = trim_town(found[1], found.start(1))
        return end if end and is_town_end(text, end) else 0
    # Without a comma, only a state or a code after it tells that this is a town.
    found = BARE_TOWN_PATTERN.match(text, position)
    if found is None:
        return 0
    words = list(re.finditer(r"\S+", found[1]))
    for word in reversed(words):
        end = found.start(1) + word.end()
        if is_town(found[1][: word.end()]) and has_region_after(text, end):
            return end
    if text[position - 1] != "." and is_district(found[1]) and is_town_end(text, found.end()):
        return found.end()
    # "123 Main St Springfield IL": the state was taken for a part of the town's name.
    for word in words[1:]:
        end = found.start(1) + words[words.index(word) - 1].end()
        if word[0].strip(".,") in STATES and is_town(found[1][: end - found.start(1)]):
            return end
    return 0


def trim_town(name: str, start: int) -> int:
    """Return where the name of a town ends, without a state after it or a full stop; zero if it is none."""
    words = list(takewhile(lambda word: not any(char.isdigit() for char in word), name.split(" ")))
    while len(words) > 1 and words[-1].strip(".") in STATES:
        words.pop()
    bare = " ".join(words).rstrip(".'\u2019-")
    return start + len(bare) if bare and is_town(bare) else 0


def is_town(name: str) -> bool:
    """Tell whether words in capitals may name a town, and nobody."""
    first = name.split(" ", maxsplit=1)[0].casefold().rstrip(".")
    is_person = first in GIVEN_NAMES and name not in PLACE_NAMES
    return first not in NOT_TOWN_WORDS and not is_person


def is_district(name: str) -> bool:
    """Tell whether words in capitals right after a street name its district.

    "Newmarket Road Fen Ditton" does; in "Abbey Road Studios" and "Mill Road Anna Smith" there is none.
    """
    words = [word.casefold().rstrip(".") for word in name.split(" ")]
    return is_town(name) and name.replace(" ", "").isalpha() and NOT_DISTRICT_WORDS.isdisjoint(words)


def is_town_end(text: str, end: int) -> bool:
    """Tell whether a town's name may end here."""
    if has_region_after(text, end):
        return True
    return AFTER_TOWN_PATTERN.match(text, end) is not None and DEED_PATTERN.match(text, end) is None


def has_region_after(text: str, end: int) -> bool:
    """Tell whether a state or a code follows."""
    return bool(read_state(text, end) or ZIP_PATTERN.match(text, end) or POSTCODE_PATTERN.match(text, end))
