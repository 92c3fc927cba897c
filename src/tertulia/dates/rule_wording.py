"""Rules of recurrence as a person reads them: `every 2 weeks on Tuesday and Friday`."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

from tertulia.core.time_zones import known_time_zone
from tertulia.dates.wording import MONTH_NAMES, WEEKDAY_NAMES, describe_day

UNIT_NAMES = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
WEEKDAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
WORKDAY_CODES = ("MO", "TU", "WE", "TH", "FR")
ORDINAL_NAMES = {-1: "last", 1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth"}


def describe_rule(rrule: str, zone: str = "") -> str:
    """Return how something recurs, in words; a rule with parts that are seldom used is told as it is."""
    named = rrule.removeprefix("RRULE:")
    parts = dict(part.split("=", 1) for part in named.split(";") if "=" in part)
    unit = UNIT_NAMES.get(parts.pop("FREQ", ""))
    if unit is None or parts.keys() - {"INTERVAL", "BYDAY", "BYMONTHDAY", "BYMONTH", "UNTIL", "COUNT"}:
        return f"recurring ({rrule})"
    interval = parts.get("INTERVAL", "1")
    every = f"every {unit}" if interval == "1" else f"every {interval} {unit}s"
    return every + describe_days(parts) + describe_end(parts, zone)


def describe_days(parts: dict[str, str]) -> str:
    """Return on which days something recurs."""
    codes = tuple(code for code in parts.get("BYDAY", "").split(",") if code)
    if codes == WORKDAY_CODES:
        return " from Monday to Friday"
    days = [describe_code(code) for code in codes]
    if number := parts.get("BYMONTHDAY"):
        month = parts.get("BYMONTH", "")
        name = (
            f" {MONTH_NAMES[int(month) - 1]}"
            if month.isdigit() and 1 <= int(month) <= len(MONTH_NAMES)
            else ""
        )
        days.append("the last day" if number == "-1" else f"{number}{name}" if name else f"day {number}")
    *first, last = days or [""]
    return f" on {', '.join(first)} and {last}" if first else f" on {last}" if last else ""


def describe_code(code: str) -> str:
    """Return a weekday such as `TU` or `-1FR` in words."""
    name = WEEKDAY_NAMES[WEEKDAY_CODES.index(code[-2:])] if code[-2:] in WEEKDAY_CODES else code
    which = code[:-2]
    return f"the {ORDINAL_NAMES.get(int(which), which)} {name}" if which.lstrip("+-").isdigit() else name


def describe_end(parts: dict[str, str], zone: str) -> str:
    """Return how long something recurs."""
    if count := parts.get("COUNT"):
        return f", {count} times"
    until = parts.get("UNTIL", "")
    if not until:
        return ""
    day = date.fromisoformat(until[:8])
    if until.endswith("Z"):
        moment = datetime.strptime(until, "%Y%m%dT%H%M%S%z")
        day = moment.astimezone(ZoneInfo(known_time_zone(zone))).date()
    return f", until {describe_day(day)}"
