"""Reading a calendar at its server: what it is like, what changed in it, and the events themselves."""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from tertulia.calendars.caldav.client import INSUFFICIENT_STORAGE, DavClient
from tertulia.calendars.caldav.dav_urls import host_of, href_in, resolve_href
from tertulia.calendars.caldav.discovery import read_is_writable
from tertulia.calendars.caldav.errors import CalDavIncomplete, CalDavRefused, CalDavUnreachable
from tertulia.calendars.caldav.etags import plain_etag
from tertulia.calendars.caldav.multistatus import (
    CALDAV,
    CALENDAR_SERVER,
    DAV,
    NAMESPACES,
    DavResource,
    Multistatus,
)

#: Longer paths are left alone: no index takes them.
HREF_MAX_CHARS = 1_000
#: Events fetched with one question.
MULTIGET_BATCH = 50
#: More pages than a server needs to list all that changed.
SYNC_PAGES_MAX = 200
#: By these a server says that it forgot a token, or never knew this kind of question.
TOKEN_REFUSALS = frozenset({400, 403, 405, 409, 410, 415, 422, 501})
GONE_STATUSES = frozenset({404, 410})

ASK_FOR_STATE = (
    f"<d:propfind {NAMESPACES}><d:prop><s:getctag/><d:sync-token/><d:current-user-privilege-set/>"
    "</d:prop></d:propfind>"
)
ASK_FOR_ETAGS = (
    f"<d:propfind {NAMESPACES}><d:prop><d:getetag/><d:resourcetype/><d:getcontenttype/></d:prop></d:propfind>"
)


class SyncTokenForgotten(Exception):
    """The server cannot say what changed since a token."""


@dataclass(frozen=True, slots=True)
class RemoteState:
    """What a server says of a calendar as a whole."""

    ctag: str
    sync_token: str
    is_writable: bool


@dataclass(frozen=True, slots=True)
class RemoteChanges:
    """Which events of a calendar have which version; where it is all of them, others are gone."""

    etags: Mapping[str, str]
    is_everything: bool
    gone: Collection[str] = ()
    sync_token: str = ""


@dataclass(frozen=True, slots=True)
class RemoteEvent:
    """One event as its server has it."""

    href: str
    etag: str
    content: str


@dataclass(frozen=True, slots=True)
class FetchedEvents:
    """What was found of the events that were asked for; what is in neither was not answered."""

    events: tuple[RemoteEvent, ...] = ()
    gone: frozenset[str] = field(default_factory=frozenset[str])


async def read_state(client: DavClient, url: str) -> RemoteState:
    """Return what a server says of a calendar as a whole."""
    found = await ask_multistatus(client, "PROPFIND", url, ASK_FOR_STATE, depth=0)
    if not found.resources:
        raise CalDavIncomplete(host_of(url))
    itself = found.resources[0]
    return RemoteState(
        ctag=itself.text(f"{CALENDAR_SERVER}getctag"),
        sync_token=itself.text(f"{DAV}sync-token"),
        is_writable=read_is_writable(itself),
    )


async def list_everything(client: DavClient, url: str, state: RemoteState) -> RemoteChanges:
    """Return the version of every event; the token was read before, so that nothing falls in between."""
    found = await ask_multistatus(client, "PROPFIND", url, ASK_FOR_ETAGS, depth=1)
    etags = {
        href_of(url, resource): plain_etag(resource.text(f"{DAV}getetag"))
        for resource in found.resources
        if is_event_file(resource)
    }
    if not any(is_calendar_itself(url, resource) for resource in found.resources):
        # A list without the calendar itself is not one of all that is in it.
        raise CalDavIncomplete(host_of(url))
    return RemoteChanges(etags, is_everything=True, sync_token=state.sync_token)


async def list_changes(client: DavClient, url: str, token: str) -> RemoteChanges:
    """Return what changed since a token, page by page; raise `SyncTokenForgotten` where the server cannot."""
    etags: dict[str, str] = {}
    gone: set[str] = set()
    for _ in range(SYNC_PAGES_MAX):
        page = await ask_for_changes(client, url, token)
        is_truncated = False
        for resource in page.resources:
            href = href_of(url, resource)
            if is_calendar_itself(url, resource):
                is_truncated = is_truncated or resource.status == INSUFFICIENT_STORAGE
            elif resource.status in GONE_STATUSES:
                gone.add(href)
                etags.pop(href, None)
            elif resource.status == 200 and is_event_file(resource):
                etags[href] = plain_etag(resource.text(f"{DAV}getetag"))
                gone.discard(href)
        if not page.sync_token:
            raise CalDavIncomplete(host_of(url))
        if not is_truncated:
            return RemoteChanges(etags, is_everything=False, gone=gone, sync_token=page.sync_token)
        token = page.sync_token
    raise CalDavUnreachable(f"{host_of(url)} does not come to the end of what changed.")


async def ask_for_changes(client: DavClient, url: str, token: str) -> Multistatus:
    """Return one page of what changed since a token."""
    question = (
        f"<d:sync-collection {NAMESPACES}><d:sync-token>{escape(token)}</d:sync-token>"
        "<d:sync-level>1</d:sync-level><d:prop><d:getetag/><d:getcontenttype/></d:prop></d:sync-collection>"
    )
    try:
        return await ask_multistatus(client, "REPORT", url, question, depth=0)
    except CalDavRefused as refusal:
        if refusal.status in TOKEN_REFUSALS:
            raise SyncTokenForgotten from None
        raise


async def fetch_events(client: DavClient, url: str, hrefs: Collection[str]) -> FetchedEvents:
    """Return some events of a calendar, at most `MULTIGET_BATCH`."""
    wanted = "".join(f"<d:href>{escape(href)}</d:href>" for href in hrefs)
    question = (
        f"<c:calendar-multiget {NAMESPACES}><d:prop><d:getetag/><c:calendar-data/></d:prop>{wanted}"
        "</c:calendar-multiget>"
    )
    found = await ask_multistatus(client, "REPORT", url, question, depth=1)
    events: list[RemoteEvent] = []
    gone: set[str] = set()
    for resource in found.resources:
        href, content = href_of(url, resource), resource.text(f"{CALDAV}calendar-data")
        if resource.status in GONE_STATUSES:
            gone.add(href)
        elif content:
            events.append(RemoteEvent(href, plain_etag(resource.text(f"{DAV}getetag")), content))
    return FetchedEvents(tuple(events), frozenset(gone & set(hrefs)))


async def fetch_event(client: DavClient, url: str, href: str) -> RemoteEvent | None:
    """Return one event with its version as it is right now; None where there is none."""
    answer = await client.get(resolve_href(url, href))
    if answer.status in GONE_STATUSES:
        return None
    if not answer.is_success:
        raise answer.refusal()
    content = answer.content.decode("utf-8", errors="replace").replace("\0", "")
    if not answer.etag:
        found = await fetch_events(client, url, [href])
        return found.events[0] if found.events else None
    return RemoteEvent(href, plain_etag(answer.etag), content)


async def ask_multistatus(client: DavClient, verb: str, url: str, body: str, *, depth: int) -> Multistatus:
    """Ask a question and return what the answer tells of resources, or raise."""
    ask = client.propfind if verb == "PROPFIND" else client.report
    answer = await ask(url, body, depth=depth)
    return await asyncio.to_thread(answer.multistatus)


def href_of(url: str, resource: DavResource) -> str:
    """Return by which path an event of a calendar is known."""
    return href_in(resolve_href(url, resource.href))


def is_calendar_itself(url: str, resource: DavResource) -> bool:
    """Tell whether an answer is about the calendar that was asked."""
    return href_of(url, resource).rstrip("/") == href_in(url).rstrip("/")


def is_event_file(resource: DavResource) -> bool:
    """Tell whether a resource may be an event: neither a folder nor a task, and with a version."""
    kind = resource.properties.get(f"{DAV}resourcetype")
    is_folder = resource.href.endswith("/") or (kind is not None and f"{DAV}collection" in kind.names)
    content_type = resource.text(f"{DAV}getcontenttype").lower().replace(" ", "")
    is_other = any(f"component={name}" in content_type for name in ("vtodo", "vjournal"))
    is_known = resource.status == 200 and len(resource.href) <= HREF_MAX_CHARS
    return is_known and not is_folder and not is_other and bool(resource.text(f"{DAV}getetag"))
