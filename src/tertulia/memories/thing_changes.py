"""Changes of a thing's time or figure, however it was said before, and what was looked for and is found."""

import re
from dataclasses import dataclass
from functools import lru_cache

from tertulia.memories import claim_cues as cues
from tertulia.memories.claims import strip_statement
from tertulia.memories.thing_stems import find_thing_stems
from tertulia.memory.worth_cues import WEEKDAY_REGEX

TIME_REGEX = (
    rf"(?:(?:next |this |every )?(?:{WEEKDAY_REGEX})s?|(?:the )?\d{{1,2}}(?:st|nd|rd|th|\.)?"
    rf"(?: of)? (?:{cues.MONTH_REGEX})(?:,? \d{{4}})?|(?:end of |early |mid |late "
    rf"|mid-)?(?:{cues.MONTH_REGEX})\b"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?|\d{1,2}[:.]\d\d(?: ?[ap]\.?m\b\.?)?|\d{1,2} ?[ap]m|\d{4}-\d\d-\d\d|noon"
    r"|midnight"
    r"|(?:the )?\d{1,2}(?:st|nd|rd|th)|next (?:week|month|year)|q[1-4]|\d{1,2} uhr)"
)
TIME_PATTERN = re.compile(rf"(?<!\w)(?:(?:in|on|at|by|for|until|from) )?{TIME_REGEX}(?!\w)", re.IGNORECASE)
FIGURE_PATTERN = re.compile(
    rf"(?<![\w.])[$€£]?(?:{cues.NUMBER_WORD_REGEX}|once|twice)(?P<unit>%|k\b|(?: (?!to\b|from\b|and\b)[a-z]+"
    r"(?: (?:of|a|an|per) [a-z]+){0,2})?)",
    re.IGNORECASE,
)
#: "I'm down to 79 kilos": the unit is the thing.
OWN_AMOUNT_PATTERN = re.compile(
    r"(?:i|we)(?:'m|'ve|'re| am| are| have)?(?: \w+)?(?: (?:cut|gone|come|got|gotten|went|dropped|scaled"
    r"|slimmed"
    r"|been|reduced|increased|switched|moved))?(?: back| down| up)+ to (?P<value>\S.*)$",
    re.IGNORECASE,
)
SOUGHT_PATTERN = re.compile(
    r"(?:i|we)(?:'m|'re| am| are)?(?: \w+)? (?:looking|searching|hunting|shopping|saving(?: up)?|waiting"
    r"|in the market|applying|hoping|on the lookout) (?:for|to (?:find|buy|get)) (?P<thing>[^,;.]{2,50})",
    re.IGNORECASE,
)
FOUND_PATTERN = re.compile(
    r"(?:i|we)(?:'ve| have)?(?: (?:just|finally|already|now))* (?:found|got|bought|landed|adopted|received"
    r"|signed"
    r"|hired|booked|accepted) (?P<thing>(?:an?|the|my|our|two|some) [^,;.]{2,60})",
    re.IGNORECASE,
)
#: What happens to a thing at its time or in its amount, and says nothing of which it is.
GENERIC_TEXT = (
    "leave leaves depart departs departure start starts begin begins be is are was were will plan planned"
    " planning"
    " schedule scheduled set have has take takes place go goes do arrive arrives end ends last due hold held"
    " meet"
    " meets meeting happen happens cost costs run runs open opens close closes land lands drink eat weigh"
    " work earn"
    " pay sleep smoke walk expire expires currently now the my our per we get mid early late end"
)
GENERIC_STEMS = find_thing_stems(GENERIC_TEXT)
TITLE_STEMS = frozenset(("dr", "mr", "mrs", "ms", "prof"))


@dataclass(frozen=True, slots=True)
class ThingChange:
    """That a thing has another time or figure than before."""

    thing: frozenset[str]
    value: str
    is_time: bool


def changes_value(new: str, old: str) -> bool:
    """Tell whether a statement gives a thing another time or figure than an old one does."""
    change = parse_change(new)
    if change is None:
        return False
    said = strip_statement(old).text
    pattern = TIME_PATTERN if change.is_time else FIGURE_PATTERN
    values = [found[0] for found in pattern.finditer(said)]
    if not values or change.value.casefold() in map(str.casefold, values):
        return False
    rest = _find_thing(pattern.sub(" ", said)) if change.is_time else _find_thing(said) - _numbers(values)
    return change.thing <= rest and not rest - change.thing - GENERIC_STEMS


@lru_cache(8_192)
def parse_change(text: str) -> ThingChange | None:
    """Return the thing of which a statement says that its time or figure was changed."""
    plain = strip_statement(text).text
    if own := OWN_AMOUNT_PATTERN.match(plain):
        return _read_amount(own["value"])
    if found := cues.CHANGED_THING_PATTERN.match(plain):
        return _read_change(found["thing"], found["value"])
    if found := cues.CHANGE_PATTERN.search(plain):
        return _read_change(plain[: found.start()], plain[found.end() :])
    return None


def finds_sought(new: str, old: str) -> bool:
    """Tell whether somebody has found what they said that they look for."""
    sought = SOUGHT_PATTERN.match(strip_statement(old).text)
    found = FOUND_PATTERN.match(strip_statement(new).text) if sought else None
    if sought is None or found is None:
        return False
    wanted = _find_thing(sought["thing"]) - GENERIC_STEMS
    return bool(wanted) and wanted <= _find_thing(found["thing"])


def change_words(text: str) -> frozenset[str]:
    """Return the stems by which a change is looked up, and what it changes."""
    change = parse_change(text)
    sought = SOUGHT_PATTERN.match(strip_statement(text).text) or FOUND_PATTERN.match(
        strip_statement(text).text
    )
    found = _find_thing(sought["thing"]) if sought else frozenset[str]()
    return (change.thing if change else frozenset[str]()) | found


def valued_words(text: str) -> frozenset[str]:
    """Return the stems of a short statement with a time or a figure, by which a change of it is found."""
    plain = strip_statement(text).text
    if not (TIME_PATTERN.search(plain) or FIGURE_PATTERN.search(plain)):
        return frozenset()
    return _find_thing(TIME_PATTERN.sub(" ", plain)) - GENERIC_STEMS


def _read_change(thing: str, value: str) -> ThingChange | None:
    stems = _find_thing(thing)
    if not stems:
        return None
    if time := TIME_PATTERN.match(value):
        return ThingChange(stems, time[0], is_time=True)
    if figure := FIGURE_PATTERN.match(value):
        unit = _find_thing(figure["unit"]) if figure["unit"].startswith(" ") else frozenset[str]()
        return ThingChange(stems | unit, figure[0], is_time=False)
    return None


def _read_amount(value: str) -> ThingChange | None:
    figure = FIGURE_PATTERN.match(value)
    if figure is None:
        return None
    unit = _find_thing(figure["unit"])
    return ThingChange(unit, figure[0], is_time=False) if unit else None


def _find_thing(words: str) -> frozenset[str]:
    return frozenset(stem for stem in find_thing_stems(words) if not stem.isdigit()) - TITLE_STEMS


def _numbers(values: list[str]) -> frozenset[str]:
    return find_thing_stems(" ".join(value.split()[0] for value in values if value.split()))
