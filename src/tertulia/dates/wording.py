"""Days and moments as a person reads them: `Friday 20 November 2026, 16:00 (Europe/Madrid)`."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from tertulia.core.time_zones import known_time_zone

#: English whatever the locale of the machine is.
WEEKDAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
#: Between the ends of a span.
DASH = "\u2013"
MONTH_NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def describe_weekday(day: date) -> str:
    """Return the name of a day's weekday."""
    return WEEKDAY_NAMES[day.weekday()]


def describe_day(day: date) -> str:
    """Return a day with its weekday: `Friday 20 November 2026`."""
    return f"{describe_weekday(day)} {day.day} {MONTH_NAMES[day.month - 1]} {day.year:04d}"


def describe_moment(moment: datetime, zone: str) -> str:
    """Return a moment as clocks of a zone show it: `Friday 20 November 2026, 16:00 (Europe/Madrid)`."""
    local = moment.astimezone(ZoneInfo(known_time_zone(zone)))
    return f"{describe_day(local)}, {local:%H:%M} ({known_time_zone(zone)})"


def describe_span(start: date | datetime, end: date | datetime | None, zone: str) -> str:
    """Return from when to when something lasts; for whole days the end is the day after the last."""
    if isinstance(start, datetime):
        return describe_moments(start, end if isinstance(end, datetime) else None, zone)
    last = end - timedelta(1) if end is not None else start
    return describe_day(start) if last <= start else f"{describe_day(start)} {DASH} {describe_day(last)}"


def describe_moments(start: datetime, end: datetime | None, zone: str) -> str:
    """Return from which moment to which something lasts; the day is told once where it is the same."""
    # Clocks that are put back show one time twice, and then two moments of one zone count as equal.
    if end is None or end.astimezone(UTC) == start.astimezone(UTC):
        return describe_moment(start, zone)
    name = known_time_zone(zone)
    first, last = start.astimezone(ZoneInfo(name)), end.astimezone(ZoneInfo(name))
    tail = f"{last:%H:%M}" if first.date() == last.date() else f"{describe_day(last)}, {last:%H:%M}"
    mark = DASH if first.date() == last.date() else f" {DASH} "
    return f"{describe_day(first)}, {first:%H:%M}{mark}{tail} ({name})"
