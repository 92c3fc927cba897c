"""Lengths of time in plain words, and days and moments that are counted with them."""

import re
from datetime import UTC, date, timedelta

from tertulia.dates.calendar_reckoning import add_months
from tertulia.dates.phrase_patterns import (
    COUNT_REGEX,
    LENGTH_UNIT_REGEX,
    Phrase,
    count_number,
    phrase_pattern,
)
from tertulia.dates.readings import Occasion, Said, SaidDays, SaidLength, SaidMoment, SaidShift

#: Units by their first letters.
UNITS_BY_WORD = {
    "min": "minute",
    "h": "hour",
    "d": "day",
    "night": "day",
    "w": "week",
    "fortnight": "fortnight",
    "month": "month",
    "quarter": "quarter",
    "y": "year",
}
UNIT_MINUTES = {"minute": 1, "hour": 60}
UNIT_MONTHS = {"month": 1, "quarter": 3, "year": 12}
UNIT_DAYS = {"day": 1, "week": 7, "fortnight": 14}
#: The week in which a day lies.
WEEK_OF = "week of"
#: The Saturday and Sunday of that week.
WEEKEND_OF = "weekend of"
#: Larger counts are no plan, and would leave the calendar.
SHIFT_MAX_DAYS = 40_000
LENGTH_REGEX = (
    rf"(?P<count>{COUNT_REGEX})[ -]?(?P<unit>{LENGTH_UNIT_REGEX}|weekdays?)(?:(?:,? and| ,)? "
    rf"(?P<more>\d{{1,2}}) ?(?P<lesser>minutes?|mins?|m|days?)"
    r"|(?P<half> and (?:a|1) half))?"
)
#: Behind "in" and "for", "deux heures et demie" is no time of day.
LED_LENGTH_REGEX = LENGTH_REGEX.replace("(?P<half>", "(?P<half> half-after| quarter-after|")

HOURS_REGEX = r"(?P<hours>\d{1,2}) ?h ?(?P<minutes>[0-5]\d) ?(?:m|mins?)?"


def unit_of(word: str) -> str:
    """Return the unit that a word names."""
    if word.startswith("weekday"):
        return "weekday"
    return next(unit for start, unit in UNITS_BY_WORD.items() if word.startswith(start))


def count_of(found: re.Match[str]) -> tuple[float, str]:
    """Return how many of which unit are said; hours with minutes are minutes."""
    count, unit = count_number(found["count"]), unit_of(found["unit"])
    if found["half"]:
        count += 0.25 if "quarter" in found["half"] else 0.5
    if found["more"] and unit == "hour":
        return count * 60 + int(found["more"]), "minute"
    if found["more"] and unit == "week":
        return count * 7 + int(found["more"]), "day"
    return count, unit


def read_from_now(found: re.Match[str], occasion: Occasion) -> Said | None:
    """Read "in two weeks", "90 minutes from now" and "ten days ago"."""
    count, unit = count_of(found)
    words = found[0]
    sign = -1 if words.endswith("ago") or "before-now" in words else 1
    if unit in UNIT_MINUTES:
        minutes = count * UNIT_MINUTES[unit]
        if minutes > SHIFT_MAX_DAYS * 24 * 60:
            return None
        now = occasion.now.replace(second=0, microsecond=0)
        moved = now.astimezone(UTC) + timedelta(minutes=sign * minutes)
        return SaidMoment(moved.astimezone(now.tzinfo))
    day = shift_day(occasion.today, sign * count, unit)
    return SaidDays(day) if day else None


def read_hours_from_now(found: re.Match[str], occasion: Occasion) -> SaidMoment:
    """Read "in 2h30"."""
    now = occasion.now.replace(second=0, microsecond=0)
    moved = now.astimezone(UTC) + timedelta(hours=int(found["hours"]), minutes=int(found["minutes"]))
    return SaidMoment(moved.astimezone(now.tzinfo))


def read_hours_long(found: re.Match[str], _: Occasion) -> SaidLength:
    """Read "for 2h30"."""
    return SaidLength(int(found["hours"]) * 60 + int(found["minutes"]), "minute")


def shift_day(day: date, count: float, unit: str) -> date | None:
    """Return a day so many units later; nothing where that is no whole day, or out of the calendar."""
    if unit == "weekday":
        return shift_workdays(day, int(count))
    days = count * UNIT_DAYS.get(unit, 0)
    months = count * UNIT_MONTHS.get(unit, 0)
    if (
        unit in UNIT_MINUTES
        or days != int(days)
        or abs(days) > SHIFT_MAX_DAYS
        or abs(months) > SHIFT_MAX_DAYS / 31
    ):
        return None
    if months:
        return add_months(day, int(months)) + timedelta(15 if months != int(months) else 0)
    return day + timedelta(int(days))


def shift_workdays(day: date, count: int) -> date | None:
    """Return the day so many days from Monday to Friday later."""
    if abs(count) > SHIFT_MAX_DAYS:
        return None
    step = 1 if count > 0 else -1
    while count:
        day += timedelta(step)
        count -= step if day.weekday() < 5 else 0
    return day


def read_shift(found: re.Match[str], _: Occasion) -> SaidShift | None:
    """Read so many days before or after the one that follows."""
    count, unit = count_of(found)
    if unit in UNIT_MINUTES:
        return None
    return SaidShift(-count if found.groupdict().get("side") == "before" else count, unit)


def read_time_shift(found: re.Match[str], _: Occasion) -> SaidShift | None:
    """Read so many hours or minutes before or after the time that follows."""
    count, unit = count_of(found)
    if unit not in UNIT_MINUTES:
        return None
    minutes = count * UNIT_MINUTES[unit]
    return SaidShift(-minutes if found["side"] == "before" else minutes, "minute")


def read_day_shift(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read "today in two weeks" and "a week tomorrow"."""
    base = occasion.today + timedelta(1 if found["base"] == "tomorrow" else 0)
    day = shift_day(base, *count_of(found))
    return SaidDays(day) if day else None


def read_length(found: re.Match[str], _: Occasion) -> SaidLength:
    """Read how long something lasts."""
    count, unit = count_of(found)
    return SaidLength(count, unit)


def read_times(found: re.Match[str], _: Occasion) -> SaidLength:
    """Read how many times something recurs."""
    return SaidLength(int(found["count"]), "times")


def read_day_beside(found: re.Match[str], _: Occasion) -> SaidShift:
    """Read "the day before", "the week of" and "the weekend of", which the day that follows completes."""
    if found["week"]:
        return SaidShift(0, WEEKEND_OF if found["week"] == WEEKEND_OF else WEEK_OF)
    return SaidShift(-1 if found["side"] == "before" else 1, "day")


LENGTH_PHRASES: tuple[Phrase, ...] = (
    (
        phrase_pattern(
            r"(?:the )?(?:(?P<week>(?:weekend|weeks?) of)|(?:day|evening|night) (?P<side>before|after))(?= )"
        ),
        read_day_beside,
    ),
    (phrase_pattern(rf"(?P<base>today|tomorrow) in {LENGTH_REGEX}"), read_day_shift),
    (phrase_pattern(rf"(?:in |the )?{LENGTH_REGEX} (?P<base>today|tomorrow)"), read_day_shift),
    (
        phrase_pattern(
            rf"(?:in|within|before-now) (?:about )?(?:the next )?{LED_LENGTH_REGEX}(?! (?:of|before|after"
            rf"|time)\b)"
        ),
        read_from_now,
    ),
    (phrase_pattern(rf"(?:in|within) (?:about )?{HOURS_REGEX}"), read_hours_from_now),
    (phrase_pattern(rf"(?:for|lasting) (?:about )?{HOURS_REGEX}"), read_hours_long),
    (phrase_pattern(rf"in (?:about )?{LENGTH_REGEX}(?:'s?)? time"), read_from_now),
    (phrase_pattern(rf"{LENGTH_REGEX} (?:from now|ago|hence)"), read_from_now),
    (
        phrase_pattern(
            rf"(?<!\bfor )(?:in |the )?{LENGTH_REGEX} (?P<side>from|after|before|on)(?! (?:now|at|\d{{1,2}}"
            rf"(?::\d\d)? ?[ap]m|noon))(?= )"
        ),
        read_shift,
    ),
    (
        phrase_pattern(
            rf"{LENGTH_REGEX} (?P<side>before|after)(?= (?:about )?(?:\d{{1,2}}(?::\d\d)? ?[ap]\.?m\b"
            rf"|\d{{1,2}}:\d\d|noon|midnight))"
        ),
        read_time_shift,
    ),
    (
        phrase_pattern(rf"(?:for|lasting|takes) (?:about )?(?:the next )?{LED_LENGTH_REGEX}(?: long)?"),
        read_length,
    ),
    (phrase_pattern(rf"{LENGTH_REGEX}(?: long)?(?! (?:of|from|ago|before|after|on)\b)"), read_length),
    (phrase_pattern(r"(?:for )?(?P<count>\d{1,3}) (?:times|occurrences)"), read_times),
)
