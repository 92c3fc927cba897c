"""Which day is meant, reckoned from the day on which something was said."""

import calendar
from contextlib import suppress
from datetime import date, timedelta

from tertulia.dates.date_words import feast_day

#: A day without its year is looked for so far back.
PAST_DAY_REACH = timedelta(days=240)


def make_day(year: int, month: int, day: int) -> date | None:
    """Return a day, or None where the calendar has no such day."""
    with suppress(ValueError):
        return date(year, month, day)
    return None


def full_year(year: int) -> int:
    """Return a year of four digits: one of two is of this century, or of the last if that is far ahead."""
    if year >= 100:
        return year
    return year + (2000 if year < 70 else 1900)


def nearest_day(
    month: int, day: int, *, said_on: date, is_past: bool, weekday: int | None = None
) -> date | None:
    """Return the next such day of a year, or the last one where the sentence tells of what was.

    A weekday that is said with it tells the year for sure. A day that is long past was hardly meant.
    """
    years = range(said_on.year - 6, said_on.year + 7)
    days = [found for year in years if (found := make_day(year, month, day)) is not None]
    fitting = [found for found in days if weekday is not None and found.weekday() == weekday]
    if fitting:
        return min(fitting, key=lambda found: abs(found - said_on))
    past = max((found for found in days if found <= said_on), default=None)
    if is_past and past is not None and said_on - past <= PAST_DAY_REACH:
        return past
    return min((found for found in days if found >= said_on), default=None)


def nearest_feast(name: str, *, said_on: date, is_past: bool) -> date | None:
    """Return the next day of a feast, or the last one where the sentence tells of what was."""
    days = [feast_day(name, said_on.year + step) for step in (-1, 0, 1)]
    fitting = [day for day in days if day is not None and (day <= said_on if is_past else day >= said_on)]
    return (max if is_past else min)(fitting, default=None)


def nearest_day_of_month(
    day: int, *, said_on: date, is_past: bool, weekday: int | None = None
) -> date | None:
    """Return the next day of that number, or the last one where the sentence tells of what was.

    With a weekday it is the first that falls on it, if there is one within the year.
    """
    months = (add_months(said_on.replace(day=1), -step if is_past else step) for step in range(13))
    days = [found for month in months if (found := make_day(month.year, month.month, day)) is not None]
    fitting = [found for found in days if (found <= said_on if is_past else found >= said_on)]
    agreeing = [found for found in fitting if found.weekday() == weekday]
    return next(iter(agreeing or fitting), None)


def weekday_near(weekday: int, direction: str, *, said_on: date, is_past: bool) -> date:
    """Return the day meant by a weekday: of this week, of the next or last one, or the nearest to come."""
    monday = said_on - timedelta(said_on.weekday())
    if direction == "next":
        return monday + timedelta(7 + weekday)
    if direction == "after next":
        return monday + timedelta(14 + weekday)
    if direction == "last" or (is_past and direction != "this"):
        return said_on - timedelta((said_on.weekday() - weekday - 1) % 7 + 1)
    return said_on + timedelta((weekday - said_on.weekday()) % 7)


def add_months(day: date, months: int) -> date:
    """Return a day some months later, or the last of that month where it has no such day."""
    years, month = divmod(day.month - 1 + months, 12)
    year = day.year + years
    if not date.min.year <= year <= date.max.year:
        return day
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def add_units(day: date, number: int, unit: str) -> date | None:
    """Return a day so many days, weeks, months or years later."""
    with suppress(OverflowError, ValueError):
        if unit == "month":
            return add_months(day, number)
        if unit == "year":
            return add_months(day, 12 * number)
        return day + timedelta({"week": 7, "fortnight": 14, "day": 1, "night": 1}.get(unit, 0) * number)
    return None


def period_name(day: date, unit: str, step: int) -> str:
    """Return the week, weekend, month, quarter or year of a day, or one so many steps later."""
    if unit == "week":
        return week_name(day + timedelta(7 * step))
    if unit == "weekend":
        saturday = day - timedelta(day.weekday()) + timedelta(5 + 7 * step)
        return f"{saturday.isoformat()}/{(saturday + timedelta(1)).isoformat()}"
    if unit == "month":
        return add_months(day.replace(day=1), step).isoformat()[:7]
    if unit == "quarter":
        first = add_months(day.replace(day=1), 3 * step)
        return f"{first.year}-Q{(first.month + 2) // 3}"
    return str(day.year + step) if unit == "year" else f"{day.year + step} {unit}"


def week_name(day: date) -> str:
    """Return the week of a day, as ISO names it."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"
