"""What a summary is made of: points, each with the messages it comes from."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

POINT_USER_SPEAKER = "user"
#: Who made a summary that no model had a part in.
MADE_BY_EXTRACTION = "extractive"
#: Of so many sets of points it is remembered what was found out: each lane asks, turn after turn.
REMEMBERED_SUMMARIES_MAX = 16


class PointKind(StrEnum):
    """What a point is about; a kept one is a line that could not be recovered otherwise."""

    TOPIC = "topic"
    DECISION = "decision"
    PREFERENCE = "preference"
    #: What somebody promised to do, or has to be done by a time.
    COMMITMENT = "commitment"
    #: A question nobody has answered.
    QUESTION = "question"
    ENTITY = "entity"
    CREATED = "created"
    KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Point:
    """One sentence of what was said; the number of its round and its speaker stand beside each source."""

    kind: PointKind
    text: str
    #: Ids of messages.
    sources: list[str]
    rounds: list[int]
    #: `user`, or the lane of the reply.
    speakers: list[str]
    #: Under which it is stored; 0 until it is.
    id: int = field(default=0, compare=False)
    #: What the person is called who said each source, where several people write; not stored.
    authors: tuple[str, ...] = field(default=(), compare=False)

    def __hash__(self) -> int:
        """Return the same for points that are equal: what is made of points can be remembered by them."""
        return hash((self.kind, self.text))

    @property
    def is_by_user(self) -> bool:
        """Tell whether the person said it."""
        return POINT_USER_SPEAKER in self.speakers

    @property
    def is_stated_by_user(self) -> bool:
        """Tell whether the person said it, and not only the question before what a model answered."""
        is_answer = len(set(self.speakers)) > 1 and len(set(self.rounds)) == 1 and "? " in self.text
        return self.is_by_user and not is_answer

    @property
    def authors_by_round(self) -> dict[int, str]:
        """Return what the people are called who said it, by the rounds in which they did."""
        return name_rounds(self.rounds, self.authors)

    @property
    def last_round(self) -> int:
        """Return the last round that it comes from."""
        return max(self.rounds, default=0)


@dataclass(frozen=True, slots=True)
class Summary:
    """One version of a conversation's summary; it is in force only on branches through its round."""

    id: str
    workspace_id: str
    conversation_id: str
    #: The last round it covers.
    round_id: str
    round_number: int
    #: Rounds up to this number are represented by points alone; 0: none are.
    watermark: int
    points: list[Point]
    #: A model's id, or `extractive`.
    made_by: str
    created_at: datetime
    undone_at: datetime | None
    #: The place of its undoing among all that was made and undone; empty while it is in force.
    undo_sort_key: str = ""

    @property
    def is_compression(self) -> bool:
        """Tell whether rounds are left out of prompts because of it."""
        return self.watermark > 0

    @property
    def sources(self) -> frozenset[str]:
        """Return the messages that its points come from."""
        return frozenset(source for point in self.points for source in point.sources)

    def of_kind(self, kind: PointKind) -> list[Point]:
        """Return its points of one kind, in order."""
        return [point for point in self.points if point.kind is kind]


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """One message of those to be summarised."""

    id: str
    round_number: int
    #: `user`, or the lane of the reply.
    speaker: str
    text: str
    local_only: bool = False
    pinned: bool = False
    #: The person who wrote it; empty for a reply.
    author_id: str = ""
    #: What a reply made or changed with tools, each in a line; its text need not say so.
    changes: tuple[str, ...] = ()


def name_rounds(rounds: Sequence[int], authors: Sequence[str]) -> dict[int, str]:
    """Return what the people are called who said something, by the rounds in which they did."""
    return {number: name for number, name in zip(rounds, authors, strict=False) if name}


def build_point(kind: PointKind, text: str, *lines: SourceMessage) -> Point:
    """Return a point that comes from these messages, each named once, in order."""
    once = list({line.id: line for line in sorted(lines, key=lambda line: line.round_number)}.values())
    return Point(
        kind=kind,
        text=text,
        sources=[line.id for line in once],
        rounds=[line.round_number for line in once],
        speakers=[line.speaker for line in once],
    )
