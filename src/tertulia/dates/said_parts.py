"""What the parts of an expression say together, each in its role."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta

from tertulia.dates.length_phrases import WEEK_OF, shift_day
from tertulia.dates.period_phrases import period_of
from tertulia.dates.piece_groups import Group
from tertulia.dates.readings import (
    Said,
    SaidDays,
    SaidLength,
    SaidMoment,
    SaidPart,
    SaidRule,
    SaidShift,
    SaidTime,
    SaidZone,
)

#: Parts of which the first counts, by what they are in `SaidParts`.
NAMES_OF_PARTS: dict[type, str] = {
    SaidMoment: "moment",
    SaidPart: "part",
    SaidLength: "length",
    SaidZone: "zone",
    SaidRule: "rule",
    SaidShift: "shift",
}
RANGE_WORDS = frozenset(("to", "until", "-"))


@dataclass(frozen=True, slots=True)
class SaidParts:
    """A day, a time and so on; each of them may be missing."""

    days: SaidDays | None = None
    moment: SaidMoment | None = None
    time: SaidTime | None = None
    part: SaidPart | None = None
    length: SaidLength | None = None
    zone: SaidZone | None = None
    rule: SaidRule | None = None
    shift: SaidShift | None = None
    #: Where something goes on until another day: that day, and its time.
    until: "SaidParts | None" = None


def collect_parts(groups: Iterable[Group]) -> SaidParts:
    """Return what groups of parts say."""
    parts = SaidParts()
    for group in groups:
        for piece, joint in zip(group.pieces, group.joints, strict=True):
            parts = add_part(parts, piece.said, joint)
    return parts


def add_part(parts: SaidParts, said: Said, joint: frozenset[str]) -> SaidParts:
    """Return parts with one more, joined to those before by some words."""
    if parts.until is not None and not isinstance(said, SaidLength | SaidZone | SaidRule):
        return replace(parts, until=add_part(parts.until, said, joint))
    if isinstance(said, SaidDays):
        return add_days(parts, said, joint)
    if isinstance(said, SaidTime):
        return add_time(parts, said, joint)
    name = NAMES_OF_PARTS[type(said)]
    return parts if getattr(parts, name) else replace(parts, **{name: said})


def add_time(parts: SaidParts, said: SaidTime, joint: frozenset[str]) -> SaidParts:
    """Return parts with a time, which may be the end of the one before."""
    if parts.time is None:
        return replace(parts, time=said)
    if joint & RANGE_WORDS and parts.time.end is None and said.end is None:
        return replace(parts, time=replace(parts.time, end=said.start))
    return parts


def add_days(parts: SaidParts, said: SaidDays, joint: frozenset[str]) -> SaidParts:
    """Return parts with a day: the first, the last, or one from which another is counted."""
    if parts.shift is not None:
        return replace(parts, days=shift_days(said, parts.shift), shift=None)
    if parts.rule is not None and "until" in joint:
        return replace(parts, until=SaidParts(days=said))
    if parts.days is None:
        return replace(parts, days=said)
    if parts.days.is_weekday and joint & {"after", "before"}:
        beside = weekday_beside(parts.days, said, is_after="after" in joint)
        return replace(parts, days=beside)
    if joint & RANGE_WORDS and not parts.days.is_period:
        return replace(parts, until=SaidParts(days=said))
    return parts


def shift_days(said: SaidDays, shift: SaidShift) -> SaidDays:
    """Return the day so long before or after another, or the week in which that lies."""
    if shift.unit == WEEK_OF:
        return period_of(said.first, "week", 0)
    moved = shift_day(said.first, shift.count, shift.unit)
    return SaidDays(moved) if moved else said


def weekday_beside(weekday: SaidDays, day: SaidDays, *, is_after: bool) -> SaidDays:
    """Return the first such weekday after a day, or the last before it."""
    if is_after:
        from_day = day.last or day.first
        return SaidDays(from_day + timedelta((weekday.first.weekday() - from_day.weekday() - 1) % 7 + 1))
    return SaidDays(day.first - timedelta((day.first.weekday() - weekday.first.weekday() - 1) % 7 + 1))
