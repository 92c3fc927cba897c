"""Summaries in search: each version is a source that holds the points which it was the first to tell.

A new version so adds its new points alone. Versions that lose points by it, or by an undo, or get them back,
are indexed anew; a version of which no point holds any more is found no more.
"""

from collections.abc import Collection
from dataclasses import dataclass

from tertulia.conversations.round_lookup import find_followed_rounds
from tertulia.infra.db import Tx, bound_list
from tertulia.memory.domain import Point
from tertulia.retrieval import sources
from tertulia.retrieval.sources import SourceKind

#: The columns of a point: its text may be packed.
POINT_COLUMNS = "kind, unpacked(text) AS text, sources, rounds, speakers, id"


@dataclass(frozen=True, slots=True)
class SummaryPlace:
    """A version, and the last round that it covers."""

    id: str
    round_id: str


@dataclass(frozen=True, slots=True)
class SummaryPoints:
    """The points of a version: their ids or, before points had any, the points themselves."""

    id: str
    points: list[Point]
    point_ids: list[int] | None


@dataclass(frozen=True, slots=True)
class PointsInForce:
    """The points that hold on some branch of a conversation."""

    ids: frozenset[int]
    #: Versions from before points had ids, whose points all hold.
    early_versions: frozenset[str]


def read_points_in_force(tx: Tx, conversation_id: str) -> PointsInForce:
    """Return the points of all versions on which no other builds: one at the end of each branch."""
    sql = f"""SELECT id, points, point_ids FROM summaries
        WHERE workspace_id = :workspace AND id IN {bound_list("ids")}"""
    last = tx.all(SummaryPoints, sql, ids=_list_last_versions(tx, conversation_id))
    return PointsInForce(
        frozenset(id_ for version in last for id_ in version.point_ids or ()),
        frozenset(version.id for version in last if version.point_ids is None and version.points),
    )


def update_summary_index(tx: Tx, conversation_id: str, before: PointsInForce) -> None:
    """Queue the versions whose points hold, or hold no more, otherwise than before."""
    after = read_points_in_force(tx, conversation_id)
    changed = _find_first_tellers(tx, before.ids ^ after.ids) | (before.early_versions ^ after.early_versions)
    if not changed:
        return
    found = changed & (_find_first_tellers(tx, after.ids) | after.early_versions)
    sources.queue_summaries(tx, conversation_id, only=found)
    sources.remove_sources(tx, SourceKind.SUMMARY, sorted(changed - found))


def list_indexed_points(tx: Tx, summary_id: str) -> list[Point]:
    """Return the points that a version was the first to tell and that hold."""
    sql = "SELECT conversation_id FROM summaries WHERE id = :id AND workspace_id = :workspace"
    conversation_id = tx.value(sql, id=summary_id)
    if conversation_id is None:
        return []
    current = read_points_in_force(tx, conversation_id)
    if summary_id in current.early_versions:
        sql = "SELECT id, points, point_ids FROM summaries WHERE id = :id AND workspace_id = :workspace"
        version = tx.one(SummaryPoints, sql, id=summary_id)
        return version.points if version else []
    sql = f"""SELECT {POINT_COLUMNS} FROM summary_points
        WHERE summary_id = :id AND workspace_id = :workspace ORDER BY id"""
    return [point for point in tx.all(Point, sql, id=summary_id) if point.id in current.ids]


def _list_last_versions(tx: Tx, conversation_id: str) -> list[str]:
    """Return the versions in force at the ends of branches, which no other follows or replaces."""
    sql = """SELECT id, round_id FROM summaries WHERE conversation_id = :conversation
        AND workspace_id = :workspace AND undone_at IS NULL ORDER BY id"""
    newest = {place.round_id: place.id for place in tx.all(SummaryPlace, sql, conversation=conversation_id)}
    followed = find_followed_rounds(tx, conversation_id, newest.keys())
    return [id_ for round_id, id_ in newest.items() if round_id not in followed]


def _find_first_tellers(tx: Tx, point_ids: Collection[int]) -> frozenset[str]:
    """Return the versions that were the first to tell these points."""
    sql = f"""SELECT DISTINCT summary_id FROM summary_points
        WHERE workspace_id = :workspace AND id IN {bound_list("ids", of="BIGINT")}"""
    return frozenset(tx.column(sql, ids=sorted(point_ids)))
