"""The first, second … last weekday or day of a month or a year, and feasts, in plain words."""

import re
from datetime import date

from tertulia.dates.calendar_reckoning import add_months, make_day
from tertulia.dates.date_phrases import single
from tertulia.dates.date_words import FEAST_NAMES, weekday_of_month
from tertulia.dates.feast_customs import feast_day_in
from tertulia.dates.period_phrases import last_day_of, month_meant
from tertulia.dates.phrase_patterns import (
    ANY_WEEKDAY_REGEX,
    MONTH_REGEX,
    YEAR_REGEX,
    Phrase,
    ordinal_number,
    phrase_pattern,
    weekday_number,
)
from tertulia.dates.readings import Occasion, SaidDays


def read_nth_day(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read the first, second … last weekday or day of a month or a year."""
    which = ordinal_number(found["which"])
    for month in months_meant(found, occasion):
        day = nth_day_of(month, which, found["weekday"])
        if day is not None and (day >= occasion.today or is_month_told(found)):
            return SaidDays(day)
    return None


def read_nth_of_year(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read the first or last weekday or day of a year."""
    step = {"next": 1, "last": -1}.get(found["year_word"] or "", 0)
    year = int(found["year"]) if found["year"] else occasion.today.year + step
    which = ordinal_number(found["which"])
    day = nth_day_of(date(year, 12 if which < 0 else 1, 1), which, found["weekday"])
    return single(day)


def is_month_told(found: re.Match[str]) -> bool:
    """Tell whether it is said of which year or month a day is, so that it may be past."""
    return bool(found["year"] or found["month_word"] in ("this", "next", "last"))


def months_meant(found: re.Match[str], occasion: Occasion) -> list[date]:
    """Return the months that may be meant, the nearest first."""
    if not found["month"]:
        first = occasion.today.replace(day=1)
        step = {"next": 1, "last": -1}.get(found["month_word"], 0)
        return [add_months(first, step), add_months(first, step + 1)]
    first = month_meant(found["month"], found["year"], "", occasion.today)
    return [first, add_months(first, 12)]


def nth_day_of(month: date, which: int, weekday: str | None) -> date | None:
    """Return the nth weekday or day of a month; -1 is the last. Some months have no fifth Monday."""
    if weekday == "weekday":
        days = [make_day(month.year, month.month, day) for day in range(1, last_day_of(month).day + 1)]
        working = [day for day in days if day and day.weekday() < 5]
        return working[which if which < 0 else which - 1]
    if weekday:
        day = weekday_of_month(month.year, month.month, weekday_number(weekday), which)
        return day if day.month == month.month else None
    return last_day_of(month) if which < 0 else make_day(month.year, month.month, which)


def read_feast(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read the day of a feast in the year that is said, or the next one."""
    name = FEAST_NAMES[int(found["feast"])]
    if found["year"]:
        return single(feast_day_in(name, int(found["year"]), occasion.zone))
    step = {"next year": 1, "last year": -1}.get(found["of_year"] or "", 0)
    if found["of_year"]:
        return single(feast_day_in(name, occasion.today.year + step, occasion.zone))
    years = (occasion.today.year, occasion.today.year + 1)
    days = [feast_day_in(name, year, occasion.zone) for year in years]
    return single(min((day for day in days if day and day >= occasion.today), default=None))


NTH_DAY_PHRASES: tuple[Phrase, ...] = (
    (
        phrase_pattern(
            r"(?:the )?(?P<which>[1-5](?:th|st|nd|rd)|last) "
            rf"(?:(?P<weekday>{ANY_WEEKDAY_REGEX}|weekday)|days?) (?:of|in) (?:the )?"
            rf"(?:(?P<month>{MONTH_REGEX})(?:,?(?: of)? (?P<year>{YEAR_REGEX}))?"
            r"|(?:(?P<month_word>this|next|last|the) )?months?)"
        ),
        read_nth_day,
    ),
    (
        phrase_pattern(
            rf"(?:the )?(?P<which>1(?:th|st)|last) (?:(?P<weekday>{ANY_WEEKDAY_REGEX}|weekday)|days?) "
            r"(?:of|in) "
            rf"(?:(?P<year>{YEAR_REGEX})|(?P<year_word>the|this|next|last) years?)"
        ),
        read_nth_of_year,
    ),
    (
        phrase_pattern(
            rf"(?:(?:this|next) )?feast(?P<feast>\d+)(?:,?(?: of)? (?:(?P<year>{YEAR_REGEX})"
            r"|(?P<of_year>(?:this|next|last) year)))?"
        ),
        read_feast,
    ),
)
