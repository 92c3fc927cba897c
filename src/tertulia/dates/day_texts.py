"""Days as programs write them: `2026-11-20`."""

import re
from datetime import date
from typing import TypeVar

DayT = TypeVar("DayT", bound=date)

DAY_TEXT_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}")
#: At the very edges of the calendar there are days of which some zones have no moment.
CALENDAR_YEARS = range(1000, 9000)


def read_day_text(text: str) -> date:
    """Return a day that is written as YYYY-MM-DD; raise `ValueError` where it is none that can be used."""
    if not DAY_TEXT_PATTERN.fullmatch(text):
        message = "must be a day as YYYY-MM-DD"
        raise ValueError(message)
    try:
        day = date.fromisoformat(text)
    except ValueError:
        message = f"there is no day {text}"
        raise ValueError(message) from None
    return check_year(day)


def check_year(day: DayT) -> DayT:
    """Return a day or moment, or raise `ValueError` where it is of a year that cannot be used."""
    if day.year not in CALENDAR_YEARS:
        message = f"must be of a year from {CALENDAR_YEARS.start} to {CALENDAR_YEARS.stop - 1}"
        raise ValueError(message)
    return day
