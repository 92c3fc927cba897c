"""What was done by whom: only ever added to, and without secrets or what people wrote."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from tertulia.core import clock
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx

AUDIT_INSERT_SQL = """
    INSERT INTO audit (id, workspace_id, at, actor_id, action, subject_id, detail)
    VALUES (:id, :workspace, :at, :me, :action, :subject_id, :detail)"""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One thing that was done."""

    id: str
    at: datetime
    actor_id: str
    action: str
    subject_id: str
    detail: JsonObject


def record(tx: Tx, action: str, *, subject_id: str = "", detail: Mapping[str, object] | None = None) -> None:
    """Note what the transaction's principal does; `detail` holds ids and choices, never text."""
    values = {"id": new_id("aud"), "at": clock.now(), "action": action, "subject_id": subject_id}
    tx.run(AUDIT_INSERT_SQL, **values, detail=dict(detail or {}))


def record_as(
    tx: Tx,
    action: str,
    *,
    workspace_id: str | None,
    actor_id: str,
    subject_id: str = "",
    detail: Mapping[str, object] | None = None,
) -> None:
    """Note what somebody does in a transaction that has no principal, such as signing in."""
    values = {"id": new_id("aud"), "at": clock.now(), "action": action, "subject_id": subject_id}
    tx.run(AUDIT_INSERT_SQL, **values, detail=dict(detail or {}), workspace=workspace_id, me=actor_id)


def list_newest(tx: Tx, *, after: str | None, limit: int) -> list[AuditEntry]:
    """Return a page of what happened in the principal's workspace, the newest first."""
    return tx.all(
        AuditEntry,
        """SELECT * FROM audit WHERE workspace_id = :workspace
             AND (CAST(:after AS TEXT) IS NULL OR id < :after)
           ORDER BY id DESC LIMIT :limit""",
        after=after,
        limit=limit,
    )
