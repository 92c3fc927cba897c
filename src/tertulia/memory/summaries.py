"""Summaries in the database: added once, undone by a mark, never deleted by themselves."""

from collections.abc import Sequence

from tertulia.conversations.rounds import BRANCH_PATH_SQL
from tertulia.core.clock import now
from tertulia.core.ids import new_ulid
from tertulia.infra.db import Packed, Tx, bound_list
from tertulia.memory.domain import Summary

#: Most summaries are near the end of their branch; the whole of a long one is walked only when needed.
NEAR_BRANCH_END_ROUNDS = 200
WHOLE_BRANCH_ROUNDS = 1_000_000_000
ALL_SUMMARY_VERSIONS = 1_000_000_000


def add_summary(tx: Tx, summary: Summary) -> None:
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
        points=Packed(summary.points),
        made_by=summary.made_by,
        created_at=summary.created_at,
        undone_at=summary.undone_at,
    )


def find_current_summary(tx: Tx, conversation_id: str, last_round_id: str) -> Summary | None:
    """Return the version that reaches furthest on the branch which ends with a round; of two, the newer."""
    if not _has_summaries(tx, conversation_id):
        return None
    near = _find_furthest(tx, conversation_id, last_round_id, NEAR_BRANCH_END_ROUNDS)
    return near or _find_furthest(tx, conversation_id, last_round_id, WHOLE_BRANCH_ROUNDS)


def list_current_summaries(tx: Tx, conversation_id: str, last_round_id: str) -> list[Summary]:
    """Return the versions that hold on the branch which ends with a round, oldest first."""
    return tx.all(
        Summary,
        f"""{BRANCH_PATH_SQL} SELECT s.* FROM summaries AS s JOIN path AS p ON p.id = s.round_id
            WHERE s.conversation_id = :conversation AND s.workspace_id = :workspace AND s.undone_at IS NULL
            ORDER BY s.id""",
        last=last_round_id,
        conversation=conversation_id,
        steps=WHOLE_BRANCH_ROUNDS,
    )


def list_summaries(tx: Tx, conversation_id: str, *, limit: int = ALL_SUMMARY_VERSIONS) -> list[Summary]:
    """Return the versions of all branches, the undone ones too, newest first."""
    return tx.all(
        Summary,
        """SELECT * FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
           ORDER BY id DESC LIMIT :most""",
        conversation=conversation_id,
        most=limit,
    )


def find_newest_summary(tx: Tx, conversation_id: str) -> Summary | None:
    """Return the version that was made last, undone or not."""
    return tx.one(
        Summary,
        """SELECT * FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
           ORDER BY id DESC LIMIT 1""",
        conversation=conversation_id,
    )


def list_summaries_by_ids(tx: Tx, ids: Sequence[str]) -> list[Summary]:
    """Return versions by their ids."""
    sql = f"SELECT * FROM summaries WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    return tx.all(Summary, sql, ids=list(ids))


def find_last_undone(tx: Tx, conversation_id: str, last_round_id: str) -> Summary | None:
    """Return the compression that was undone last on the branch which ends with a round."""
    return tx.one(
        Summary,
        f"""{BRANCH_PATH_SQL} SELECT s.* FROM summaries AS s JOIN path AS p ON p.id = s.round_id
            WHERE s.conversation_id = :conversation AND s.workspace_id = :workspace
            AND s.watermark > 0 AND s.undone_at IS NOT NULL
            ORDER BY s.undo_sort_key DESC, s.id DESC LIMIT 1""",
        last=last_round_id,
        conversation=conversation_id,
        steps=WHOLE_BRANCH_ROUNDS,
    )


def undo_summary(tx: Tx, summary: Summary, last_round_id: str) -> None:
    """Take a version out of force, and those that build on it on the branch which ends with a round."""
    # A newer version that reaches less far was made on another branch, before that left this one.
    tx.run(
        f"""UPDATE summaries SET undone_at = :moment, undo_sort_key = :sort_key
            WHERE conversation_id = :conversation AND workspace_id = :workspace
            AND id >= :id AND round_number >= :number AND undone_at IS NULL
            AND round_id IN ({BRANCH_PATH_SQL} SELECT id FROM path)""",
        moment=now(),
        sort_key=new_ulid(),
        conversation=summary.conversation_id,
        id=summary.id,
        number=summary.round_number,
        last=last_round_id,
        steps=WHOLE_BRANCH_ROUNDS,
    )


def _has_summaries(tx: Tx, conversation_id: str) -> bool:
    sql = """SELECT 1 FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
             AND undone_at IS NULL LIMIT 1"""
    return tx.value(sql, conversation=conversation_id) is not None


def _find_furthest(tx: Tx, conversation_id: str, last_round_id: str, steps: int) -> Summary | None:
    return tx.one(
        Summary,
        f"""{BRANCH_PATH_SQL} SELECT s.* FROM summaries AS s JOIN path AS p ON p.id = s.round_id
            WHERE s.conversation_id = :conversation AND s.workspace_id = :workspace AND s.undone_at IS NULL
            ORDER BY s.round_number DESC, s.id DESC LIMIT 1""",
        last=last_round_id,
        conversation=conversation_id,
        steps=steps,
    )
