"""Summaries on the wire."""

from collections.abc import Mapping

from tertulia.infra.http.schema import Schema, Timestamp, shared_fields
from tertulia.memory.domain import Point, PointKind, Summary


class PointView(Schema):
    """One thing that was said, and where: beside each message its round (number and id) and speaker."""

    kind: PointKind
    text: str
    sources: list[str]
    rounds: list[int]
    round_ids: list[str]
    speakers: list[str]

    @classmethod
    def of(cls, point: Point, places: Mapping[str, str]) -> "PointView":
        """Show a point; `places` are the rounds of messages."""
        return cls(
            **shared_fields(point, cls), round_ids=[places.get(source, "") for source in point.sources]
        )


class SummaryView(Schema):
    """What is known of a conversation up to a round.

    Rounds up to `watermark` are shown to models by these points alone; 0 where none are.
    """

    id: str
    round_number: int
    watermark: int
    points: list[PointView]
    key_decisions: list[str]
    created_entities: list[str]
    made_by: str
    created_at: Timestamp
    undone_at: Timestamp | None

    @classmethod
    def of(cls, summary: Summary, places: Mapping[str, str]) -> "SummaryView":
        """Show a summary; `places` are the rounds of messages."""
        return cls(
            id=summary.id,
            round_number=summary.round_number,
            watermark=summary.watermark,
            points=[PointView.of(point, places) for point in summary.points],
            key_decisions=[point.text for point in summary.of_kind(PointKind.DECISION)],
            created_entities=[point.text for point in summary.of_kind(PointKind.CREATED)],
            made_by=summary.made_by,
            created_at=summary.created_at,
            undone_at=summary.undone_at,
        )


class SummariesView(Schema):
    """The summary that is in force on the branch that is shown, and the latest versions, newest first.

    Each version of the history has the points that no older one of them has.
    """

    current: SummaryView | None
    history: list[SummaryView]
