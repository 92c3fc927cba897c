"""Storing events, and what follows: their columns, what their server is to be told, and the news."""

from dataclasses import asdict

from tertulia.calendars import event_store
from tertulia.calendars.caldav.merge import is_same_event
from tertulia.calendars.caldav.sync_queue import queue_sync
from tertulia.calendars.domain import (
    Calendar,
    CalendarKind,
    CalendarObject,
    EventColumns,
    PendingChange,
)
from tertulia.calendars.event_columns import describe_text
from tertulia.calendars.events import publish_change
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog


def get(tx: Tx, event_id: str) -> CalendarObject:
    """Return an event of the caller's, or raise `NotFound`."""
    if event := event_store.find(tx, event_id):
        return event
    raise NotFound("event")


def new_object(
    calendar: Calendar, *, uid: str, ics: str, made_by: str, columns: EventColumns | None = None
) -> CalendarObject:
    """Return an event to be stored in a calendar; `columns` spare reading a text again."""
    made_at = now()
    is_elsewhere = calendar.kind is CalendarKind.CALDAV
    return CalendarObject(
        id=new_id("evt"),
        calendar_id=calendar.id,
        owner_id=calendar.owner_id,
        uid=uid,
        ics=ics,
        revision=1,
        href="",
        etag="",
        base_ics="",
        pending=PendingChange.CREATE if is_elsewhere else PendingChange.NONE,
        problem="",
        made_by=made_by,
        created_at=made_at,
        changed_at=made_at,
        deleted_at=None,
        **asdict(columns or describe_text(ics)),
    )


def add(tx: Tx, calendar: Calendar, *, uid: str, ics: str, made_by: str, log: EventLog) -> CalendarObject:
    """Store a new event."""
    event = new_object(calendar, uid=uid, ics=ics, made_by=made_by)
    event_store.add_many(tx, [event])
    tell(tx, calendar, log=log)
    return event


def save(tx: Tx, calendar: Calendar, event: CalendarObject, ics: str, *, log: EventLog) -> None:
    """Give an event another text; one that says the same is stored only where there is a problem."""
    if is_same_event(event.ics, ics) and not event.problem:
        return
    event_store.set_text(
        tx, event.id, ics=ics, columns=describe_text(ics), pending=next_pending(calendar, event)
    )
    tell(tx, calendar, log=log)


def move(tx: Tx, before: Calendar, after: Calendar, event: CalendarObject, *, log: EventLog) -> None:
    """Put an event into another calendar; the server of the first one is told that it is gone there."""
    is_elsewhere = after.kind is CalendarKind.CALDAV
    pending = PendingChange.CREATE if is_elsewhere else PendingChange.NONE
    event_store.set_place(tx, event.id, calendar_id=after.id, pending=pending)
    if before.kind is CalendarKind.CALDAV and (event.href or event.etag):
        event_store.add_many(tx, [_make_tombstone(event)])
        tell(tx, before, log=log)
    tell(tx, after, log=log)


def tell(tx: Tx, calendar: Calendar, *, log: EventLog) -> None:
    """Have everybody told who keeps a copy: the server of a calendar, and the caller's devices."""
    if calendar.kind is CalendarKind.CALDAV:
        queue_sync(tx, calendar.id, log=log)
    publish_change(tx, log=log)


def next_pending(calendar: Calendar, event: CalendarObject) -> PendingChange:
    """Return what the server of a changed event does not know."""
    if calendar.kind is not CalendarKind.CALDAV:
        return PendingChange.NONE
    return PendingChange.UPDATE if event.etag else PendingChange.CREATE


def _make_tombstone(event: CalendarObject) -> CalendarObject:
    """Return what is left of an event in the calendar that it leaves, until its server knows."""
    values = {name: getattr(event, name) for name in CalendarObject.__dataclass_fields__}
    values |= {"id": new_id("evt"), "pending": PendingChange.DELETE, "deleted_at": now(), "search_text": ""}
    return CalendarObject(**values)
