"""Rules of recurrence moved with their event: a Monday's becomes a Tuesday's."""

from calendar import monthrange
from datetime import datetime, timedelta

from tertulia.calendars.event_reading import EventClock, read_until
from tertulia.calendars.recurrence_rules import WEEKDAYS, join_rule, split_rule


def move_rule(
    text: str, *, before: EventClock, after: EventClock, start: datetime, moved_by: timedelta
) -> str:
    """Return a rule for a series whose first time, `start`, is moved by so much to another clock."""
    parts = split_rule(text)
    moved = start + moved_by
    until = read_until(text, before)
    if until is not None:
        parts["UNTIL"] = after.name_time(until + moved_by)
    if moved.date() != start.date():
        _move_days(parts, start, moved)
    for name, old, new in (("BYHOUR", start.hour, moved.hour), ("BYMINUTE", start.minute, moved.minute)):
        if parts.get(name) == str(old):
            parts[name] = str(new)
    return join_rule(parts)


def _move_days(parts: dict[str, str], start: datetime, moved: datetime) -> None:
    """Change which days a rule names, where they are those of its first time."""
    days = (moved.date() - start.date()).days
    by_day = parts.get("BYDAY", "")
    if by_day and all(day in WEEKDAYS for day in by_day.split(",")):
        # Every day of the week, or a day that is counted out by BYSETPOS, is what it is.
        if parts.get("FREQ") == "WEEKLY":
            parts["BYDAY"] = ",".join(_move_weekday(day, days) for day in by_day.split(","))
    elif by_day and "," not in by_day and by_day[-2:] == WEEKDAYS[start.weekday()]:
        parts["BYDAY"] = _count_weekday(moved, is_from_end=by_day.startswith("-"))
    if parts.get("BYMONTHDAY") == str(start.day):
        parts["BYMONTHDAY"] = str(moved.day)
    if parts.get("BYMONTHDAY") == "-1" and moved.day != monthrange(moved.year, moved.month)[1]:
        parts["BYMONTHDAY"] = str(moved.day)
    if parts.get("BYMONTH") == str(start.month):
        parts["BYMONTH"] = str(moved.month)


def _move_weekday(day: str, days: int) -> str:
    return WEEKDAYS[(WEEKDAYS.index(day) + days) % len(WEEKDAYS)]


def _count_weekday(day: datetime, *, is_from_end: bool) -> str:
    """Return which weekday of its month a day is, such as 2TU or -1FR."""
    days_left = monthrange(day.year, day.month)[1] - day.day
    number = -(days_left // 7 + 1) if is_from_end else (day.day - 1) // 7 + 1
    return f"{number}{WEEKDAYS[day.weekday()]}"
