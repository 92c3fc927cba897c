"""Typed memories: what is known of a person or a project, whose it is, and where it was said."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from tertulia.core.ids import ulid_of

#: Who made a memory: its person by hand, or our rules; a model is named as it is in conversations.
MADE_BY_PERSON = "person"
MADE_BY_RULES = "rules"
#: What was told to no model for so long is proposed for archiving; nothing is deleted by itself.
MEMORY_UNUSED_MAX = timedelta(days=90)
UNUSED_REASON = "No model needed it for three months. Archive it?"


class MemoryType(StrEnum):
    """What a memory is about."""

    FACT = "fact"
    PREFERENCE = "preference"
    ENTITY = "entity"
    PROJECT = "project"
    DECISION = "decision"


class MemoryStatus(StrEnum):
    """Where a memory stands: only what is active reaches prompts and search."""

    #: It waits in the inbox.
    PROPOSED = "proposed"
    ACTIVE = "active"
    ARCHIVED = "archived"
    #: A later one has taken its place; it stays as history.
    SUPERSEDED = "superseded"
    #: It was turned down, and is not proposed again.
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class MemoryEvidence:
    """Where a memory was said: a span of a person's message, byte for byte."""

    conversation_id: str
    message_id: str
    start_char: int
    end_char: int
    quote: str


@dataclass(frozen=True, slots=True)
class Memory:
    """Something that is remembered, or proposed to be."""

    id: str
    #: The person whose it is; None where it is a project's.
    owner_id: str | None
    project_id: str | None
    created_by: str
    made_by: str
    type: MemoryType
    category: str
    content: str
    confidence: float
    pinned: bool
    local_only: bool
    status: MemoryStatus
    created_at: datetime
    changed_at: datetime
    last_used_at: datetime | None
    use_count: int
    #: Empty where its person wrote it by hand.
    conversation_id: str | None
    message_id: str | None
    start_char: int
    end_char: int
    quote: str
    #: The memory that took its place, and the one whose place it took.
    superseded_by: str | None
    supersedes: str | None
    #: It is what the one that took its place said before it was corrected by hand.
    is_version: bool
    #: Why it should be looked at again: something that it depends on has changed.
    review_reason: str

    def reason_to_review(self, at: datetime) -> str:
        """Return why it should be looked at again: what it depends on has changed, or nobody needs it."""
        sinks = self.status is MemoryStatus.ACTIVE and self.is_long_unused(at)
        return self.review_reason or (UNUSED_REASON if sinks else "")

    def is_long_unused(self, at: datetime) -> bool:
        """Tell whether no model was told it for so long that others come first; pinned ones never sink."""
        return not self.pinned and at - (self.last_used_at or self.created_at) > MEMORY_UNUSED_MAX

    def said_key(self, correction_id: str | None) -> tuple[str, int]:
        """Return what orders memories by when they were said.

        That is when its person last corrected it by hand, else when its message or it itself was written;
        of what one message says, the place in it.
        """
        if correction_id is not None:
            return ulid_of(correction_id), 0
        return ulid_of(self.message_id or self.id), self.start_char

    @property
    def evidence(self) -> MemoryEvidence | None:
        """Return where it was said; None where its person wrote it by hand."""
        if self.conversation_id is None or self.message_id is None:
            return None
        return MemoryEvidence(
            self.conversation_id, self.message_id, self.start_char, self.end_char, self.quote
        )


@dataclass(frozen=True, slots=True)
class FoundStatement:
    """A sentence of a message that is worth remembering, and where it stands."""

    type: MemoryType
    category: str
    #: What it says, to be understood by itself.
    content: str
    start_char: int
    end_char: int
    confidence: float


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored."""

    type: MemoryType
    content: str
    made_by: str
    status: MemoryStatus
    project_id: str | None = None
    category: str = ""
    confidence: float = 1.0
    pinned: bool = False
    local_only: bool = False
    evidence: MemoryEvidence | None = None
