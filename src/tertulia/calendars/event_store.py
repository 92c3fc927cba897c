"""Events in the database, each UID of a calendar in one row; all as their owner."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from tertulia.calendars.domain import CalendarObject, EventColumns, PendingChange
from tertulia.core.clock import now
from tertulia.infra.db import Tx, bound_list, escape_like, fold_case, like_folded

OBJECT_COLUMNS = ", ".join(CalendarObject.__dataclass_fields__)
OWN_SQL = "workspace_id = :workspace AND owner_id = :me"
#: What was deleted, here or in a moment on its server, is not there any more.
PRESENT_SQL = f"{OWN_SQL} AND deleted_at IS NULL AND pending <> 'delete'"
PRESENT_CALENDAR_SQL = """calendar_id IN (SELECT c.id FROM calendars AS c
    WHERE c.workspace_id = :workspace AND c.owner_id = :me AND c.deleted_at IS NULL)"""
#: Of one calendar after the other: for a list of them, SQLite would read the events of a whole workspace.
BETWEEN_SQL = f"calendar_id = :calendar AND {PRESENT_SQL} AND ends_at >= :low AND starts_at < :high"
DERIVED_COLUMNS = tuple(EventColumns.__dataclass_fields__)


@dataclass(frozen=True, slots=True)
class BusyRow:
    """When an event takes time, as far as the columns tell: in milliseconds, as there are many."""

    starts_at: int
    ends_at: int
    is_zoned: bool
    is_recurring: bool
    #: The text of what recurs: only there is more to know.
    ics: str


def add_many(tx: Tx, objects: Sequence[CalendarObject]) -> None:
    """Store events."""
    values = ", ".join(f":{name}" for name in CalendarObject.__dataclass_fields__)
    tx.run_many(
        f"INSERT INTO calendar_objects (workspace_id, {OBJECT_COLUMNS}) VALUES (:workspace, {values})",
        [asdict(found) for found in objects],
    )


def set_text(
    tx: Tx, object_id: str, *, ics: str, columns: EventColumns, pending: PendingChange | None
) -> None:
    """Give an event another text and the next revision; without `pending` that stays as it is."""
    sets = ", ".join(f"{name} = :{name}" for name in DERIVED_COLUMNS)
    told = "" if pending is None else ", pending = :pending, problem = ''"
    sql = f"""UPDATE calendar_objects SET ics = :ics, revision = revision + 1, changed_at = :now, {sets}{told}
        WHERE id = :id AND {OWN_SQL}"""
    more = {} if pending is None else {"pending": pending}
    tx.run(sql, id=object_id, ics=ics, now=now(), **asdict(columns), **more)


def set_place(tx: Tx, object_id: str, *, calendar_id: str, pending: PendingChange) -> None:
    """Put an event into another calendar, whose server does not know it."""
    sql = f"""UPDATE calendar_objects SET calendar_id = :calendar, href = '', etag = '', base_ics = '',
        problem = '', pending = :pending, revision = revision + 1, changed_at = :now
        WHERE id = :id AND {OWN_SQL}"""
    tx.run(sql, id=object_id, calendar=calendar_id, pending=pending, now=now())


def set_pending(tx: Tx, object_id: str, pending: PendingChange) -> None:
    """Say what the server of an event does not know yet."""
    sql = f"UPDATE calendar_objects SET pending = :pending WHERE id = :id AND {OWN_SQL}"
    tx.run(sql, id=object_id, pending=pending)


def hide(tx: Tx, object_id: str, *, deleted_at: datetime | None) -> None:
    """Let an event be there no more, or again; either way it is another revision."""
    sql = f"""UPDATE calendar_objects SET deleted_at = :at, revision = revision + 1, changed_at = :now
        WHERE id = :id AND {OWN_SQL}"""
    tx.run(sql, id=object_id, at=deleted_at, now=now())


def delete(tx: Tx, object_id: str) -> None:
    """Delete an event for good."""
    tx.run(f"DELETE FROM calendar_objects WHERE id = :id AND {OWN_SQL}", id=object_id)


def find(tx: Tx, object_id: str) -> CalendarObject | None:
    """Return an event of the caller's that is there."""
    sql = f"""SELECT {OBJECT_COLUMNS} FROM calendar_objects
        WHERE id = :id AND {PRESENT_SQL} AND {PRESENT_CALENDAR_SQL}"""
    return tx.one(CalendarObject, sql, id=object_id)


def find_deleted_too(tx: Tx, object_id: str) -> CalendarObject | None:
    """Return an event of the caller's, also one that was deleted a moment ago."""
    sql = f"SELECT {OBJECT_COLUMNS} FROM calendar_objects WHERE id = :id AND {OWN_SQL}"
    return tx.one(CalendarObject, sql, id=object_id)


def find_by_uids(tx: Tx, calendar_id: str, uids: Collection[str]) -> dict[str, CalendarObject]:
    """Return the events of a calendar that have these UIDs."""
    sql = f"""SELECT {OBJECT_COLUMNS} FROM calendar_objects
        WHERE calendar_id = :calendar AND uid IN {bound_list("uids")} AND {PRESENT_SQL} ORDER BY id DESC"""
    found = tx.all(CalendarObject, sql, calendar=calendar_id, uids=list(uids))
    return {event.uid: event for event in found}


def list_of_calendar(tx: Tx, calendar_id: str) -> list[CalendarObject]:
    """Return all events of a calendar, in the order in which they were made."""
    sql = f"""SELECT {OBJECT_COLUMNS} FROM calendar_objects
        WHERE calendar_id = :calendar AND {PRESENT_SQL} ORDER BY id"""
    return tx.all(CalendarObject, sql, calendar=calendar_id)


def count_of_calendar(tx: Tx, calendar_id: str) -> int:
    """Return how many events a calendar has."""
    sql = f"SELECT count(*) FROM calendar_objects WHERE calendar_id = :calendar AND {PRESENT_SQL}"
    return tx.value(sql, calendar=calendar_id)


def list_between(
    tx: Tx, calendar_ids: Collection[str], *, low: datetime, high: datetime, text: str, limit: int
) -> list[CalendarObject]:
    """Return the events of calendars that may happen between two moments and have a text in their words."""
    found = f"AND {like_folded('search_text', 'text')}" if text else ""
    sql = f"""SELECT {OBJECT_COLUMNS} FROM calendar_objects
        WHERE {BETWEEN_SQL} {found} ORDER BY starts_at, id LIMIT :limit"""
    values = {"text": f"%{fold_case(escape_like(text))}%"} if text else {}
    return [
        event
        for calendar_id in sorted(calendar_ids)
        for event in tx.all(
            CalendarObject, sql, calendar=calendar_id, low=low, high=high, limit=limit, **values
        )
    ]


def list_busy(tx: Tx, calendar_ids: Collection[str], *, low: datetime, high: datetime) -> list[BusyRow]:
    """Return what takes time in calendars and may do so between two moments."""
    sql = f"""SELECT starts_at, ends_at, is_zoned, is_recurring,
          CASE WHEN is_recurring = 1 THEN ics ELSE '' END AS ics
        FROM calendar_objects WHERE {BETWEEN_SQL} AND is_busy = 1"""
    return [
        row
        for calendar_id in sorted(calendar_ids)
        for row in tx.all(BusyRow, sql, calendar=calendar_id, low=low, high=high)
    ]
