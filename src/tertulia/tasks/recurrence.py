"""The days on which a task recurs, by a rule of RFC 5545."""

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from tertulia.tasks.errors import RuleUnreadable

if TYPE_CHECKING:
    from dateutil.rrule import rrule

#: Parts that a rule may have: a task recurs by days, never by hours.
RULE_PARTS = frozenset(
    {
        "FREQ",
        "INTERVAL",
        "COUNT",
        "UNTIL",
        "BYDAY",
        "BYMONTHDAY",
        "BYYEARDAY",
        "BYWEEKNO",
        "BYMONTH",
        "BYSETPOS",
        "WKST",
    }
)
RULE_FREQUENCIES = frozenset(("DAILY", "WEEKLY", "MONTHLY", "YEARLY"))
RULE_MAX_CHARS = 500
RULE_PREFIX = "RRULE:"
#: The calendar repeats itself after so many years: what did not happen by then never does.
CALENDAR_PERIOD_YEARS = 400
#: The last day of this year is the last that can be reckoned with.
CALENDAR_LAST_YEAR = 9999


def read_rule(text: str) -> str:
    """Return a rule in one form, or raise where it is none that days can follow."""
    parts = split_rule(text)
    if unknown := sorted(parts.keys() - RULE_PARTS):
        raise RuleUnreadable(f"a task cannot follow {unknown[0]}")
    if parts.get("FREQ") not in RULE_FREQUENCIES:
        raise RuleUnreadable("it needs FREQ with DAILY, WEEKLY, MONTHLY or YEARLY")
    for name in ("INTERVAL", "COUNT"):
        # More digits than any calendar has days would be reckoned with for a long time.
        if name in parts and not (
            parts[name].isascii() and parts[name].isdigit() and int(parts[name][:6]) > 0
        ):
            raise RuleUnreadable(f"{name} has to be a number above zero")
    if "UNTIL" in parts:
        parts["UNTIL"] = read_until(parts["UNTIL"]).strftime("%Y%m%d")
        if "COUNT" in parts:
            raise RuleUnreadable("it may have COUNT or UNTIL, not both")
    rule = ";".join(f"{name}={value}" for name, value in parts.items())
    _parse(rule, date(2000, 1, 1))
    return rule


def split_rule(text: str) -> dict[str, str]:
    """Return the parts of a rule by their names."""
    written = text.strip().upper().removeprefix(RULE_PREFIX)
    if len(written) > RULE_MAX_CHARS or not written.isascii():
        raise RuleUnreadable("it is too long, or has letters that no rule has")
    parts: dict[str, str] = {}
    for part in written.rstrip(";").split(";"):
        name, is_pair, value = part.partition("=")
        if not is_pair or not value or name in parts or any(character.isspace() for character in part):
            raise RuleUnreadable("each part has to be written once, as NAME=VALUE")
        parts[name] = value
    return parts


def read_until(value: str) -> date:
    """Return the last day of a rule; a time of that day is of no account for tasks."""
    day, _, clock = value.partition("T")
    try:
        if clock:
            datetime.strptime(clock.removesuffix("Z"), "%H%M%S")  # noqa: DTZ007 - only its form counts
        return datetime.strptime(day, "%Y%m%d").date()  # noqa: DTZ007 - a day has no zone
    except ValueError:
        raise RuleUnreadable("UNTIL has to be a day such as 20261231") from None


def find_day(rule: str, *, start: date, after: date | None = None) -> date | None:
    """Return the first day of a rule that counts from `start`, or the first one after a day."""
    # Counted in a period of the calendar that ends soon, so that a rule without any day is found out quickly.
    years = (CALENDAR_LAST_YEAR - start.year) // CALENDAR_PERIOD_YEARS * CALENDAR_PERIOD_YEARS
    days = _parse(rule, _move_years(start, years), years)
    try:
        found = next(iter(days), None) if after is None else days.after(_midnight(_move_years(after, years)))
        return found and _move_years(found.date(), -years)
    except (ValueError, OverflowError):
        return None


def falls_on(rule: str, day: date) -> bool:
    """Tell whether a rule that counts from a day has that day."""
    parts = {name: value for name, value in split_rule(rule).items() if name not in ("COUNT", "UNTIL")}
    return find_day(";".join(f"{name}={value}" for name, value in parts.items()), start=day) == day


def choose_anchor(rule: str, *, start_date: date | None, due_date: date | None) -> date | None:
    """Return which day of a task its rule is about: the due date, unless it falls on the start date alone."""
    days = [day for day in (due_date, start_date) if day is not None]
    if len(days) > 1 and not falls_on(rule, days[0]) and falls_on(rule, days[1]):
        return days[1]
    return days[0] if days else None


def shift(day: date | None, by: timedelta) -> date | None:
    """Return a day moved by so much."""
    return day + by if day is not None else None


def _parse(rule: str, start: date, years: int = 0) -> "rrule":
    """Return the days of a rule, moved by so many years."""
    from dateutil.rrule import rrule, rrulestr

    try:
        days = rrulestr(rule, dtstart=_midnight(start))
        # The library reads much that is no single rule; all of that was refused before.
        assert isinstance(days, rrule)  # noqa: S101 - see above
        until: date | None = read_until(parts) if (parts := split_rule(rule).get("UNTIL")) else None
        return days.replace(until=_midnight(_move_years(until, years))) if until and years else days
    except (ValueError, KeyError, IndexError, TypeError, OverflowError) as error:
        raise RuleUnreadable(str(error) or "it is no rule of RFC 5545") from None


def _move_years(day: date, years: int) -> date:
    return day.replace(year=min(day.year + years, CALENDAR_LAST_YEAR)) if years else day


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min)
