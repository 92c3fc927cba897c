"""Where the points of summaries that were found had been said."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from tertulia.infra.db import Tx, bound_list
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.sources import SourceKind


@dataclass(frozen=True, slots=True)
class PointMessage:
    """A point of a summary, and a message that it comes from."""

    summary_id: str
    text: str
    message_id: str
    round_id: str
    round_number: int
    said_at: datetime


@dataclass(frozen=True, slots=True)
class PointSources:
    """The messages that points come from, the last of them last."""

    messages: list[PointMessage] = field(default_factory=list[PointMessage])


def find_point_sources(tx: Tx, candidates: Iterable[Candidate]) -> dict[int, PointSources]:
    """Return what the points among some candidates come from, by their chunks."""
    points = [candidate for candidate in candidates if candidate.kind is SourceKind.SUMMARY]
    if not points:
        return {}
    sql = f"""SELECT summary_id, text, message_id, round_id, round_number, said_at FROM point_messages
        WHERE workspace_id = :workspace AND summary_id IN {bound_list("ids")}
        ORDER BY round_number, message_id"""
    messages = tx.all(PointMessage, sql, ids=sorted({point.source_id for point in points}))
    return {
        point.chunk: PointSources([message for message in messages if is_told_in(point, message)])
        for point in points
    }


def is_told_in(chunk: Candidate, message: PointMessage) -> bool:
    """Tell whether a line of a chunk is a point that comes from a message."""
    line = " ".join(message.text.split())
    return message.summary_id == chunk.source_id and line in chunk.content.splitlines()
