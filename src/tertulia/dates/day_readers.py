"""What day is meant by words that were found: one reader for each way to say it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from tertulia.dates import calendar_reckoning as reckoning
from tertulia.dates.date_words import (
    FEAST_NAMES,
    MONTH_NUMBERS,
    ORDINAL_NUMBERS,
    SMALL_NUMBERS,
    WEEKDAY_NUMBERS,
    feast_day,
    weekday_of_month,
)


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Where a day, a month or a span of days stands, and which it is."""

    start: int
    end: int
    normal: str


@dataclass(frozen=True, slots=True)
class SaidDay:
    """A day in words, the day on which it was said, and what its sentence tells of it."""

    found: re.Match[str]
    said_on: date
    is_past: bool
    is_yearly: bool
    is_month_first: bool

    def get(self, name: str) -> str:
        """Return a part of the words in small letters, with single spaces; empty where it is missing."""
        return " ".join((self.found.groupdict().get(name) or "").casefold().split())


DayReader = Callable[[SaidDay], str]


def iso(day: date | None) -> str:
    """Return a day as ISO writes it; nothing for none."""
    return day.isoformat() if day else ""


def read_iso_day(said: SaidDay) -> str:
    """Read `2026-05-04`, with a time or without."""
    name = said.get("month_name").rstrip(".")
    month = MONTH_NUMBERS[name] if name else int(said.get("month"))
    day = reckoning.make_day(int(said.get("year")), month, int(said.get("day")))
    return iso(day) + (f"T{said.get('time')}" if day and said.get("time") else "")


def read_numeric_day(said: SaidDay) -> str:
    """Read `5/4/2026`: the month comes first where people write so, or where it must."""
    first, second = int(said.get("first")), int(said.get("second"))
    month_first = said.is_month_first and "." not in said.found[0]
    if first > 12 or second > 12:
        month_first = second > 12
    month, day = (first, second) if month_first else (second, first)
    if not 1 <= month <= 12:
        return ""
    return read_month_day(said, month, day)


def read_written_day(said: SaidDay) -> str:
    """Read a day with the name of its month, or several of them."""
    month = MONTH_NUMBERS[said.get("month").rstrip(".")]
    word = said.get("day_word").replace(" ", "-")
    day = ORDINAL_NUMBERS[word] if word else int(said.get("day"))
    start = read_month_day(said, month, day)
    if not start or not said.get("last"):
        return start
    month2 = MONTH_NUMBERS[said.get("month2").rstrip(".")] if said.get("month2") else month
    end = read_month_day(said, month2, int(said.get("last")))
    return f"{start}/{end}" if end >= start else start


def read_month_day(said: SaidDay, month: int, day: int) -> str:
    """Return a day of a year: the year that is said, or the one that is meant."""
    if year := said.get("year") or said.get("short_year"):
        return iso(reckoning.make_day(reckoning.full_year(int(year)), month, day))
    if said.is_yearly and reckoning.make_day(2000, month, day):
        return f"--{month:02d}-{day:02d}"
    weekday = WEEKDAY_NUMBERS.get(said.get("weekday").rstrip("."))
    return iso(reckoning.nearest_day(month, day, said_on=said.said_on, is_past=said.is_past, weekday=weekday))


def read_weekday(said: SaidDay) -> str:
    """Read a weekday, of this week or another, once or every week."""
    weekday = WEEKDAY_NUMBERS[
        said.get("weekday").rstrip(".").removesuffix("s")
        if said.get("plural")
        else said.get("weekday").rstrip(".")
    ]
    before, after = said.get("direction"), said.get("after")
    if before in ("every", "each") or said.get("plural"):
        return f"every {calendar_name(weekday)}"
    direction = direction_of(f"{before} {after}")
    if direction == "this" and after:
        monday = said.said_on - timedelta(said.said_on.weekday())
        return iso(monday + timedelta(weekday))
    return iso(reckoning.weekday_near(weekday, direction, said_on=said.said_on, is_past=said.is_past))


def read_weekday_range(said: SaidDay) -> str:
    """Read the weekdays from one to another, of every week."""
    first, last = (
        calendar_name(WEEKDAY_NUMBERS[said.get(name).rstrip(".")]) for name in ("first_day", "last_day")
    )
    return f"every {first}-{last}"


def calendar_name(weekday: int) -> str:
    """Return the English name of a weekday."""
    return ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")[weekday]


def direction_of(words: str) -> str:
    """Return whether the words around a day say this, next, last or after next."""
    if "after next" in words:
        return "after next"
    for direction, cues in (
        ("next", ("next", "following")),
        ("last", ("last", "past", "previous")),
        ("this", ("this", "coming")),
    ):
        if any(cue in words for cue in cues):
            return direction
    return ""


#: Words for other days mean tomorrow, however they are misspelt.
RELATIVE_DAYS = {
    **dict.fromkeys(("today", "tonight", "tonite", "2nite", "this"), 0),
    **dict.fromkeys(("yesterday", "last night"), -1),
}


def read_relative_day(said: SaidDay) -> str:
    """Read today, tomorrow, yesterday, tonight, this morning, last night."""
    word = said.get("word")
    return iso(said.said_on + timedelta(RELATIVE_DAYS.get(word, 1)))


def read_day_beyond(said: SaidDay) -> str:
    """Read the day after tomorrow, and the day before yesterday."""
    return iso(said.said_on + timedelta(2 if said.get("side") == "after" else -2))


def read_counted_day(said: SaidDay) -> str:
    """Read a day so many days, weeks, months or years away."""
    count, unit = count_of(said.get("count")), said.get("unit")
    base = said.said_on
    if weekday := said.get("from_day"):
        base = reckoning.weekday_near(WEEKDAY_NUMBERS[weekday], "", said_on=base, is_past=False)
    elif said.get("from_word") == "tomorrow":
        base += timedelta(1)
    return iso(reckoning.add_units(base, -count if said.get("ago") else count, unit))


def count_of(words: str) -> int:
    """Return how many are meant."""
    if words.isdigit():
        return int(words)
    return SMALL_NUMBERS.get(words.removeprefix("a ").removesuffix(" of") or "a", 1)


def read_period(said: SaidDay) -> str:
    """Read this, next or last week, weekend, month, quarter or year."""
    direction, unit = direction_of(f"{said.get('direction')} {said.get('skip')}"), said.get("unit")
    step = {"next": 1, "last": -1, "after next": 2}.get(direction, 0)
    if unit == "weekend" and not direction and said.is_past:
        step = -1
    return reckoning.period_name(said.said_on, unit, step)


def read_period_edge(said: SaidDay) -> str:
    """Read the end, middle or beginning of a week, month or year."""
    return f"{said.get('edge')} of {read_period(said)}"


def read_month_edge(said: SaidDay) -> str:
    """Read the end, the middle, the first week … of a month that is named."""
    return f"{said.get('edge')} of {read_month(said)}"


def read_later_day(said: SaidDay) -> str:
    """Read a day so many days or weeks after another: which other is not told here."""
    return f"+{count_of(said.get('count') or 'a')} {said.get('unit') or 'day'}"


def read_recurring_days(said: SaidDay) -> str:
    """Read the days that come again every week."""
    return f"every {said.get('kind').removesuffix('s')}"


def read_nth_day(said: SaidDay) -> str:
    """Read the first, second … last weekday or day of a month."""
    which = -1 if said.get("which") == "last" else ORDINAL_NUMBERS[said.get("which")]
    name = said.get("month_word")
    if said.get("every") or name in ("every", "each"):
        return f"every {said.get('which')} {said.get('weekday') or 'day'} of the month"
    month = read_month(said) if not name else month_beside(said.said_on, name)
    year, number = map(int, month.split("-"))
    if weekday := said.get("weekday"):
        return iso(weekday_of_month(year, number, WEEKDAY_NUMBERS[weekday], which))
    first = reckoning.make_day(year, number, 1 if which < 0 else which)
    return iso(reckoning.add_months(first, 1) - timedelta(1) if first and which < 0 else first)


def month_beside(day: date, direction: str) -> str:
    """Return the month of a day, or the next or last one, as `2026-11`."""
    step = {"next": 1, "last": -1}.get(direction, 0)
    return reckoning.add_months(day.replace(day=1), step).isoformat()[:7]


def read_month(said: SaidDay) -> str:
    """Read a month of the year that is said, or that is meant."""
    month = MONTH_NUMBERS[said.get("month").rstrip(".")]
    if year := said.get("year") or said.get("short_year"):
        return f"{reckoning.full_year(int(year))}-{month:02d}"
    direction = direction_of(said.get("direction"))
    today = said.said_on
    year = today.year
    if direction == "last" or (said.is_past and direction != "next"):
        year -= month >= today.month if direction == "last" else month > today.month
    else:
        year += month < today.month or (direction == "next" and month == today.month)
    return f"{year}-{month:02d}"


def read_card_month(said: SaidDay) -> str:
    """Read `08/28` where it says until when a card is valid."""
    return f"{reckoning.full_year(int(said.get('year')))}-{said.get('month')}"


def read_year(said: SaidDay) -> str:
    """Read a year."""
    return said.get("year")


def read_season(said: SaidDay) -> str:
    """Read a season or a quarter of a year."""
    year = said.get("year") or str(said.said_on.year)
    quarter = said.get("quarter")
    return f"{year}-{quarter.upper()}" if quarter else f"{year} {said.get('season')}"


def read_feast(said: SaidDay) -> str:
    """Read the day of a feast."""
    name = said.get("feast").replace("\u2019", "'")
    known = next((feast for feast in FEAST_NAMES if feast.replace("'", "") == name.replace("'", "")), name)
    if year := said.get("year"):
        return iso(feast_day(known, int(year)))
    return iso(reckoning.nearest_feast(known, said_on=said.said_on, is_past=said.is_past))


def read_day_of_month(said: SaidDay) -> str:
    """Read a bare day of the month, this one or the next."""
    word = said.get("day_word").replace(" ", "-")
    day = ORDINAL_NUMBERS[word] if word else int(said.get("day"))
    month = said.get("month_word")
    if month in ("every", "each"):
        return f"every month {day:02d}"
    if month:
        first = reckoning.add_months(said.said_on.replace(day=1), {"next": 1, "last": -1}.get(month, 0))
        return iso(reckoning.make_day(first.year, first.month, day))
    weekday = WEEKDAY_NUMBERS.get(said.get("weekday").rstrip("."))
    return iso(
        reckoning.nearest_day_of_month(day, said_on=said.said_on, is_past=said.is_past, weekday=weekday)
    )
