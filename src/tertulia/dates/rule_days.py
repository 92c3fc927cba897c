"""The first day of a rule, and its form in RFC 5545."""

from datetime import date, timedelta

from tertulia.dates.period_phrases import last_day_of
from tertulia.dates.readings import SaidLength, SaidRule
from tertulia.dates.rule_wording import WEEKDAY_CODES

#: A rule has a day within this time, a leap day included.
RULE_REACH_DAYS = 366 * 8
PERIOD_DAYS = {"DAILY": 1, "WEEKLY": 7}
LENGTH_DAYS = {"day": 1, "week": 7, "fortnight": 14}
LENGTH_MONTHS = {"month": 1, "quarter": 3, "year": 12}
PERIOD_MONTHS = {"MONTHLY": 1, "YEARLY": 12}


def find_rule_day(rule: SaidRule, start: date) -> date | None:
    """Return the first day of a rule, from a day on."""
    days = (start + timedelta(number) for number in range(RULE_REACH_DAYS))
    return next((day for day in days if is_rule_day(rule, day)), None)


def is_rule_day(rule: SaidRule, day: date) -> bool:
    """Tell whether a rule may have a day."""
    if rule.month is not None and day.month != rule.month:
        return False
    if rule.month_day is not None:
        return day == last_day_of(day) if rule.month_day == -1 else day.day == rule.month_day
    return not rule.weekdays or any(is_weekday(code, day) for code in rule.weekdays)


def is_weekday(code: str, day: date) -> bool:
    """Tell whether a day is a weekday such as `TU`, `2TU` or `-1FR`."""
    if day.weekday() != WEEKDAY_CODES.index(code[-2:]):
        return False
    which = code[:-2]
    if which == "-1":
        return (day + timedelta(7)).month != day.month
    return not which or (day.day - 1) // 7 + 1 == int(which)


def write_rule(rule: SaidRule, *, count: int = 0, until: str = "") -> str:
    """Return a rule as RFC 5545 writes it."""
    parts = {
        "FREQ": rule.frequency,
        "INTERVAL": str(rule.interval) if rule.interval > 1 else "",
        "BYDAY": ",".join(rule.weekdays),
        "BYMONTH": str(rule.month or ""),
        "BYMONTHDAY": str(rule.month_day or ""),
        "COUNT": str(count or ""),
        "UNTIL": until,
    }
    return ";".join(f"{name}={value}" for name, value in parts.items() if value)


def count_times(rule: SaidRule, length: SaidLength) -> int:
    """Return how many times a rule has in some days, weeks or months; 0 where that cannot be told."""
    if length.unit == "times":
        return int(length.count)
    if rule.frequency in PERIOD_DAYS and length.unit in LENGTH_DAYS:
        periods = length.count * LENGTH_DAYS[length.unit] / PERIOD_DAYS[rule.frequency] / rule.interval
        return int(periods * max(1, len(rule.weekdays)))
    if rule.frequency in PERIOD_MONTHS and length.unit in LENGTH_MONTHS:
        return int(length.count * LENGTH_MONTHS[length.unit] / PERIOD_MONTHS[rule.frequency] / rule.interval)
    return 0
