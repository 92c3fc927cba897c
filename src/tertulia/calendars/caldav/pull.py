"""Fetching what changed at a server: whole answers are taken over, half ones change nothing."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tertulia.calendars.caldav import account_store, object_store, object_texts
from tertulia.calendars.caldav.account_store import SyncedCalendar
from tertulia.calendars.caldav.client import DavClient
from tertulia.calendars.caldav.remote_calendar import (
    MULTIGET_BATCH,
    RemoteChanges,
    RemoteEvent,
    RemoteState,
    SyncTokenForgotten,
    fetch_events,
    list_changes,
    list_everything,
    read_state,
)
from tertulia.calendars.caldav.server_versions import (
    CalendarPlace,
    Takeover,
    is_whole_calendar,
    is_whole_event,
    take_over,
    take_over_deletion,
)
from tertulia.calendars.caldav.sync_report import SyncReport
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx

T = TypeVar("T")


@dataclass(slots=True)
class Pull:
    """Takes over what one calendar's server has."""

    db: Database
    by: Principal
    client: DavClient
    place: CalendarPlace
    report: SyncReport = field(default_factory=SyncReport)
    #: Whether something could not be taken over: then the next sync asks for the same again.
    is_incomplete: bool = False
    #: Whether that was the server's doing.
    is_server_at_fault: bool = False

    async def run(self, calendar: SyncedCalendar) -> SyncedCalendar:
        """Take over what changed since the last time, and return how far the calendar was read."""
        state = await read_state(self.client, calendar.url)
        if not _has_news(calendar, state):
            return replace(calendar, is_writable=state.is_writable)
        # Read before: what is listed afterwards cannot lack an event that is known here.
        known = await self._read(lambda tx: object_store.list_known_etags(tx, calendar.id))
        changes = await self._list(calendar, state)
        wanted = sorted(href for href, etag in changes.etags.items() if known.get(href) != etag)
        for start in range(0, len(wanted), MULTIGET_BATCH):
            await self._fetch(calendar.url, wanted[start : start + MULTIGET_BATCH])
        gone = known.keys() - changes.etags.keys() if changes.is_everything else set(changes.gone)
        self._count(await self._write(lambda tx: self._delete(tx, sorted(gone))))
        if self.is_incomplete:
            return replace(calendar, is_writable=state.is_writable)
        return replace(
            calendar, ctag=state.ctag, sync_token=changes.sync_token, is_writable=state.is_writable
        )

    async def _list(self, calendar: SyncedCalendar, state: RemoteState) -> RemoteChanges:
        if calendar.sync_token and state.sync_token:
            try:
                return await list_changes(self.client, calendar.url, calendar.sync_token)
            except SyncTokenForgotten:
                pass
        return await list_everything(self.client, calendar.url, state)

    async def _fetch(self, url: str, hrefs: Sequence[str]) -> None:
        """Fetch some events and take them over; what was not answered is asked for again next time."""
        found = await fetch_events(self.client, url, hrefs)
        whole = [event for event in found.events if is_whole_calendar(event.content)]
        if not found.gone.union(event.href for event in whole).issuperset(hrefs):
            self.is_incomplete = self.is_server_at_fault = True
        events = [event for event in whole if is_whole_event(event.content)]
        await asyncio.to_thread(object_texts.read_ahead, [event.content for event in events])
        self._count(await self._write(lambda tx: self._take_over(tx, events, sorted(found.gone))))

    def _take_over(self, tx: Tx, events: Sequence[RemoteEvent], gone: Sequence[str]) -> list[Takeover]:
        if account_store.find_calendar(tx, self.place.calendar_id) is None:
            raise NotFound("calendar")
        # An event that was moved to another path is known again before its old path is looked at.
        return [take_over(tx, self.place, event) for event in events] + self._delete(tx, gone)

    def _delete(self, tx: Tx, hrefs: Sequence[str]) -> list[Takeover]:
        known = [object_store.find_by_href(tx, self.place.calendar_id, href) for href in hrefs]
        return [take_over_deletion(tx, self.place, found) for found in known if found is not None]

    def _count(self, outcomes: Sequence[Takeover]) -> None:
        for outcome in outcomes:
            self.report.count(outcome)
        self.is_incomplete = self.is_incomplete or Takeover.POSTPONED in outcomes

    async def _read(self, call: Callable[[Tx], T]) -> T:
        return await self.db.read(call, by=self.by)

    async def _write(self, call: Callable[[Tx], T]) -> T:
        return await self.db.write(call, by=self.by)


def _has_news(calendar: SyncedCalendar, state: RemoteState) -> bool:
    """Tell whether a calendar may have changed since it was last read."""
    if calendar.last_synced_at is None:
        return True
    if state.sync_token:
        return state.sync_token != calendar.sync_token
    return not state.ctag or state.ctag != calendar.ctag
