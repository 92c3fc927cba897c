"""Deletions in the database, each with the job that makes it final."""

from datetime import timedelta

from tertulia.core.clock import MILLISECOND
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.infra.jobs import cancel_jobs, enqueue
from tertulia.infra.undo.domain import UNDO_WINDOW, PendingDeletion

DELETION_JOB = "deletion"


def add(tx: Tx, kind: str, subject_id: str, *, window: timedelta = UNDO_WINDOW) -> PendingDeletion:
    """Write down what the caller deletes, and queue the job that deletes it for good."""
    deletion = PendingDeletion(
        id=new_id("del"),
        workspace_id=tx.by.workspace_id,
        user_id=tx.by.user_id,
        kind=kind,
        subject_id=subject_id,
        restore_until_uptime=tx.uptime() + window,
        window_ms=window // MILLISECOND,
    )
    tx.run(
        """INSERT INTO pending_deletions
             (id, workspace_id, user_id, kind, subject_id, restore_until_uptime, window_ms)
           VALUES (:id, :workspace, :me, :kind, :subject_id, :restore_until_uptime, :window_ms)""",
        id=deletion.id,
        kind=kind,
        subject_id=subject_id,
        restore_until_uptime=deletion.restore_until_uptime,
        window_ms=deletion.window_ms,
    )
    _enqueue(tx, deletion)
    return deletion


def requeue_all(tx: Tx) -> None:
    """Queue the job of every deletion: one whose job was given up is taken up anew."""
    for deletion in tx.all(PendingDeletion, "SELECT * FROM pending_deletions"):
        _enqueue(tx, deletion)


def find(tx: Tx, deletion_id: str) -> PendingDeletion | None:
    """Return a deletion of the caller's."""
    sql = "SELECT * FROM pending_deletions WHERE id = :id AND workspace_id = :workspace AND user_id = :me"
    return tx.one(PendingDeletion, sql, id=deletion_id)


def remove(tx: Tx, deletion_id: str) -> None:
    """Forget a deletion and what was held for it: it was undone, or is final."""
    tx.run("DELETE FROM pending_deletions WHERE id = :id AND workspace_id = :workspace", id=deletion_id)
    cancel_jobs(tx, deletion_id)


def _enqueue(tx: Tx, deletion: PendingDeletion) -> None:
    payload: JsonObject = {
        "deletion_id": deletion.id,
        "workspace_id": deletion.workspace_id,
        "user_id": deletion.user_id,
    }
    key = f"{DELETION_JOB}:{deletion.id}"
    enqueue(tx, DELETION_JOB, key=key, payload=payload, delay=deletion.time_left(tx.uptime()))
