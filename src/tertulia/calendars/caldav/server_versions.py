"""Taking over what a server has: as it is, or merged with what it does not know yet."""

from dataclasses import dataclass, replace
from enum import StrEnum

from tertulia.calendars.caldav import object_store, object_texts
from tertulia.calendars.caldav.ical_lines import NotCalendarText, parse_calendar, uid_of
from tertulia.calendars.caldav.merge import MergeResult, is_same_event, merge_events
from tertulia.calendars.caldav.object_store import SyncedObject
from tertulia.calendars.caldav.problem_texts import DELETED_HERE, DELETED_THERE, describe_conflict
from tertulia.calendars.caldav.remote_calendar import RemoteEvent
from tertulia.calendars.domain import PendingChange
from tertulia.infra.db import Tx

#: Longer ones are nobody's: no index takes them.
UID_MAX_CHARS = 500


class Takeover(StrEnum):
    """What became of an event at its server here."""

    NOTHING = "nothing"
    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"
    CONFLICT = "conflict"
    #: It can be taken over later: the person may still undo that they deleted it.
    POSTPONED = "postponed"


@dataclass(frozen=True, slots=True)
class CalendarPlace:
    """Which calendar is meant, and at which server, for people."""

    calendar_id: str
    host: str


def is_whole_event(content: str) -> bool:
    """Tell whether a text is one whole event with its UID."""
    return 0 < len(uid_of(content)) <= UID_MAX_CHARS


def is_whole_calendar(content: str) -> bool:
    """Tell whether a text is one whole calendar, whatever is in it."""
    try:
        parse_calendar(content)
    except NotCalendarText:
        return False
    return True


def take_over(tx: Tx, place: CalendarPlace, event: RemoteEvent) -> Takeover:
    """Store the version of the server; what the server does not know yet is merged with it, or told."""
    uid = uid_of(event.content)
    found = object_store.find_by_href(tx, place.calendar_id, event.href)
    found = found or object_store.find_by_uid(tx, place.calendar_id, uid)
    if found is None:
        added = object_texts.add_text(tx, place.calendar_id, uid=uid, ics=event.content)
        _settle(tx, added, event)
        return Takeover.ADDED
    if found.is_hidden:
        return Takeover.POSTPONED
    if found.etag == event.etag and found.href == event.href:
        return Takeover.NOTHING
    if found.pending is PendingChange.NONE:
        return _replace(tx, found, event)
    if found.pending is PendingChange.DELETE:
        return _keep_from_deletion(tx, place, found, event)
    return _merge(tx, place, found, event)


def take_over_deletion(tx: Tx, place: CalendarPlace, found: SyncedObject) -> Takeover:
    """Delete what the server has not any more; what was changed here meanwhile is kept, and told."""
    if found.pending in (PendingChange.CREATE, PendingChange.UPDATE):
        if not found.is_known_there:
            return Takeover.NOTHING
        problem = DELETED_THERE.format(host=place.host)
        object_store.note_server_version(
            tx, found.id, href="", etag="", base_ics="", pending=PendingChange.NONE, problem=problem
        )
        return Takeover.CONFLICT
    object_store.remove_object(tx, found.id)
    return Takeover.DELETED


def _settle(tx: Tx, object_id: str, event: RemoteEvent, *, problem: str = "") -> None:
    """Store that an event is the same here and there."""
    object_store.note_server_version(
        tx,
        object_id,
        href=event.href,
        etag=event.etag,
        base_ics=event.content,
        pending=PendingChange.NONE,
        problem=problem or object_texts.describe(event.content)[1],
    )


def _replace(tx: Tx, found: SyncedObject, event: RemoteEvent) -> Takeover:
    """Take the server's version of an event that was not changed here."""
    is_same = found.ics == event.content
    if not is_same:
        object_texts.replace_text(tx, found.id, event.content, before=found.ics)
    # What was told of an earlier race stays until somebody changes the event.
    _settle(tx, found.id, event, problem=found.problem if is_same_event(found.ics, event.content) else "")
    return Takeover.NOTHING if is_same else Takeover.CHANGED


def _keep_from_deletion(tx: Tx, place: CalendarPlace, found: SyncedObject, event: RemoteEvent) -> Takeover:
    """Let an event be deleted whose text is still the one that was deleted; any other stays, and is told."""
    known = found.sent_ics or found.base_ics
    if is_same_event(known, event.content):
        object_store.note_server_version(
            tx,
            found.id,
            href=event.href,
            etag=event.etag,
            base_ics=event.content,
            pending=PendingChange.DELETE,
            problem="",
        )
        return Takeover.NOTHING
    object_texts.restore(tx, found.id)
    object_texts.replace_text(tx, found.id, event.content, before=found.ics)
    _settle(tx, found.id, event, problem=DELETED_HERE.format(host=place.host))
    return Takeover.CONFLICT


def _merge(tx: Tx, place: CalendarPlace, found: SyncedObject, event: RemoteEvent) -> Takeover:
    """Put our change into the server's version; where both changed the same, that stays, and it is told."""
    merged = merge_with_server(found, event.content)
    if merged.conflicts:
        object_store.note_lost(tx, found.id, found.ics)
        object_texts.replace_text(tx, found.id, event.content, before=found.ics)
        problem = describe_conflict(place.host, merged.conflicts, found.ics)
        _settle(tx, found.id, event, problem=problem)
        return Takeover.CONFLICT
    if is_same_event(merged.content, event.content):
        return _replace(tx, replace(found, problem=""), event)
    if merged.content != found.ics:
        object_texts.replace_text(tx, found.id, merged.content, before=found.ics)
    object_store.note_server_version(
        tx,
        found.id,
        href=event.href,
        etag=event.etag,
        base_ics=event.content,
        pending=PendingChange.UPDATE,
        problem="",
    )
    return Takeover.CHANGED


def merge_with_server(found: SyncedObject, theirs: str) -> MergeResult:
    """Return our text merged with the server's, from what both last had in common."""
    base = found.base_ics
    if found.sent_ics and holds_change(base, found.sent_ics, theirs):
        base = found.sent_ics
    return merge_events(base, found.ics, theirs)


def holds_change(base: str, sent: str, theirs: str) -> bool:
    """Tell whether the server's text has all of a change that we sent without hearing of it again."""
    merged = merge_events(base, sent, theirs)
    return not merged.conflicts and is_same_event(merged.content, theirs)
