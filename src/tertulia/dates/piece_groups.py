"""The parts of an expression in a text: found one by one, and those that belong together side by side."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tertulia.core.text_spans import keep_apart, longest_first
from tertulia.core.word_sets import word_set
from tertulia.dates.clock_phrases import CLOCK_PHRASES
from tertulia.dates.date_phrases import DATE_PHRASES
from tertulia.dates.day_phrases import DAY_PHRASES
from tertulia.dates.length_phrases import LENGTH_PHRASES
from tertulia.dates.nth_day_phrases import NTH_DAY_PHRASES
from tertulia.dates.period_phrases import PERIOD_PHRASES
from tertulia.dates.phrase_patterns import ANY_WEEKDAY_REGEX, ORDINAL_REGEX, Phrase
from tertulia.dates.readings import (
    Occasion,
    Piece,
    SaidDays,
    SaidLength,
    SaidMoment,
    SaidPart,
    SaidRule,
    SaidShift,
    SaidTime,
    SaidZone,
)
from tertulia.dates.rule_phrases import RULE_PHRASES
from tertulia.dates.zone_phrases import ZONE_PHRASES

PHRASES: tuple[Phrase, ...] = (
    *DATE_PHRASES,
    *NTH_DAY_PHRASES,
    *RULE_PHRASES,
    *DAY_PHRASES,
    *PERIOD_PHRASES,
    *LENGTH_PHRASES,
    *CLOCK_PHRASES,
    *ZONE_PHRASES,
)
#: Words and marks that may stand between parts of one expression.
JOINING_WORDS = word_set("""
    at on from by in for about the of starting starts start beginning begins until to between before
    after this due around @ - , ; ( ) . sharp is as
""")
JOINING_WORDS_MAX = 4
#: What stands between two expressions of which nobody knows which one is meant; short weekdays among them.
CHOICE_PATTERN = re.compile(rf"[ ,]*(?:{ANY_WEEKDAY_REGEX}[ ,]*)*(?:or|and|/)[ ,]*(?:on )?")
WEEKDAY_BEFORE_PATTERN = re.compile(rf"(?<!\w){ANY_WEEKDAY_REGEX} ?(?:,|/|and|or)(?: and| or)? ?(?:on )?$")
EXCEPTION_PATTERN = re.compile(r",? (?:except|excluding|but not|apart from|außer|sauf|excepto|salvo)\b")
TOKEN_PATTERN = re.compile(r"\w+|[^\w\s]")
#: Words before an expression that belong to it.
LEADING_PATTERN = re.compile(
    r"(?:(?<![\w'])(?:eod|at|on|by|due|from|in|for|until|starting|beginning|between|about|around|before|the|of"
    r"|to|every"
    r"|this|during)|[@,\u2013(-])[ ]*$"
)


@dataclass(frozen=True, slots=True)
class Group:
    """Parts that stand side by side, each with the words before it that join it to the one before."""

    pieces: tuple[Piece, ...]
    joints: tuple[frozenset[str], ...]

    @property
    def start(self) -> int:
        """Where the first part stands."""
        return self.pieces[0].start

    @property
    def end(self) -> int:
        """Where the last part ends."""
        return self.pieces[-1].end

    @property
    def strength(self) -> int:
        """How sure it is that these parts say when something is; 0 where they do not."""
        return max((strength_of(piece) for piece in self.pieces), default=0)

    @property
    def has_rule_days(self) -> bool:
        """Tell whether it says on which weekdays something recurs: "weekly" alone does not."""
        return any(isinstance(piece.said, SaidRule) and piece.said.weekdays for piece in self.pieces)

    def has(self, *kinds: type) -> bool:
        """Tell whether one of the parts is of one of these kinds."""
        return any(isinstance(piece.said, kinds) for piece in self.pieces)


def strength_of(piece: Piece) -> int:
    """Return how sure it is that a part says when something is."""
    match piece.said:
        case SaidDays(is_period=is_period):
            return 2 if is_period else 4
        case SaidMoment() | SaidRule():
            return 4
        case SaidPart(is_today=True):
            return 4
        case SaidTime(needs_day=False):
            return 3
        case _:
            return 0


def find_groups(plain: str, occasion: Occasion) -> list[Group]:
    """Return the expressions of a text in plain words, in their order."""
    pieces = keep_apart(longest_first(find_pieces(plain, occasion), place_of), place_of)
    return [group for group in map(drop_unsure, join_pieces(plain, pieces)) if group.pieces]


def find_pieces(plain: str, occasion: Occasion) -> Iterator[Piece]:
    """Yield everything that may be a part of an expression; some overlap."""
    for pattern, read in PHRASES:
        for found in pattern.finditer(plain):
            said = read(found, occasion)
            if said is not None and found.start() < found.end():
                yield Piece(found.start(), found.end(), said)


def join_pieces(plain: str, pieces: Sequence[Piece]) -> Iterator[Group]:
    """Yield the parts that stand side by side as one."""
    taken: list[Piece] = []
    joints: list[frozenset[str]] = []
    for piece in pieces:
        between = plain[taken[-1].end : piece.start] if taken else ""
        joint = TOKEN_PATTERN.findall(between)
        if taken and not (set(joint) <= JOINING_WORDS and len(joint) <= JOINING_WORDS_MAX):
            yield Group(tuple(taken), tuple(joints))
            taken, joints = [], []
            joint = []
        taken.append(piece)
        joints.append(frozenset(joint if len(taken) > 1 else lead_words(plain, piece.start)))
    if taken:
        yield Group(tuple(taken), tuple(joints))


def lead_words(plain: str, start: int) -> list[str]:
    """Return the word that stands right before a place."""
    return TOKEN_PATTERN.findall(plain[:start])[-1:]


def drop_unsure(group: Group) -> Group:
    """Leave out numbers that are no times without a day, and what means nothing by itself."""
    if group.has(SaidDays, SaidRule) or any(is_part_of_today(piece) for piece in group.pieces):
        return group
    if group.has(SaidPart, SaidZone, SaidShift) and group.has(SaidTime):
        return group
    kept = [
        (piece, joint)
        for piece, joint in zip(group.pieces, group.joints, strict=True)
        if not (isinstance(piece.said, SaidTime) and piece.said.needs_day)
        and not isinstance(piece.said, SaidShift | SaidZone)
    ]
    return Group(tuple(piece for piece, _ in kept), tuple(joint for _, joint in kept))


def is_part_of_today(piece: Piece) -> bool:
    """Tell whether a part is "this evening" or the like."""
    return isinstance(piece.said, SaidPart) and piece.said.is_today


def choose_groups(plain: str, groups: Sequence[Group]) -> list[Group]:
    """Return the expression that is meant, with its time where that stands elsewhere; none where two are."""
    best = max(groups, key=lambda group: (group.strength, group.has_rule_days), default=None)
    if best is None or best.strength == 0 or is_alternative(plain, groups, best):
        return []
    chosen = [best]
    if not best.has(SaidTime, SaidMoment):
        chosen += [group for group in groups if group is not best and is_time_only(group)][:1]
    if not any(group.has(SaidLength) for group in chosen):
        chosen += [group for group in groups if group not in chosen and is_length_only(group)][:1]
    return sorted(chosen, key=lambda group: group.start)


def is_alternative(plain: str, groups: Sequence[Group], best: Group) -> bool:
    """Tell whether another expression stands beside this one as a choice, a second one or an exception."""
    if is_one_of_several(plain, best) or EXCEPTION_PATTERN.match(plain, best.end):
        return True
    is_weekday = isinstance(said := best.pieces[0].said, SaidDays) and said.is_weekday
    if is_weekday and WEEKDAY_BEFORE_PATTERN.search(plain, 0, best.start):
        return True
    if any(is_time_only(group) and plain[group.end : best.start] == " or " for group in groups):
        return True
    after = [group for group in groups if group.strength == best.strength and group.start >= best.end]
    return bool(after) and CHOICE_PATTERN.fullmatch(plain, best.end, after[0].start) is not None


def is_one_of_several(plain: str, best: Group) -> bool:
    """Tell whether another day of a month stands beside this one: "the 1st and 15th" are two."""
    is_first = re.search(rf"{ORDINAL_REGEX}$", plain[: best.end]) and re.match(
        rf"(?:,| and| &) (?:the )?{ORDINAL_REGEX}(?!\w)", plain[best.end :]
    )
    is_second = re.match(rf"(?:the )?{ORDINAL_REGEX}", plain[best.start :]) and re.search(
        r"\d(?:st|nd|rd|th)(?:,| and| &) $", plain[: best.start]
    )
    return bool(is_first or is_second)


def is_time_only(group: Group) -> bool:
    """Tell whether a group is a time without a day."""
    return group.has(SaidTime) and not group.has(SaidDays, SaidRule, SaidMoment)


def is_length_only(group: Group) -> bool:
    """Tell whether a group says how many minutes or hours something takes, and nothing else."""
    said = [piece.said for piece in group.pieces]
    return len(said) == 1 and isinstance(said[0], SaidLength) and said[0].unit in ("minute", "hour")


def place_of(piece: Piece) -> tuple[int, int]:
    """Return where a part stands."""
    return piece.start, piece.end


def widen_place(plain: str, group: Group) -> tuple[int, int]:
    """Return where an expression stands, with the words before it that lead to it."""
    start = group.start
    while found := LEADING_PATTERN.search(plain, 0, start):
        start = found.start()
    return start, group.end
