"""What is known of events at their server, and what it does not know yet."""

from dataclasses import dataclass
from datetime import datetime

from tertulia.calendars.domain import PendingChange
from tertulia.infra.db import Tx

#: The version of an event that its server has, and did not tell: it matches no other.
UNKNOWN_ETAG = "?"


@dataclass(frozen=True, slots=True)
class SyncedObject:
    """An event as its sync sees it."""

    id: str
    calendar_id: str
    uid: str
    ics: str
    revision: int
    href: str
    etag: str
    base_ics: str
    pending: PendingChange
    problem: str
    deleted_at: datetime | None
    #: What was last sent without our knowing whether it arrived; empty where that is known.
    sent_ics: str
    refused_revision: int | None

    @property
    def is_known_there(self) -> bool:
        """Tell whether its server has it, as far as we know."""
        return bool(self.etag)

    @property
    def is_hidden(self) -> bool:
        """Tell whether it was deleted in a way that can still be undone."""
        return self.deleted_at is not None and self.pending is not PendingChange.DELETE


SYNCED_OBJECT_SQL = """SELECT o.id, o.calendar_id, o.uid, o.ics, o.revision, o.href, o.etag, o.base_ics,
      o.pending, o.problem, o.deleted_at, coalesce(p.sent_ics, '') AS sent_ics, p.refused_revision
    FROM calendar_objects AS o
    LEFT JOIN calendar_pushes AS p ON p.object_id = o.id AND p.workspace_id = :workspace
    WHERE o.workspace_id = :workspace AND o.calendar_id = :calendar_id"""


def find_object(tx: Tx, calendar_id: str, object_id: str) -> SyncedObject | None:
    """Return an event of a calendar."""
    return tx.one(SyncedObject, f"{SYNCED_OBJECT_SQL} AND o.id = :id", calendar_id=calendar_id, id=object_id)


def find_by_href(tx: Tx, calendar_id: str, href: str) -> SyncedObject | None:
    """Return the event that lies at a path of the server."""
    return tx.one(
        SyncedObject,
        f"{SYNCED_OBJECT_SQL} AND o.href = :href AND o.href <> ''",
        calendar_id=calendar_id,
        href=href,
    )


def find_by_uid(tx: Tx, calendar_id: str, uid: str) -> SyncedObject | None:
    """Return the event of a UID, one that is there before one that is being deleted."""
    sql = f"{SYNCED_OBJECT_SQL} AND o.uid = :uid ORDER BY o.deleted_at IS NOT NULL, o.id LIMIT 1"
    return tx.one(SyncedObject, sql, calendar_id=calendar_id, uid=uid)


def list_pending(tx: Tx, calendar_id: str) -> list[SyncedObject]:
    """Return what the server does not know yet, in the order in which it was made."""
    sql = f"""{SYNCED_OBJECT_SQL} AND o.pending <> '' AND (o.deleted_at IS NULL OR o.pending = 'delete')
        AND (p.refused_revision IS NULL OR p.refused_revision <> o.revision) ORDER BY o.changed_at, o.id"""
    return tx.all(SyncedObject, sql, calendar_id=calendar_id)


def list_known_etags(tx: Tx, calendar_id: str) -> dict[str, str]:
    """Return the version of every event that the server has, by its path, as we know it."""
    sql = """SELECT href, etag FROM calendar_objects
             WHERE calendar_id = :calendar_id AND workspace_id = :workspace AND etag <> ''"""
    return {str(href): str(etag) for href, etag in tx.rows(sql, calendar_id=calendar_id)}


def note_sending(tx: Tx, found: SyncedObject, *, href: str) -> None:
    """Store what is about to be sent, and where it will lie."""
    tx.run(
        "UPDATE calendar_objects SET href = :href WHERE id = :id AND workspace_id = :workspace",
        id=found.id,
        href=href,
    )
    tx.run(
        """INSERT INTO calendar_pushes (object_id, workspace_id, sent_ics) VALUES (:id, :workspace, :ics)
           ON CONFLICT (object_id) DO UPDATE SET sent_ics = :ics""",
        id=found.id,
        ics=found.ics,
    )


def note_server_version(
    tx: Tx, object_id: str, *, href: str, etag: str, base_ics: str, pending: PendingChange, problem: str
) -> None:
    """Store what the server has, and what it has not yet; whatever was sent is settled with that."""
    tx.run(
        """UPDATE calendar_objects SET href = :href, etag = :etag, base_ics = :base_ics, pending = :pending,
             problem = :problem WHERE id = :id AND workspace_id = :workspace""",
        id=object_id,
        href=href,
        etag=etag,
        base_ics=base_ics,
        pending=pending,
        problem=problem,
    )
    tx.run(
        """UPDATE calendar_pushes SET sent_ics = '', refused_revision = NULL
           WHERE object_id = :id AND workspace_id = :workspace""",
        id=object_id,
    )


def note_refused(tx: Tx, found: SyncedObject, *, problem: str, is_final: bool) -> None:
    """Store why the server does not take a change; where that is final, it is not sent again."""
    tx.run(
        "UPDATE calendar_objects SET problem = :problem WHERE id = :id AND workspace_id = :workspace",
        id=found.id,
        problem=problem,
    )
    tx.run(
        """INSERT INTO calendar_pushes (object_id, workspace_id, refused_revision)
           VALUES (:id, :workspace, :revision)
           ON CONFLICT (object_id) DO UPDATE SET refused_revision = :revision, sent_ics = ''""",
        id=found.id,
        revision=found.revision if is_final else None,
    )


def forget_refusals(tx: Tx, calendar_id: str) -> None:
    """Have everything sent again that the server of a calendar refused."""
    tx.run(
        """UPDATE calendar_pushes SET refused_revision = NULL WHERE workspace_id = :workspace
           AND refused_revision IS NOT NULL AND object_id IN (SELECT id FROM calendar_objects
             WHERE calendar_id = :calendar_id AND workspace_id = :workspace)""",
        calendar_id=calendar_id,
    )


def count_pending(tx: Tx, calendar_id: str) -> int:
    """Return how many changes the server of a calendar does not know yet."""
    sql = """SELECT count(*) FROM calendar_objects
             WHERE calendar_id = :calendar_id AND workspace_id = :workspace AND pending <> ''"""
    return tx.value(sql, calendar_id=calendar_id)


def note_lost(tx: Tx, object_id: str, lost_ics: str) -> None:
    """Keep our text that lost a race."""
    tx.run(
        """INSERT INTO calendar_pushes (object_id, workspace_id, lost_ics) VALUES (:id, :workspace, :ics)
           ON CONFLICT (object_id) DO UPDATE SET lost_ics = :ics""",
        id=object_id,
        ics=lost_ics,
    )


def set_same_text(tx: Tx, object_id: str, ics: str) -> None:
    """Store how a server writes what an event says already."""
    sql = "UPDATE calendar_objects SET ics = :ics WHERE id = :id AND workspace_id = :workspace"
    tx.run(sql, id=object_id, ics=ics)


def remove_object(tx: Tx, object_id: str) -> None:
    """Delete an event that is gone here and at its server."""
    tx.run("DELETE FROM calendar_objects WHERE id = :id AND workspace_id = :workspace", id=object_id)
