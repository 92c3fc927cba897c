"""Where the points of summaries that were found had been said."""

from collections.abc import Iterable
from dataclasses import dataclass
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


def find_point_messages(tx: Tx, candidates: Iterable[Candidate]) -> dict[int, list[PointMessage]]:
    """Return the messages that the points of candidates come from, by their chunks, the last one last."""
    points = [candidate for candidate in candidates if candidate.kind is SourceKind.SUMMARY]
    if not points:
        return {}
    sql = f"""SELECT summary_id, text, message_id, round_id, round_number, said_at FROM point_messages
        WHERE workspace_id = :workspace AND summary_id IN {bound_list("ids")}
        ORDER BY round_number, message_id"""
    messages = tx.all(PointMessage, sql, ids=sorted({point.source_id for point in points}))
    return {
        point.chunk: [message for message in messages if is_source_of(message, point)] for point in points
    }


def is_source_of(message: PointMessage, candidate: Candidate) -> bool:
    """Tell whether a point that comes from a message stands in a chunk of its summary."""
    is_same = message.summary_id == candidate.source_id
    return is_same and " ".join(message.text.split()) in candidate.content.splitlines()
