"""Sending our changes to a server: each over the version that we know, so that nobody's is overwritten.

Before a request, what is sent is written down: after a crash the same text is known again at the server, and
is neither sent twice nor taken for somebody else's.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from tertulia.calendars.caldav import object_store, object_texts
from tertulia.calendars.caldav.client import INSUFFICIENT_STORAGE, DavAnswer, DavClient
from tertulia.calendars.caldav.dav_urls import object_href, resolve_href
from tertulia.calendars.caldav.errors import CalDavIncomplete
from tertulia.calendars.caldav.etags import plain_etag
from tertulia.calendars.caldav.object_store import SyncedObject
from tertulia.calendars.caldav.problem_texts import (
    CHANGE_REFUSED,
    DELETION_REFUSED,
    STORAGE_FULL,
    UID_TAKEN,
)
from tertulia.calendars.caldav.remote_calendar import (
    GONE_STATUSES,
    RemoteEvent,
    fetch_event,
)
from tertulia.calendars.caldav.server_versions import (
    CalendarPlace,
    Takeover,
    is_whole_event,
    take_over,
    take_over_deletion,
)
from tertulia.calendars.caldav.sync_report import SyncReport
from tertulia.calendars.domain import PendingChange
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx

T = TypeVar("T")
PRECONDITION_FAILED = 412
LOCKED = 423
#: By these a server says that it does not know `If-None-Match`.
UNKNOWN_CONDITION_STATUSES = frozenset({400, 405, 501})
#: So many races are lost in one sync before the event waits for the next.
PUSH_TRIES_MAX = 5
UID_CONFLICT = "no-uid-conflict"


@dataclass(slots=True)
class Push:
    """Sends what one calendar's server does not know yet."""

    db: Database
    by: Principal
    client: DavClient
    place: CalendarPlace
    url: str
    report: SyncReport = field(default_factory=SyncReport)
    #: What the server did not take in this sync; it is not tried twice.
    refused: set[str] = field(default_factory=set[str])

    async def run(self) -> None:
        """Send every change; one that a server does not take holds up no other."""
        for found in await self._read(lambda tx: object_store.list_pending(tx, self.place.calendar_id)):
            if found.id not in self.refused:
                await self._push(found.id)

    async def _push(self, object_id: str) -> None:
        for _ in range(PUSH_TRIES_MAX):
            found = await self._read(
                lambda tx: object_store.find_object(tx, self.place.calendar_id, object_id)
            )
            if found is None or found.is_hidden or found.pending is PendingChange.NONE:
                return
            is_done = await (
                self._delete(found) if found.pending is PendingChange.DELETE else self._put(found)
            )
            if is_done:
                return

    async def _put(self, found: SyncedObject) -> bool:
        """Send an event; False where somebody else was quicker, and it is to be looked at again."""
        href = found.href or object_href(self.url, found.uid)
        if not found.is_known_there:
            # A server may not know `If-None-Match`, and may have what we sent before a crash.
            existing = await fetch_event(self.client, self.url, href)
            if existing is not None:
                return await self._take_over(existing)
        await self._write(lambda tx: object_store.note_sending(tx, found, href=href))
        answer = await self._send(found, href)
        if answer.is_success:
            await self._finish(found, href, plain_etag(answer.etag))
            return True
        if answer.status == PRECONDITION_FAILED or answer.status in GONE_STATUSES:
            return await self._look_again(found, href)
        await self._refuse(found, answer)
        return True

    async def _send(self, found: SyncedObject, href: str) -> DavAnswer:
        url = resolve_href(self.url, href)
        answer = await self.client.put(url, found.ics, etag=found.etag)
        if not found.is_known_there and answer.status in UNKNOWN_CONDITION_STATUSES:
            return await self.client.put_unconditionally(url, found.ics)
        return answer

    async def _finish(self, found: SyncedObject, href: str, etag: str) -> None:
        """Store that the server has what was sent; where it does not say which version, look."""
        event = None if etag else await self._find_sent(found, href)

        def write(tx: Tx) -> None:
            current = object_store.find_object(tx, self.place.calendar_id, found.id)
            # What was moved to another calendar meanwhile has left its path to what is to be deleted there.
            current = current or object_store.find_by_href(tx, self.place.calendar_id, href)
            if current is None:
                return
            is_settled = current.revision == found.revision and current.pending is found.pending
            left = PendingChange.NONE if is_settled else _left_to_do(current)
            object_store.note_server_version(
                tx,
                current.id,
                href=href,
                etag=etag or object_store.UNKNOWN_ETAG,
                base_ics=found.ics,
                pending=left,
                problem="",
            )
            if event is not None:
                take_over(tx, self.place, event)

        await self._write(write)
        self.report.count_sent(found.pending)

    async def _find_sent(self, found: SyncedObject, href: str) -> RemoteEvent:
        """Return what the server has of what it took; an answer by somebody in between took nothing."""
        event = await fetch_event(self.client, self.url, href)
        if event is None or event.etag == found.etag:
            raise CalDavIncomplete(self.place.host)
        return event

    async def _look_again(self, found: SyncedObject, href: str) -> bool:
        """Take over what the server has by now; where it has nothing any more, our change is told as lost."""
        event = await fetch_event(self.client, self.url, href)
        if event is not None:
            return await self._take_over(event)
        if not found.is_known_there:
            return False

        def write(tx: Tx) -> Takeover:
            current = object_store.find_object(tx, self.place.calendar_id, found.id)
            return take_over_deletion(tx, self.place, current) if current else Takeover.NOTHING

        self.report.count(await self._write(write))
        return True

    async def _take_over(self, event: RemoteEvent) -> bool:
        """Take over the server's version; always to be looked at again, as our change may be left to send."""
        if is_whole_event(event.content):
            self.report.count(await self._write(lambda tx: take_over(tx, self.place, event)))
        return False

    async def _delete(self, found: SyncedObject) -> bool:
        """Delete an event at the server, in the version that we know."""
        if not found.is_known_there and found.href:
            # What was sent before a crash, and then deleted, may have arrived.
            event = await fetch_event(self.client, self.url, found.href)
            if event is not None:
                return await self._take_over(event)
        if found.is_known_there:
            answer = await self.client.delete(resolve_href(self.url, found.href), etag=found.etag)
            if answer.status == PRECONDITION_FAILED:
                return await self._look_again(found, found.href)
            if not answer.is_success and answer.status not in GONE_STATUSES:
                await self._keep(found, answer)
                return True
        await self._write(lambda tx: object_store.remove_object(tx, found.id))
        self.report.count_sent(PendingChange.DELETE)
        return True

    async def _keep(self, found: SyncedObject, answer: DavAnswer) -> None:
        """Bring back an event that the server does not let be deleted."""
        problem = DELETION_REFUSED.format(host=self.place.host, reason=_reason_of(answer))

        def write(tx: Tx) -> None:
            object_texts.restore(tx, found.id)
            object_store.note_server_version(
                tx,
                found.id,
                href=found.href,
                etag=found.etag,
                base_ics=found.base_ics,
                pending=PendingChange.NONE,
                problem=problem,
            )

        await self._write(write)
        self.report.problems.append(problem)

    async def _refuse(self, found: SyncedObject, answer: DavAnswer) -> None:
        """Store why the server does not take a change."""
        host, reason = self.place.host, _reason_of(answer)
        self.refused.add(found.id)
        is_final = answer.status not in (INSUFFICIENT_STORAGE, LOCKED)
        if answer.status == INSUFFICIENT_STORAGE:
            problem = STORAGE_FULL.format(host=host)
        elif answer.refusal().precondition == UID_CONFLICT:
            problem = UID_TAKEN.format(host=host)
        else:
            problem = CHANGE_REFUSED.format(host=host, reason=reason)

        def write(tx: Tx) -> None:
            object_store.note_refused(tx, found, problem=problem, is_final=is_final)

        await self._write(write)
        self.report.problems.append(problem)

    async def _read(self, call: Callable[[Tx], T]) -> T:
        return await self.db.read(call, by=self.by)

    async def _write(self, call: Callable[[Tx], T]) -> T:
        return await self.db.write(call, by=self.by)


def _left_to_do(current: SyncedObject) -> PendingChange:
    """Return what is left to send of an event whose creation has just arrived."""
    return PendingChange.UPDATE if current.pending is PendingChange.CREATE else current.pending


def _reason_of(answer: DavAnswer) -> str:
    """Return why a server refused, as far as it says."""
    return answer.refusal().precondition or f"status {answer.status}"
