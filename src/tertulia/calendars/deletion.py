"""Deleting events and calendars with an undo: gone at once, and back as they were within a short time."""

from dataclasses import dataclass

from tertulia.calendars import calendar_access, event_changes, event_store, event_writes, store
from tertulia.calendars.domain import Calendar, CalendarKind, CalendarObject, PendingChange, Scope
from tertulia.calendars.errors import CalendarNeeded, CalendarReadOnly, EventChanged, ScopeUnfit
from tertulia.calendars.events import publish_change
from tertulia.calendars.series import read_series
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.principal import Role
from tertulia.infra import undo
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.undo import DeletionKind, PendingDeletion
from tertulia.infra.undo.held_rows import hold_rows, list_held_rows

EVENT_DELETION_KIND = "event"
EVENT_TIMES_DELETION_KIND = "event_times"
CALENDAR_DELETION_KIND = "calendar"


@dataclass(frozen=True, slots=True)
class HeldText:
    """The text of an event before some of its times were deleted."""

    ics: str
    revision: int


def delete_event_with_undo(
    tx: Tx, event_id: str, *, scope: Scope, recurrence_id: str | None, revision: int | None, log: EventLog
) -> PendingDeletion:
    """Delete an event, or some times of a series; whoever did can restore it for a short time."""
    tx.by.require(Role.MEMBER)
    event = event_writes.get(tx, event_id)
    calendar = calendar_access.get(tx, event.calendar_id)
    if not calendar.is_writable:
        raise CalendarReadOnly(calendar.name)
    if revision is not None and revision != event.revision:
        raise EventChanged
    if scope is Scope.ALL or not read_series(event.ics).is_recurring:
        return _delete_all(tx, calendar, event, log=log)
    if recurrence_id is None:
        raise ScopeUnfit("Say which time of the series is meant, in `recurrence_id`.")
    change = event_changes.take_out if scope is Scope.THIS else event_changes.cut
    left = change(event.ics, recurrence_id)
    if left is None:
        return _delete_all(tx, calendar, event, log=log)
    deletion = undo.add(tx, EVENT_TIMES_DELETION_KIND, event.id)
    hold_rows(tx, deletion.id, "calendar_objects", [event.id])
    event_writes.save(tx, calendar, event, left, log=log)
    return deletion


def delete_calendar_with_undo(tx: Tx, calendar_id: str, *, log: EventLog) -> PendingDeletion:
    """Delete a calendar here; a server that keeps it is told nothing."""
    tx.by.require(Role.MEMBER)
    calendar = calendar_access.get(tx, calendar_id)
    if calendar.id == calendar_access.primary_id(tx):
        raise CalendarNeeded
    store.hide(tx, calendar.id, deleted_at=now())
    publish_change(tx, log=log)
    return undo.add(tx, CALENDAR_DELETION_KIND, calendar.id)


def deletion_kinds(log: EventLog) -> dict[str, DeletionKind]:
    """Return how events and calendars are restored, and how they are deleted for good."""

    def restore_event(tx: Tx, deletion: PendingDeletion) -> None:
        event = _find(tx, deletion)
        event_store.hide(tx, event.id, deleted_at=None)
        event_writes.tell(tx, calendar_access.get(tx, event.calendar_id), log=log)

    def erase_event(tx: Tx, deletion: PendingDeletion) -> None:
        event = event_store.find_deleted_too(tx, deletion.subject_id)
        if event is None:
            return
        calendar = store.find(tx, event.calendar_id)
        if calendar is not None and calendar.kind is CalendarKind.CALDAV and (event.etag or event.href):
            event_store.set_pending(tx, event.id, PendingChange.DELETE)
            event_writes.tell(tx, calendar, log=log)
        else:
            event_store.delete(tx, event.id)

    def restore_times(tx: Tx, deletion: PendingDeletion) -> None:
        event = _find(tx, deletion)
        held = list_held_rows(tx, HeldText, deletion.id, "calendar_objects")
        if not held or event.revision != held[0].revision + 1 or event.deleted_at is not None:
            raise EventChanged
        event_writes.save(tx, calendar_access.get(tx, event.calendar_id), event, held[0].ics, log=log)

    def restore_calendar(tx: Tx, deletion: PendingDeletion) -> None:
        store.hide(tx, deletion.subject_id, deleted_at=None)
        event_writes.tell(tx, calendar_access.get(tx, deletion.subject_id), log=log)

    return {
        EVENT_DELETION_KIND: DeletionKind(restore_event, erase_event),
        EVENT_TIMES_DELETION_KIND: DeletionKind(restore_times, lambda _tx, _deletion: None),
        CALENDAR_DELETION_KIND: DeletionKind(
            restore_calendar, lambda tx, deletion: store.delete(tx, deletion.subject_id)
        ),
    }


def _delete_all(tx: Tx, calendar: Calendar, event: CalendarObject, *, log: EventLog) -> PendingDeletion:
    event_store.hide(tx, event.id, deleted_at=now())
    event_writes.tell(tx, calendar, log=log)
    return undo.add(tx, EVENT_DELETION_KIND, event.id)


def _find(tx: Tx, deletion: PendingDeletion) -> CalendarObject:
    event = event_store.find_deleted_too(tx, deletion.subject_id)
    if event is None:
        raise NotFound("deletion")
    return event
