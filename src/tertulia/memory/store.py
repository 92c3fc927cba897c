"""Summaries in the database: added once, undone by a mark, never deleted by themselves."""

from collections.abc import Sequence

from tertulia.core.clock import now
from tertulia.infra.db import Tx, listed
from tertulia.memory.domain import Summary

#: Most summaries are near the end of their branch; the whole of a long one is walked only when needed.
STEPS = 200
WHOLE_PATH = 1_000_000_000
EVERY = 1_000_000_000


def add(tx: Tx, summary: Summary) -> None:
    """Add a version."""
    tx.run(
        """INSERT INTO summaries (id, workspace_id, conversation_id, round_id, round_number, watermark,
             points, made_by, created_at, undone_at)
           VALUES (:id, :workspace, :conversation, :round, :number, :watermark, :points, :made_by,
             :created_at, :undone_at)""",
        id=summary.id,
        conversation=summary.conversation_id,
        round=summary.round_id,
        number=summary.round_number,
        watermark=summary.watermark,
        points=summary.points,
        made_by=summary.made_by,
        created_at=summary.created_at,
        undone_at=summary.undone_at,
    )


def in_force(tx: Tx, conversation_id: str, last_round_id: str) -> Summary | None:
    """Return the newest version that holds on the branch which ends with a round."""
    if not _has_any(tx, conversation_id):
        return None
    near = _on_path(tx, conversation_id, last_round_id, STEPS)
    return near or _on_path(tx, conversation_id, last_round_id, WHOLE_PATH)


def history(tx: Tx, conversation_id: str, *, most: int = EVERY) -> list[Summary]:
    """Return the versions of all branches, the undone ones too, newest first."""
    return tx.all(
        Summary,
        """SELECT * FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
           ORDER BY id DESC LIMIT :most""",
        conversation=conversation_id,
        most=most,
    )


def newest(tx: Tx, conversation_id: str) -> Summary | None:
    """Return the version that was made last, undone or not."""
    return tx.one(
        Summary,
        """SELECT * FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
           ORDER BY id DESC LIMIT 1""",
        conversation=conversation_id,
    )


def named(tx: Tx, ids: Sequence[str]) -> list[Summary]:
    """Return versions by their ids."""
    sql = f"SELECT * FROM summaries WHERE workspace_id = :workspace AND id IN {listed('ids')}"
    return tx.all(Summary, sql, ids=list(ids))


def last_undone(tx: Tx, conversation_id: str) -> Summary | None:
    """Return the compression that was undone last."""
    return tx.one(
        Summary,
        """SELECT * FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
           AND watermark > 0 AND undone_at IS NOT NULL ORDER BY undone_at DESC, id DESC LIMIT 1""",
        conversation=conversation_id,
    )


def undo(tx: Tx, summary: Summary) -> None:
    """Take a version out of force, and all that were made after it: they build on it."""
    tx.run(
        """UPDATE summaries SET undone_at = :moment
           WHERE conversation_id = :conversation AND workspace_id = :workspace
           AND id >= :id AND undone_at IS NULL""",
        moment=now(),
        conversation=summary.conversation_id,
        id=summary.id,
    )


def _has_any(tx: Tx, conversation_id: str) -> bool:
    sql = """SELECT 1 FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
             AND undone_at IS NULL LIMIT 1"""
    return tx.value(sql, conversation=conversation_id) is not None


def _on_path(tx: Tx, conversation_id: str, last_round_id: str, steps: int) -> Summary | None:
    return tx.one(
        Summary,
        """WITH RECURSIVE path (id, parent_id, steps) AS (
             SELECT id, parent_id, 1 FROM rounds
             WHERE id = :last AND conversation_id = :conversation AND workspace_id = :workspace
             UNION ALL
             SELECT r.id, r.parent_id, steps + 1 FROM rounds AS r JOIN path AS p ON r.id = p.parent_id
             WHERE steps < :steps)
           SELECT s.* FROM summaries AS s JOIN path AS p ON p.id = s.round_id
           WHERE s.conversation_id = :conversation AND s.workspace_id = :workspace AND s.undone_at IS NULL
           ORDER BY s.id DESC LIMIT 1""",
        last=last_round_id,
        conversation=conversation_id,
        steps=steps,
    )
