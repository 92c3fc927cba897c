"""Memories on the wire."""

from typing import Annotated, Self

from pydantic import Field, StringConstraints

from tertulia.core.clock import now
from tertulia.infra.http.schema import (
    AnyCaseId,
    CursorPage,
    Schema,
    SingleLine,
    Timestamp,
    ValidUnicode,
    shared_fields,
)
from tertulia.memories.domain import Memory, MemoryStatus, MemoryType
from tertulia.memories.service import DECIDED_MEMORIES_MAX

#: What a memory says.
MemoryText = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000), ValidUnicode
]
CategoryText = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=100), ValidUnicode, SingleLine
]
Confidence = Annotated[float, Field(ge=0, le=1)]


class EvidenceBody(Schema):
    """The words that a memory comes from, as they stand in a message that you wrote."""

    message_id: AnyCaseId
    quote: MemoryText


class NewMemoryBody(Schema):
    """A memory that a person writes: with a project it belongs to all who work on that."""

    type: MemoryType
    content: MemoryText
    category: CategoryText = ""
    confidence: Confidence = 1.0
    pinned: bool = False
    local_only: bool = False
    project_id: AnyCaseId | None = None
    evidence: EvidenceBody | None = None


class MemoryChange(Schema):
    """What to change; fields that are left out stay as they are."""

    type: MemoryType = MemoryType.FACT
    content: MemoryText = ""
    category: CategoryText = ""
    confidence: Confidence = 1.0
    pinned: bool = False
    archived: bool = False
    local_only: bool = False
    project_id: AnyCaseId | None = None


class EvidenceView(Schema):
    """Where a memory was said."""

    conversation_id: str
    message_id: str
    start_char: int
    end_char: int
    quote: str


class MemoryView(Schema):
    """A memory as those see it whose it is."""

    id: str
    type: MemoryType
    category: str
    content: str
    confidence: float
    pinned: bool
    archived: bool
    local_only: bool
    status: MemoryStatus
    owner_id: str | None
    project_id: str | None
    #: `person`, `rules`, or the model that proposed it.
    made_by: str
    created_at: Timestamp
    last_used_at: Timestamp | None
    use_count: int
    #: None where a person wrote it by hand, or where you may not see what it quotes.
    evidence: EvidenceView | None
    superseded_by: str | None
    supersedes: str | None
    #: Why it should be looked at again; empty where nothing asks for that.
    review_reason: str

    @classmethod
    def of(cls, memory: Memory, *, shows_evidence: bool) -> Self:
        """Return a memory as a reader sees it."""
        evidence = memory.evidence if shows_evidence else None
        shown = shared_fields(memory, cls, except_name="evidence")
        shown["review_reason"] = memory.reason_to_review(now())
        return cls(
            **shown,
            archived=memory.status is MemoryStatus.ARCHIVED,
            evidence=EvidenceView.model_validate(evidence) if evidence else None,
        )


class MemoryPage(CursorPage):
    """Some memories, newest first, and how many proposals wait."""

    memories: list[MemoryView]
    waiting: int


class MemoryDecision(Schema):
    """Which proposals are meant."""

    ids: Annotated[list[AnyCaseId], Field(min_length=1, max_length=DECIDED_MEMORIES_MAX)]


class MemoryList(Schema):
    """Memories that something was done with."""

    memories: list[MemoryView]


class ExtractionBody(Schema):
    """Where to look for what is worth remembering."""

    conversation_id: AnyCaseId


class MemoryPreferencesView(Schema):
    """Types that are taken without asking, and whether conversations at rest are looked through."""

    taken_types: Annotated[list[MemoryType], Field(default_factory=list[MemoryType], max_length=5)]
    in_background: bool = False
