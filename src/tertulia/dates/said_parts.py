"""What the parts of an expression say together, each in its role."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, timedelta

from tertulia.dates.calendar_reckoning import make_day
from tertulia.dates.clock_choices import DAY_MINUTES, HALF_DAY_MINUTES
from tertulia.dates.length_phrases import UNIT_MINUTES, WEEK_OF, WEEKEND_OF, shift_day
from tertulia.dates.period_phrases import period_of
from tertulia.dates.piece_groups import Group
from tertulia.dates.readings import (
    Said,
    SaidDays,
    SaidHour,
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
    before = parts.time
    if before is not None and before.end is None and said.end is None and joint & RANGE_WORDS:
        return replace(parts, time=replace(before, end=said.start))
    # "a table for 4 on Saturday at 7:45 pm": what is a time for sure is the one that is meant.
    if before is not None and (said.needs_day or not before.needs_day or before.end is not None):
        return parts
    if parts.shift is None or parts.shift.unit not in UNIT_MINUTES:
        return replace(parts, time=said)
    return replace(parts, time=SaidTime(shift_hour(said.start, int(parts.shift.count))), shift=None)


def add_days(parts: SaidParts, said: SaidDays, joint: frozenset[str]) -> SaidParts:
    """Return parts with a day: the first, the last, or one from which another is counted."""
    if parts.shift is not None and parts.shift.unit not in UNIT_MINUTES:
        return replace(parts, days=shift_days(said, parts.shift), shift=None)
    if parts.rule is not None and "until" in joint:
        return replace(parts, until=SaidParts(days=said))
    if parts.days is None:
        return replace(parts, days=said)
    return join_days(parts, parts.days, said, joint)


def join_days(parts: SaidParts, first: SaidDays, second: SaidDays, joint: frozenset[str]) -> SaidParts:
    """Return parts with a second day: the last, one that the first is counted from, or the same in a year."""
    if (found := day_in_period(first, second)) is not None:
        return replace(parts, days=found)
    if first.is_weekday and joint & {"after", "before"}:
        return replace(parts, days=weekday_beside(first, second, is_after="after" in joint))
    if first.is_period:
        return parts
    if joint & RANGE_WORDS:
        return replace(parts, until=SaidParts(days=second))
    if parts.time is not None and parts.time.end is not None and joint <= {"on"}:
        # "from 9 am Monday to 5 pm Tuesday"
        until = SaidParts(days=second, time=SaidTime(parts.time.end))
        return replace(parts, time=replace(parts.time, end=None), until=until)
    return parts


def day_in_period(first: SaidDays, second: SaidDays) -> SaidDays | None:
    """Return the day of a year or month that is said beside it: "July 4 next year"."""
    day, period = (second, first) if first.is_period else (first, second)
    if day.is_period or day.last is not None or day.is_weekday or not period.is_period:
        return None
    year, month = period.first.year, period.first.month
    tried = (day.first, make_day(year, day.first.month, day.first.day), make_day(year, month, day.first.day))
    return next((SaidDays(one) for one in tried if one and is_in_period(one, period)), None)


def is_in_period(day: date, period: SaidDays) -> bool:
    """Tell whether a day is one of a period."""
    return period.first <= day <= (period.last or period.first)


def shift_hour(hour: SaidHour, minutes: int) -> SaidHour:
    """Return a time so many minutes later; which half of the day it is in stays as open as it was."""
    moved = hour.hour * 60 + hour.minute + minutes
    if hour.half in ("am", "pm"):
        moved += (-HALF_DAY_MINUTES if hour.hour == 12 else 0) + (
            HALF_DAY_MINUTES if hour.half == "pm" else 0
        )
    if not hour.half:
        return SaidHour(moved % HALF_DAY_MINUTES // 60 or 12, moved % 60)
    return SaidHour(moved % DAY_MINUTES // 60, moved % 60, "24")


def shift_days(said: SaidDays, shift: SaidShift) -> SaidDays:
    """Return the day so long before or after another, or the week in which that lies."""
    if shift.unit in (WEEK_OF, WEEKEND_OF):
        return period_of(said.first, shift.unit.removesuffix(" of"), 0)
    moved = shift_day(said.first, shift.count, shift.unit)
    return SaidDays(moved) if moved else said


def weekday_beside(weekday: SaidDays, day: SaidDays, *, is_after: bool) -> SaidDays:
    """Return the first such weekday after a day, or the last before it."""
    if is_after:
        from_day = day.last or day.first
        return SaidDays(from_day + timedelta((weekday.first.weekday() - from_day.weekday() - 1) % 7 + 1))
    return SaidDays(day.first - timedelta((day.first.weekday() - weekday.first.weekday() - 1) % 7 + 1))
