"""Events, calendars and free times as people read them at a terminal and programs in a pipe."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

from tertulia.cli.id_ends import shown_id_chars
from tertulia.cli.output import print_table
from tertulia.core.json_object import JsonObject

EVENT_COLUMN_TITLES = ("Id", "Day", "Time", "Event", "Where", "Calendar", "Marks")
CALENDAR_COLUMN_TITLES = ("Id", "Kind", "Name", "Account", "Marks", "Synced", "Problem")
SLOT_COLUMN_TITLES = ("Day", "From", "To")
CALENDAR_MARKS = {"is_default": "default", "is_blocking": "blocks", "is_writable": "writable"}


def print_events(events: Sequence[JsonObject], calendars: Sequence[JsonObject]) -> None:
    """Print events as a table; in a pipe, with their whole ids."""
    names = {calendar["id"]: calendar["name"] for calendar in calendars}
    id_chars = shown_id_chars()
    print_table(EVENT_COLUMN_TITLES, (event_row(event, names, id_chars=id_chars) for event in events))


def event_row(event: JsonObject, calendar_names: dict[str, str], *, id_chars: int) -> tuple[str, ...]:
    """Return an event as a row, with so many characters of its id's end; 0 for all of them."""
    marks = ["recurs"] if event["is_recurring"] else []
    marks += ["free"] if event["transparent"] else []
    marks += [event["status"]] if event["status"] != "confirmed" else []
    marks += ["waits for its server"] if event["pending"] else []
    marks += [event["problem"]] if event["problem"] else []
    return (
        event["id"][-id_chars:],
        day_text(event["start"]),
        time_text(event),
        event["title"],
        event["location"],
        calendar_names.get(event["calendar_id"], ""),
        ", ".join(marks),
    )


def day_text(moment: str) -> str:
    """Return the day of a moment with its weekday."""
    return f"{date.fromisoformat(moment[:10]):%a %Y-%m-%d}"


def time_text(event: JsonObject) -> str:
    """Return when an event is, on its day or until another."""
    start, end = event["start"], event["end"]
    if event["all_day"]:
        last = date.fromisoformat(end[:10]) - timedelta(days=1)
        return "all day" if last.isoformat() <= start[:10] else f"until {last:%a %Y-%m-%d}"
    until = end[11:16] if end[:10] == start[:10] else f"{day_text(end)} {end[11:16]}"
    return f"{start[11:16]}-{until}"


def print_calendars(calendars: Sequence[JsonObject]) -> None:
    """Print calendars with where they are from, and how their last sync went."""
    id_chars = shown_id_chars()
    print_table(CALENDAR_COLUMN_TITLES, (calendar_row(calendar, id_chars) for calendar in calendars))


def calendar_row(calendar: JsonObject, id_chars: int) -> tuple[str, ...]:
    """Return a calendar as a row."""
    account, synced = calendar["account"], calendar["last_synced_at"]
    waiting = [f"{calendar['pending']} waiting"] if calendar["pending"] else []
    return (
        calendar["id"][-id_chars:],
        calendar["kind"],
        calendar["name"],
        account["name"] if account else "",
        ", ".join([mark for name, mark in CALENDAR_MARKS.items() if calendar[name]] + waiting),
        f"{datetime.fromisoformat(synced).astimezone():%Y-%m-%d %H:%M}" if synced else "",
        calendar["problem"],
    )


def print_slots(slots: Sequence[JsonObject]) -> None:
    """Print free times."""
    rows = ((day_text(slot["start"]), slot["start"][11:16], slot["end"][11:16]) for slot in slots)
    print_table(SLOT_COLUMN_TITLES, rows)


def days_counted(count: int) -> str:
    """Return a number of days in words."""
    return f"{count} {'day' if count == 1 else 'days'}"
