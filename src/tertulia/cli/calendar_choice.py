"""Which calendar and which event a command means."""

from datetime import date, timedelta
from typing import TYPE_CHECKING

import click

from tertulia.cli import id_ends
from tertulia.core.clock import now
from tertulia.core.ids import canonical_id, is_id
from tertulia.core.json_object import JsonObject

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

EVENT_ID_PREFIX = "evt"
#: Events that are named by the end of their id are looked for in so many days before and after today.
SOUGHT_DAYS_BEFORE = 31
SOUGHT_DAYS_AFTER = 366


def list_calendars(server: "ApiClient") -> list[JsonObject]:
    """Return your calendars."""
    return server.get("/api/calendars")["calendars"]


def find_calendar(server: "ApiClient", name: str | None) -> JsonObject:
    """Return the calendar with a name or id; without one, that where new events go."""
    known = list_calendars(server)
    if name is None:
        return next(calendar for calendar in known if calendar["is_default"])
    found = [
        calendar
        for calendar in known
        if calendar["id"] == canonical_id(name) or calendar["name"].casefold() == name.casefold()
    ]
    if len(found) != 1:
        names = ", ".join(calendar["name"] for calendar in known)
        raise click.UsageError(f"There is no single calendar {name!r}. There are: {names}.")
    return found[0]


def list_events(
    server: "ApiClient", first: date, days: int, *, calendar: str | None = None, text: str = ""
) -> list[JsonObject]:
    """Return the events of some days, each time of a recurring one by itself."""
    wanted: dict[str, str | list[str]] = {
        "start": first.isoformat(),
        "end": (first + timedelta(days=days)).isoformat(),
    }
    wanted |= {"calendars": [find_calendar(server, calendar)["id"]]} if calendar else {}
    wanted |= {"q": text} if text else {}
    return server.get("/api/calendar/events", **wanted)["events"]


def find_event(server: "ApiClient", name: str) -> JsonObject:
    """Return the event with this id, or with an id that ends like this."""
    if is_id(event_id := canonical_id(name), EVENT_ID_PREFIX):
        return server.get(f"/api/calendar/events/{event_id}")
    first = find_today() - timedelta(days=SOUGHT_DAYS_BEFORE)
    known = list_events(server, first, SOUGHT_DAYS_BEFORE + SOUGHT_DAYS_AFTER)
    return id_ends.find_by_end(known, event_id, noun="event")


def find_today() -> date:
    """Return which day it is where the terminal stands."""
    return now().astimezone().date()
