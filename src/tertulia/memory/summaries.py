"""Summaries in the database: added once, undone by a mark, never deleted by themselves.

Each point is stored once, with the version that first told it; a version lists the ids of its points.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.conversations.rounds import BRANCH_PATH_SQL
from tertulia.core.clock import now
from tertulia.core.ids import new_ulid
from tertulia.infra.db import Packed, Tx, bound_list
from tertulia.memory.domain import Point, Summary
from tertulia.memory.summary_index import POINT_COLUMNS, read_points_in_force, update_summary_index

#: Most summaries are near the end of their branch; the whole of a long one is walked only when needed.
NEAR_BRANCH_END_ROUNDS = 200
WHOLE_BRANCH_ROUNDS = 1_000_000_000
ALL_SUMMARY_VERSIONS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class SummaryRow:
    """A version as it is stored."""

    id: str
    workspace_id: str
    conversation_id: str
    round_id: str
    round_number: int
    watermark: int
    #: Those of a version that was made before points had ids.
    points: list[Point]
    made_by: str
    created_at: datetime
    undone_at: datetime | None
    undo_sort_key: str
    point_ids: list[int] | None

    def with_points(self, stored: dict[int, Point]) -> Summary:
        """Return the version with its points."""
        ids = self.point_ids
        return Summary(
            id=self.id,
            workspace_id=self.workspace_id,
            conversation_id=self.conversation_id,
            round_id=self.round_id,
            round_number=self.round_number,
            watermark=self.watermark,
            points=self.points if ids is None else [stored[id_] for id_ in ids if id_ in stored],
            made_by=self.made_by,
            created_at=self.created_at,
            undone_at=self.undone_at,
            undo_sort_key=self.undo_sort_key,
        )


def add_summary(tx: Tx, summary: Summary) -> Summary:
    """Add a version, and return it with the ids of its points: those that are new are stored with it.

    Search finds what holds from now on.
    """
    before = read_points_in_force(tx, summary.conversation_id)
    summary = replace(summary, points=_with_known_ids(tx, summary))
    tx.run(
        """INSERT INTO summaries (id, workspace_id, conversation_id, round_id, round_number, watermark,
             points, made_by, created_at, undone_at)
           VALUES (:id, :workspace, :conversation, :round, :number, :watermark, '[]', :made_by,
             :created_at, :undone_at)""",
        id=summary.id,
        conversation=summary.conversation_id,
        round=summary.round_id,
        number=summary.round_number,
        watermark=summary.watermark,
        made_by=summary.made_by,
        created_at=summary.created_at,
        undone_at=summary.undone_at,
    )
    points = _store_points(tx, summary)
    tx.run(
        "UPDATE summaries SET point_ids = :ids WHERE id = :id AND workspace_id = :workspace",
        ids=Packed([point.id for point in points]),
        id=summary.id,
    )
    update_summary_index(tx, summary.conversation_id, before)
    return replace(summary, points=points)


def _with_known_ids(tx: Tx, summary: Summary) -> list[Point]:
    """Return the points of a version: one that was made anew, and is as before, has the id that it had."""
    earlier = find_current_summary(tx, summary.conversation_id, summary.round_id)
    known = {_content_of(point): point.id for point in earlier.points} if earlier else {}
    return [
        point if point.id else replace(point, id=known.get(_content_of(point), 0)) for point in summary.points
    ]


def _content_of(point: Point) -> tuple[object, ...]:
    """Return all that a point says, as a key."""
    return point.kind, point.text, *map(tuple, (point.sources, point.rounds, point.speakers))


def _store_points(tx: Tx, summary: Summary) -> list[Point]:
    """Store the points that no version before told, and return all of them with their ids."""
    fresh = [point for point in summary.points if not point.id]
    tx.run_many(
        """INSERT INTO summary_points (workspace_id, summary_id, kind, text, sources, rounds, speakers)
           VALUES (:workspace, :summary, :kind, :text, :sources, :rounds, :speakers)""",
        [
            {
                "summary": summary.id,
                "kind": point.kind,
                "text": Packed(point.text),
                "sources": point.sources,
                "rounds": point.rounds,
                "speakers": point.speakers,
            }
            for point in fresh
        ],
    )
    sql = """SELECT id FROM summary_points WHERE summary_id = :summary AND workspace_id = :workspace
             ORDER BY id"""
    ids = iter(tx.column(sql, summary=summary.id))
    return [point if point.id else replace(point, id=next(ids)) for point in summary.points]


def _read(tx: Tx, rows: Sequence[SummaryRow]) -> list[Summary]:
    """Return versions with their points, which are read together."""
    ids = sorted({id_ for row in rows for id_ in row.point_ids or ()})
    if not ids:
        return [row.with_points({}) for row in rows]
    sql = f"""SELECT {POINT_COLUMNS} FROM summary_points
        WHERE workspace_id = :workspace AND id IN {bound_list("ids", of="BIGINT")}"""
    stored = {point.id: point for point in tx.all(Point, sql, ids=ids)}
    return [row.with_points(stored) for row in rows]


def find_current_summary(tx: Tx, conversation_id: str, last_round_id: str) -> Summary | None:
    """Return the version that reaches furthest on the branch which ends with a round; of two, the newer."""
    if not _has_summaries(tx, conversation_id):
        return None
    near = _find_furthest(tx, conversation_id, last_round_id, NEAR_BRANCH_END_ROUNDS)
    return near or _find_furthest(tx, conversation_id, last_round_id, WHOLE_BRANCH_ROUNDS)


def list_current_summaries(tx: Tx, conversation_id: str, last_round_id: str) -> list[Summary]:
    """Return the versions that hold on the branch which ends with a round, oldest first."""
    found = tx.all(
        SummaryRow,
        f"""{BRANCH_PATH_SQL} SELECT s.* FROM summaries AS s JOIN path AS p ON p.id = s.round_id
            WHERE s.conversation_id = :conversation AND s.workspace_id = :workspace AND s.undone_at IS NULL
            ORDER BY s.id""",
        last=last_round_id,
        conversation=conversation_id,
        steps=WHOLE_BRANCH_ROUNDS,
    )
    return _read(tx, found)


def list_summaries(tx: Tx, conversation_id: str, *, limit: int = ALL_SUMMARY_VERSIONS) -> list[Summary]:
    """Return the versions of all branches, the undone ones too, newest first."""
    found = tx.all(
        SummaryRow,
        """SELECT * FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
           ORDER BY id DESC LIMIT :most""",
        conversation=conversation_id,
        most=limit,
    )
    return _read(tx, found)


def find_newest_summary(tx: Tx, conversation_id: str) -> Summary | None:
    """Return the version that was made last, undone or not."""
    found = tx.one(
        SummaryRow,
        """SELECT * FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
           ORDER BY id DESC LIMIT 1""",
        conversation=conversation_id,
    )
    return _read(tx, [found])[0] if found else None


def list_summaries_by_ids(tx: Tx, ids: Sequence[str]) -> list[Summary]:
    """Return versions by their ids."""
    sql = f"SELECT * FROM summaries WHERE workspace_id = :workspace AND id IN {bound_list('ids')}"
    return _read(tx, tx.all(SummaryRow, sql, ids=list(ids)))


def find_last_undone(tx: Tx, conversation_id: str, last_round_id: str) -> Summary | None:
    """Return the compression that was undone last on the branch which ends with a round."""
    found = tx.one(
        SummaryRow,
        f"""{BRANCH_PATH_SQL} SELECT s.* FROM summaries AS s JOIN path AS p ON p.id = s.round_id
            WHERE s.conversation_id = :conversation AND s.workspace_id = :workspace
            AND s.watermark > 0 AND s.undone_at IS NOT NULL
            ORDER BY s.undo_sort_key DESC, s.id DESC LIMIT 1""",
        last=last_round_id,
        conversation=conversation_id,
        steps=WHOLE_BRANCH_ROUNDS,
    )
    return _read(tx, [found])[0] if found else None


def undo_summary(tx: Tx, summary: Summary, last_round_id: str) -> None:
    """Take a version out of force, and those that build on it on the branch which ends with a round."""
    before = read_points_in_force(tx, summary.conversation_id)
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
    update_summary_index(tx, summary.conversation_id, before)


def _has_summaries(tx: Tx, conversation_id: str) -> bool:
    sql = """SELECT 1 FROM summaries WHERE conversation_id = :conversation AND workspace_id = :workspace
             AND undone_at IS NULL LIMIT 1"""
    return tx.value(sql, conversation=conversation_id) is not None


def _find_furthest(tx: Tx, conversation_id: str, last_round_id: str, steps: int) -> Summary | None:
    found = tx.one(
        SummaryRow,
        f"""{BRANCH_PATH_SQL} SELECT s.* FROM summaries AS s JOIN path AS p ON p.id = s.round_id
            WHERE s.conversation_id = :conversation AND s.workspace_id = :workspace AND s.undone_at IS NULL
            ORDER BY s.round_number DESC, s.id DESC LIMIT 1""",
        last=last_round_id,
        conversation=conversation_id,
        steps=steps,
    )
    return _read(tx, [found])[0] if found else None
