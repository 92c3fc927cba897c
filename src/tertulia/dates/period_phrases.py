"""Weeks, months, quarters and years in plain words, and their edges."""

import calendar
import re
from datetime import date, timedelta

from tertulia.dates.calendar_reckoning import add_months
from tertulia.dates.phrase_patterns import (
    MONTH_REGEX,
    YEAR_REGEX,
    Phrase,
    month_number,
    phrase_pattern,
)
from tertulia.dates.readings import Occasion, SaidDays

#: A week ends on its Friday, and its middle is Wednesday.
WEEK_EDGES = {"start": 0, "middle": 2, "end": 4}
UNIT_REGEX = r"(?:weekend|weeks?|months?|quarter|years?)"
DAY_BEFORE_PATTERN = re.compile(r"\d(?:st|nd|rd|th|\.)? (?:of )?(?:the )?$")
EDGE_REGEX = r"(?:start|middle|end)"


def read_period(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read this, next or last week, weekend, month, quarter or year."""
    words = found[0]
    step = 2 if "after next" in words or "overnext" in words else 0
    if not step:
        step = 1 if "next" in words or "following" in words else -1 if "last" in words else 0
    return period_of(occasion.today, found["unit"].rstrip("s"), step)


def period_of(day: date, unit: str, step: int) -> SaidDays:
    """Return the week, weekend, month, quarter or year of a day, or one so many steps later."""
    monday = day - timedelta(day.weekday()) + timedelta(7 * step)
    if unit == "week":
        return SaidDays(monday, monday + timedelta(6), is_period=True)
    if unit == "weekend":
        return SaidDays(monday + timedelta(5), monday + timedelta(6), is_period=True)
    months = {"month": 1, "quarter": 3, "half": 6, "year": 12}[unit]
    first = day.replace(day=1, month=(day.month - 1) // months * months + 1)
    return months_from(add_months(first, months * step), months)


def months_from(first: date, months: int) -> SaidDays:
    """Return so many months from the first day of one on."""
    last_month = add_months(first, months - 1)
    return SaidDays(first, last_day_of(last_month), is_period=True)


def last_day_of(month: date) -> date:
    """Return the last day of a day's month."""
    return month.replace(day=calendar.monthrange(month.year, month.month)[1])


def read_edge(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read the start, the middle or the end of a week, month, quarter or year."""
    direction = found["direction"] or "the"
    step = {"next": 1, "post-next": 1, "last": -1}.get(direction, 0)
    if found["postfix"]:
        step = 1
    unit = found["unit"].rstrip("s")
    edge = edge_of(occasion.today, found["edge"], unit, step)
    if edge < occasion.today and direction == "the":
        edge = edge_of(occasion.today, found["edge"], unit, 1)
    return SaidDays(edge)


def edge_of(today: date, edge: str, unit: str, step: int) -> date:
    """Return the first day, the one in the middle, or the last of a period."""
    if unit == "week":
        return today - timedelta(today.weekday()) + timedelta(7 * step + WEEK_EDGES[edge])
    return edge_of_period(period_of(today, unit, step), edge)


def edge_of_period(period: SaidDays, edge: str) -> date:
    """Return the first day of some months, the last, or the fifteenth of the month in the middle."""
    last = period.last or period.first
    if edge in ("start", "end"):
        return period.first if edge == "start" else last
    months = (last.year - period.first.year) * 12 + last.month - period.first.month
    return add_months(period.first, months // 2).replace(day=15)


def read_month(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read a month of the year that is said, or the next of that name; early or late, or an edge of it."""
    # "31 February 2027" is no day, and no month either.
    if DAY_BEFORE_PATTERN.search(found.string, 0, found.start()):
        return None
    first = month_meant(found["month"], found["year"], found["direction"] or "", occasion.today)
    month = months_from(first, 1)
    match found["edge"] or "":
        case "early":
            return SaidDays(first, first.replace(day=10), is_period=True)
        case "late":
            return SaidDays(first.replace(day=21), last_day_of(first), is_period=True)
        case "":
            return month
        case edge:
            return SaidDays(edge_of_period(month, "middle" if edge == "mid" else edge))


def month_meant(word: str, year: str | None, direction: str, today: date) -> date:
    """Return the first day of a month: of the year that is said, else of the next such month."""
    month = month_number(word)
    if year:
        return date(int(year), month, 1)
    if direction == "last":
        return date(today.year - (month >= today.month), month, 1)
    is_over = month < today.month or ("next" in direction and month == today.month)
    return date(today.year + is_over, month, 1)


def read_month_in_year(found: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read a month of this, the next or the last year."""
    year = occasion.today.year + {"next": 1, "last": -1}.get(found["direction"], 0)
    return months_from(date(year, month_number(found["month"]), 1), 1)


def read_quarter(found: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read a quarter or a half of the year that is said, or of the next that is not over, or an edge."""
    months = 6 if found["half"] else 3
    number = int(found["half"] or found["quarter"] or found["quarter2"])
    year = int(found["year"] or found["year2"] or occasion.today.year)
    period = months_from(date(year, months * (number - 1) + 1, 1), months)
    is_over = (period.last or period.first) < occasion.today
    if is_over and not (found["year"] or found["year2"]):
        period = months_from(period.first.replace(year=year + 1), months)
    return SaidDays(edge_of_period(period, found["edge"])) if found["edge"] else period


def read_year(found: re.Match[str], _: Occasion) -> SaidDays:
    """Read a year, or an edge of it."""
    period = months_from(date(int(found["year"]), 1, 1), 12)
    return SaidDays(edge_of_period(period, found["edge"])) if found["edge"] else period


def read_week_number(found: re.Match[str], occasion: Occasion) -> SaidDays | None:
    """Read a week by its number in ISO's count: of the year that is said, or the next of that number."""
    number, year = int(found["number"]), found["year"] or found["year2"]
    years = [int(year)] if year else [occasion.today.year, occasion.today.year + 1]
    for tried in years:
        if 1 <= number <= date(tried, 12, 28).isocalendar().week:
            monday = date.fromisocalendar(tried, number, 1)
            if year or monday + timedelta(6) >= occasion.today:
                return SaidDays(monday, monday + timedelta(6), is_period=True)
    return None


def read_day_end(_: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read the end of the day: it is due today."""
    return SaidDays(occasion.today)


def read_week_of_month(found: re.Match[str], occasion: Occasion) -> SaidDays:
    """Read the first or last week or weekend of a month: the first that begins in it, the last that does."""
    first = month_meant(found["month"], found["year"], "", occasion.today)
    start_weekday = 5 if found["unit"] == "weekend" else 0
    days = 1 if found["unit"] == "weekend" else 6
    if found["which"] == "last":
        last = last_day_of(first)
        begin = last - timedelta((last.weekday() - start_weekday) % 7)
    else:
        number = int(found["which"][0])
        begin = first + timedelta((start_weekday - first.weekday()) % 7 + 7 * (number - 1))
    return SaidDays(begin, begin + timedelta(days), is_period=True)


PERIOD_PHRASES: tuple[Phrase, ...] = (
    (
        phrase_pattern(
            r"(?:the )?(?:this coming|this|next|last|coming|following|post-next|overnext) "
            rf"(?P<unit>{UNIT_REGEX})(?: after next)?"
        ),
        read_period,
    ),
    (
        phrase_pattern(rf"(?:the )?(?P<unit>{UNIT_REGEX}) (?:after next|post-next|last)"),
        read_period,
    ),
    (phrase_pattern(r"(?:(?<=\bat )|(?<=\bover )|(?<=\bon ))?the (?P<unit>weekend)"), read_period),
    (
        phrase_pattern(
            rf"(?:the )?(?P<edge>{EDGE_REGEX}) of (?:(?P<direction>the|this|next|last|post-next) )?"
            r"(?:the )?(?P<unit>weeks?|months?|quarter|years?)(?P<postfix> post-next)?"
        ),
        read_edge,
    ),
    (
        phrase_pattern(
            rf"(?:the )?(?:(?P<edge>start|middle|end|early|late|mid)(?: of|-)?[ -]?(?:in )?)"
            rf"(?P<direction>next |this )?(?P<month>{MONTH_REGEX})(?:,?(?: of)? (?P<year>{YEAR_REGEX}))?"
            rf"(?! \d)"
        ),
        read_month,
    ),
    (
        phrase_pattern(
            rf"(?P<edge>)(?:(?P<direction>next|this|last|post-next|coming) |(?<=\bin )|(?<=\bby )|(?<=\bof )"
            rf"|(?<=\buntil )|(?<=\bduring )|(?<=\bsince )|(?<=\bfor ))"
            rf"(?P<month>{MONTH_REGEX})(?:,?(?: of)? (?P<year>{YEAR_REGEX}))?(?! \d)"
        ),
        read_month,
    ),
    (
        phrase_pattern(
            rf"(?P<edge>)(?P<direction>)(?P<month>{MONTH_REGEX})(?:,| of)? (?P<year>{YEAR_REGEX})(?!-)"
        ),
        read_month,
    ),
    (
        phrase_pattern(
            rf"(?P<month>{MONTH_REGEX})(?: of)? (?P<direction>this|next|last) year",
        ),
        read_month_in_year,
    ),
    (
        phrase_pattern(
            rf"(?:(?:the )?(?P<edge>{EDGE_REGEX}) of )?(?:the )?(?:(?P<year2>{YEAR_REGEX})-)?"
            r"(?:q(?P<quarter>[1-4])|h(?P<half>[12])(?=,? (?:of )?20\d\d)|(?P<quarter2>[1-4])(?:th|st|nd"
            r"|rd) quarter)"
            rf"(?:[ /](?:of )?(?P<year>{YEAR_REGEX}))?"
        ),
        read_quarter,
    ),
    (
        phrase_pattern(rf"(?:the )?(?P<edge>{EDGE_REGEX}) of (?P<year>{YEAR_REGEX})"),
        read_year,
    ),
    (phrase_pattern(r"(?<=\bin )(?:the year )?(?P<edge>)(?P<year>20\d\d)(?! [a-z]+s\b)"), read_year),
    (
        phrase_pattern(
            rf"(?:(?P<year>{YEAR_REGEX})-w|(?:the )?(?:calendar )?week )(?P<number>\d{{1,2}})"
            rf"(?:(?: of|,)? (?P<year2>{YEAR_REGEX}))?(?! [ap]m)"
        ),
        read_week_number,
    ),
    (phrase_pattern(r"eod(?! (?:on |of )?(?:the )?(?:today|tomorrow|overmorrow|\w+day|\d))"), read_day_end),
    (
        phrase_pattern(
            r"(?:the )?(?P<which>[1-4](?:th|st|nd|rd)|last) (?P<unit>week|weekend) (?:of|in) "
            rf"(?P<month>{MONTH_REGEX})(?:,? (?P<year>{YEAR_REGEX}))?"
        ),
        read_week_of_month,
    ),
)
