"""Finding the calendars of an account: by the well-known address, the principal and its home, or directly."""

import asyncio
import re
from dataclasses import dataclass
from urllib.parse import urljoin

from tertulia.calendars.caldav.client import DavClient
from tertulia.calendars.caldav.dav_urls import host_of, resolve_href
from tertulia.calendars.caldav.errors import CalDavNotFound, CalDavRefused
from tertulia.calendars.caldav.multistatus import (
    APPLE,
    CALDAV,
    CALENDAR_SERVER,
    DAV,
    NAMESPACES,
    DavResource,
    Multistatus,
)

WELL_KNOWN_PATH = "/.well-known/caldav"
#: More than anybody has; what a server lists beyond is not taken.
FOUND_CALENDARS_MAX = 100
CALENDAR_NAME_MAX_CHARS = 200
WRITE_PRIVILEGES = frozenset({f"{DAV}{name}" for name in ("all", "write", "write-content")})
COLOR_PATTERN = re.compile(r"#[0-9a-fA-F]{6}")

CALENDAR_PROPERTIES = (
    "<d:resourcetype/><d:displayname/><d:current-user-privilege-set/><d:supported-report-set/>"
    "<c:supported-calendar-component-set/><i:calendar-color/><d:current-user-principal/><c:calendar-home-set/>"
)
ASK_FOR_CALENDARS = f"<d:propfind {NAMESPACES}><d:prop>{CALENDAR_PROPERTIES}</d:prop></d:propfind>"


@dataclass(frozen=True, slots=True)
class FoundCalendar:
    """A calendar at a server."""

    url: str
    name: str
    color: str
    is_writable: bool


async def find_calendars(client: DavClient, url: str) -> list[FoundCalendar]:
    """Return the calendars that an address leads to, or raise: the one that it is, or all of an account."""
    for start in dict.fromkeys((url, urljoin(url, WELL_KNOWN_PATH), urljoin(url, "/"))):
        place = await look_at(client, start)
        if place is not None and (calendars := await list_calendars_from(client, place)):
            return calendars[:FOUND_CALENDARS_MAX]
    raise CalDavNotFound(host_of(url))


async def list_calendars_from(client: DavClient, place: "LookedAt") -> list[FoundCalendar]:
    """Return the calendar that a place is, or those of whoever is signed in there."""
    here = find_itself(place)
    if here is not None and is_calendar(here):
        return [read_calendar(place.url, here)]
    home = await find_home(client, place)
    return list_calendars_in(home) if home is not None else []


@dataclass(frozen=True, slots=True)
class LookedAt:
    """A place at a server, and what it says of itself."""

    url: str
    answer: Multistatus


async def look_at(client: DavClient, url: str, *, depth: int = 0) -> LookedAt | None:
    """Return what a place says of itself and what is in it; None where it does not speak WebDAV."""
    answer = await client.propfind(url, ASK_FOR_CALENDARS, depth=depth)
    try:
        found = await asyncio.to_thread(answer.multistatus)
    except CalDavRefused:
        return None
    return LookedAt(answer.url, found)


async def find_home(client: DavClient, place: LookedAt) -> LookedAt | None:
    """Follow a place to where the calendars of whoever is signed in lie."""
    home = href_in_answer(place, f"{CALDAV}calendar-home-set")
    principal = href_in_answer(place, f"{DAV}current-user-principal")
    if not home and principal and (account := await look_at(client, principal)) is not None:
        home = href_in_answer(account, f"{CALDAV}calendar-home-set")
    # A collection whose members are calendars will do where nothing names a home.
    return await look_at(client, home or place.url, depth=1)


def href_in_answer(place: LookedAt, name: str) -> str:
    """Return the address that some property names; empty where none does."""
    hrefs = (resource.href_of(name) for resource in place.answer.resources)
    found = next((href for href in hrefs if href), "")
    return resolve_href(place.url, found) if found else ""


def find_itself(place: LookedAt) -> DavResource | None:
    """Return what a place says of itself."""
    return next(
        (found for found in place.answer.resources if resolve_href(place.url, found.href) == place.url),
        place.answer.resources[0] if len(place.answer.resources) == 1 else None,
    )


def list_calendars_in(home: LookedAt) -> list[FoundCalendar]:
    """Return the calendars in a home that hold events."""
    return [read_calendar(home.url, found) for found in home.answer.resources if is_calendar(found)]


def is_calendar(resource: DavResource) -> bool:
    """Tell whether a resource is a calendar that holds events; one that lists only tasks is not."""
    kind = resource.properties.get(f"{DAV}resourcetype")
    holds = resource.properties.get(f"{CALDAV}supported-calendar-component-set")
    is_subscribed = kind is not None and f"{CALENDAR_SERVER}subscribed" in kind.names
    holds_events = holds is None or not holds.labels or "VEVENT" in holds.labels
    return kind is not None and f"{CALDAV}calendar" in kind.names and holds_events and not is_subscribed


def read_calendar(base: str, resource: DavResource) -> FoundCalendar:
    """Return a calendar as its server describes it."""
    url = resolve_href(base, resource.href)
    name = resource.text(f"{DAV}displayname") or url.rstrip("/").rpartition("/")[2]
    color = COLOR_PATTERN.match(resource.text(f"{APPLE}calendar-color"))
    return FoundCalendar(
        url, name[:CALENDAR_NAME_MAX_CHARS], color[0].lower() if color else "", read_is_writable(resource)
    )


def read_is_writable(resource: DavResource) -> bool:
    """Tell whether we may write into a calendar; a server that does not say lets us try."""
    privileges = resource.properties.get(f"{DAV}current-user-privilege-set")
    return privileges is None or not privileges.names or not WRITE_PRIVILEGES.isdisjoint(privileges.names)
