"""Attitudes: what people say that they are for or against, and whether that was otherwise before."""

import re
from dataclasses import dataclass
from functools import lru_cache

from tertulia.memories import attitude_cues as cues
from tertulia.memories.claims import strip_statement
from tertulia.memories.fact_cues import OPENING_CLAUSE_PATTERN
from tertulia.memories.stances import STANCE_STEMS, TIME_STEMS
from tertulia.memories.thing_stems import find_thing_stems, shorten_stem

#: Whoever turns from something names at least this share of what they said of it.
NAMED_MIN_SHARE = 0.5
PASSED_OVER_STEMS = frozenset(map(shorten_stem, STANCE_STEMS | TIME_STEMS))


@dataclass(frozen=True, slots=True)
class Attitude:
    """That a person is for or against something."""

    thing: frozenset[str]
    is_for: bool
    #: The words say that it was otherwise before.
    is_turn: bool = False
    #: They only say what they do.
    is_habit: bool = False


@lru_cache(8_192)
def parse_attitude(text: str) -> Attitude | None:
    """Return what a person says of themselves that they are for or against."""
    plain = OPENING_CLAUSE_PATTERN.sub("", strip_statement(text).text, count=1)
    if not cues.ATTITUDE_GATE_PATTERN.search(plain):
        return None
    is_update = strip_statement(text).is_update
    for patterns, is_for, says_turn, is_habit in FRAMES:
        if found := next((found for pattern in patterns if (found := pattern.match(plain))), None):
            thing = find_thing(found["thing"])
            return Attitude(thing, is_for, says_turn or is_update, is_habit) if thing else None
    return None


def find_thing(words: str) -> frozenset[str]:
    """Return the stems of what an attitude is about, without when, how often and since when."""
    return find_thing_stems(cues.ASIDE_PATTERN.sub("", words)) - PASSED_OVER_STEMS


def turns_from(new: str, old: str) -> bool:
    """Tell whether a person is now for what they were against, or against what they were for."""
    now, before = parse_attitude(new), parse_attitude(old)
    if now is None or before is None or now.is_for == before.is_for:
        return False
    if now.is_habit or (before.is_habit and not now.is_turn):
        return False
    if now.thing == before.thing:
        return True
    return now.is_turn and now.thing < before.thing and len(now.thing) >= NAMED_MIN_SHARE * len(before.thing)


#: The first that fits counts: patterns, whether they are for it, have turned, and only say what they do.
FRAMES: tuple[tuple[tuple[re.Pattern[str], ...], bool, bool, bool], ...] = (
    (cues.TURNED_AGAINST_PATTERNS, False, True, False),
    (cues.TURNED_TO_PATTERNS, True, True, False),
    (cues.AGAINST_PATTERNS, False, False, False),
    (cues.FOR_PATTERNS, True, False, False),
    (cues.HABIT_PATTERNS, True, False, True),
)
