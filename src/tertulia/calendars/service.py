"""What can be done with events: list, make, change, delete; all as the caller, who owns them."""

from dataclasses import replace
from zoneinfo import ZoneInfo

from tertulia.calendars import (
    calendar_access,
    deletion,
    event_changes,
    event_links,
    event_store,
    event_writes,
)
from tertulia.calendars.domain import (
    MADE_BY_PERSON,
    Calendar,
    CalendarObject,
    EventLink,
    EventLinked,
    EventLinkKind,
    NewEvent,
    Occurrence,
    Scope,
)
from tertulia.calendars.errors import CalendarReadOnly, EventChanged, ScopeUnfit
from tertulia.calendars.event_fields import read_values, values_of
from tertulia.calendars.occurrences import find_zone, show_time
from tertulia.calendars.series import SeriesTime, read_series
from tertulia.core.clock import now, to_ms
from tertulia.core.errors import NotFound
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Role
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.undo import PendingDeletion


def list_calendars(tx: Tx) -> list[Calendar]:
    """Return the caller's calendars; the first is built in and everybody has it."""
    return calendar_access.list_calendars(tx)


def find_default(tx: Tx) -> Calendar:
    """Return the calendar for events that name none."""
    return calendar_access.find_default(tx)


def get_event(tx: Tx, event_id: str, recurrence_id: str | None = None) -> Occurrence:
    """Return an event, or one time of a series; where none is named its first one."""
    event = event_writes.get(tx, event_id)
    series = read_series(event.ics)
    if recurrence_id is not None and series.is_recurring:
        time = series.find_time(recurrence_id)
    else:
        time = series.find_first()
    if time is None:
        raise NotFound("time of this event")
    return _show(tx, event, time)


def create_event(
    tx: Tx, new: NewEvent, *, made_by: str = MADE_BY_PERSON, link: EventLink | None = None, log: EventLog
) -> Occurrence:
    """Make an event; one that names no calendar goes into the default one."""
    tx.by.require(Role.MEMBER)
    calendar = calendar_access.get_for_writing(tx, new.calendar_id)
    settled = NewEvent(**read_values(values_of(new)))
    uid, ics = event_changes.write_new(settled, zone=find_zone(tx))
    event = event_writes.add(tx, calendar, uid=uid, ics=ics, made_by=made_by, log=log)
    if link is not None:
        event_links.add(tx, event.id, link, EventLinkKind.CREATED)
    return get_event(tx, event.id)


def change_event(
    tx: Tx,
    event_id: str,
    values: JsonObject,
    *,
    scope: Scope = Scope.ALL,
    recurrence_id: str | None = None,
    revision: int | None = None,
    made_by: str = MADE_BY_PERSON,
    link: EventLink | None = None,
    log: EventLog,
) -> Occurrence:
    """Change an event, or some times of a series: this one, it and all that follow, or all.

    Times that follow become an event of their own, whose id is another. `revision` is the one that the
    caller has seen: where there is a newer one, `EventChanged` is raised.
    """
    tx.by.require(Role.MEMBER)
    event = event_writes.get(tx, event_id)
    if revision is not None and revision != event.revision:
        raise EventChanged
    calendar = _get_for_change(tx, event)
    values = read_values(values)
    target = values.pop("calendar_id", None) or calendar.id
    is_series = read_series(event.ics).is_recurring
    if is_series and scope is not Scope.ALL:
        if target != calendar.id:
            raise ScopeUnfit("A series stays in one calendar. Move all its times, or none.")
        if recurrence_id is None:
            raise ScopeUnfit("Say which time of the series is meant, in `recurrence_id`.")
        if scope is Scope.THIS:
            changed = _change_one(tx, calendar, event, values, name=recurrence_id, log=log)
        else:
            changed = _change_following(
                tx, calendar, event, values, name=recurrence_id, made_by=made_by, log=log
            )
    else:
        name = recurrence_id if is_series else None
        changed = _change_all(tx, calendar, event, values, name=name, log=log)
        _move(tx, calendar, event, target, log=log)
    if link is not None:
        event_links.add(tx, changed.object_id, link, EventLinkKind.CHANGED)
    return replace(changed, **_current_state(tx, changed))


def delete_event(
    tx: Tx,
    event_id: str,
    *,
    scope: Scope = Scope.ALL,
    recurrence_id: str | None = None,
    revision: int | None = None,
    made_by: str = MADE_BY_PERSON,
    log: EventLog,
) -> PendingDeletion:
    """Delete an event, or some times of a series; whoever did can restore it for a short time."""
    return deletion.delete_event_with_undo(
        tx, event_id, scope=scope, recurrence_id=recurrence_id, revision=revision, log=log
    )


def list_created(tx: Tx, conversation_id: str) -> list[EventLinked]:
    """Return the caller's events that a conversation made: each by its next time, or its last one."""
    found: list[EventLinked] = []
    for link in event_links.list_created(tx, conversation_id):
        event = event_store.find(tx, link.object_id)
        time = read_series(event.ics).find_next(to_ms(now())) if event else None
        if event is not None and time is not None:
            found.append(EventLinked(_show(tx, event, time), EventLink(conversation_id, link.message_id)))
    return found


def _change_all(
    tx: Tx, calendar: Calendar, event: CalendarObject, values: JsonObject, *, name: str | None, log: EventLog
) -> Occurrence:
    """Change an event as a whole, and return its first time."""
    if values:
        ics = event_changes.change_all(event.ics, values, name=name, zone=find_zone(tx))
        event_writes.save(tx, calendar, event, ics, log=log)
    return get_event(tx, event.id)


def _change_one(
    tx: Tx, calendar: Calendar, event: CalendarObject, values: JsonObject, *, name: str, log: EventLog
) -> Occurrence:
    """Change one time of a series, and return it."""
    ics = event_changes.change_one(event.ics, values, name=name, zone=find_zone(tx))
    event_writes.save(tx, calendar, event, ics, log=log)
    return get_event(tx, event.id, name)


def _change_following(
    tx: Tx,
    calendar: Calendar,
    event: CalendarObject,
    values: JsonObject,
    *,
    name: str,
    made_by: str,
    log: EventLog,
) -> Occurrence:
    """Change a time of a series and all that follow, which become a series of their own; return its first."""
    head, tail = event_changes.split(event.ics, name)
    ics = event_changes.change_all(tail, values, name=name, zone=find_zone(tx))
    if head is None:
        event_writes.save(tx, calendar, event, ics, log=log)
        return get_event(tx, event.id)
    event_writes.save(tx, calendar, event, head, log=log)
    uid = event_changes.uid_of(ics)
    return get_event(tx, event_writes.add(tx, calendar, uid=uid, ics=ics, made_by=made_by, log=log).id)


def _move(tx: Tx, calendar: Calendar, event: CalendarObject, target: str, *, log: EventLog) -> None:
    if target != calendar.id:
        event_writes.move(tx, calendar, calendar_access.get_for_writing(tx, target), event, log=log)


def _get_for_change(tx: Tx, event: CalendarObject) -> Calendar:
    calendar = calendar_access.get(tx, event.calendar_id)
    if not calendar.is_writable:
        raise CalendarReadOnly(calendar.name)
    return calendar


def _current_state(tx: Tx, changed: Occurrence) -> JsonObject:
    """Return what a move to another calendar changed of an event."""
    event = event_writes.get(tx, changed.object_id)
    return {"calendar_id": event.calendar_id, "revision": event.revision}


def _show(tx: Tx, event: CalendarObject, time: SeriesTime) -> Occurrence:
    calendars = {calendar.id: calendar for calendar in calendar_access.list_calendars(tx)}
    return show_time(event, time, calendars, ZoneInfo(find_zone(tx)))
