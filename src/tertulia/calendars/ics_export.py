"""Calendars as iCalendar files: every event as it was stored."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, count

from tertulia.accounts import members
from tertulia.calendars import calendar_access, event_store, store
from tertulia.calendars.caldav.ical_lines import IcalComponent, write_calendar
from tertulia.calendars.errors import CalendarTextInvalid
from tertulia.calendars.event_lines import new_calendar, parse_text, render, with_zones
from tertulia.calendars.own_zones import is_own, rename_zone, zone_name
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx

CALENDAR_MEDIA_TYPE = "text/calendar; charset=utf-8"


def list_texts(tx: Tx, calendar_id: str) -> tuple[str, list[str]]:
    """Return the name of a calendar of the caller's, and the text of each event in it."""
    calendar = calendar_access.get(tx, calendar_id)
    return calendar.name, [event.ics for event in event_store.list_of_calendar(tx, calendar.id)]


async def find_subscription(db: Database, subscription_hash: str) -> tuple[str, list[str]]:
    """Return what a secret address shows, or raise `NotFound`: as where its owner may not act any more."""
    found = await db.read(lambda tx: store.find_subscribed(tx, subscription_hash), by=None)
    if found is None:
        raise NotFound("calendar")
    owner = Principal(found.owner_id, found.workspace_id, Role.VIEWER)

    def read(tx: Tx) -> tuple[str, list[str]]:
        if members.find_active(tx) is None:
            raise NotFound("calendar")
        return list_texts(tx, found.id)

    return await db.read(read, by=owner)


def write_file(name: str, texts: Iterable[str]) -> str:
    """Return events as one calendar, with each zone told once, for the years of all events."""
    zones: dict[str, IcalComponent] = {}
    events: list[IcalComponent] = []
    for text in texts:
        try:
            calendar = parse_text(text)
        except CalendarTextInvalid:
            # An event that a server sent and that nobody can read stays on that server.
            continue
        names = _add_zones(zones, calendar.children_named("VTIMEZONE"))
        events += (rename_zone(event, names) for event in calendar.children_named("VEVENT"))
    file = new_calendar(*zones.values(), *events)
    named = render("X-WR-CALNAME", name)
    return write_calendar(with_zones(replace(file, lines=(*file.lines, named))))


def _add_zones(known: dict[str, IcalComponent], zones: Iterable[IcalComponent]) -> dict[str, str]:
    """Add the zones of a text to those of a file; return which have another name there.

    Different zones of one name keep apart, unless everybody knows what the name means.
    """
    names: dict[str, str] = {}
    for zone in zones:
        name = zone_name(zone)
        choices = chain([name], (f"{name} ({number})" for number in count(2)))
        for wanted in choices:
            told = rename_zone(zone, {name: wanted}) if wanted != name else zone
            if known.setdefault(wanted, told) == told or not is_own(name):
                names |= {name: wanted} if wanted != name else {}
                break
    return names
