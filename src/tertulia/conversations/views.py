"""Conversations as people and programs see them: what the API answers with, and what events carry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from annotated_types import Ge, Le

from tertulia.conversations.domain import (
    Anchor,
    ContextSettings,
    Conversation,
    DateCorrection,
    Mark,
    Message,
    Origin,
    Policy,
    ReplyKind,
    ReplyProblem,
    ReplyStatus,
    ToolStatus,
    Visibility,
    VisibleToolCall,
    WrittenKind,
)
from tertulia.conversations.full_rounds import FullRound, ReplyWithMessage
from tertulia.core.clock import to_iso
from tertulia.core.view import View, view_as
from tertulia.models.calls import Effort

#: Of all calls that one reply takes together.
REPLY_TOKENS_MAX = 10_000_000_000
REPLY_COST_MAX_USD = 1_000_000_000
TokenCount = Annotated[int, Ge(0), Le(REPLY_TOKENS_MAX)]
Dollars = Annotated[float, Ge(0), Le(REPLY_COST_MAX_USD)]


def _iso_or_none(moment: datetime | None) -> str | None:
    return to_iso(moment) if moment else None


@dataclass(frozen=True, slots=True)
class AnchorView(View):
    """What a conversation is about: `id` is a project's, a task's, or a day as YYYY-MM-DD."""

    kind: Anchor
    id: str | None = None


@dataclass(frozen=True, slots=True)
class ConversationView(View):
    """A conversation as it is listed: the one used last, which has the largest `sort_key`, first."""

    id: str
    owner_id: str
    project_id: str | None
    anchor: AnchorView
    origin: Origin
    title: str | None
    #: `nobody`, `question` (its first words), `person`, or the id of the model that wrote it.
    title_by: str
    visibility: Visibility
    instructions: str
    head_id: str | None
    round_count: int
    archived: bool
    pinned: bool
    context: ContextSettings
    waiting: int
    created_at: str
    updated_at: str
    sort_key: str
    #: It is neither remembered, exported nor found from elsewhere, and deleted at `expires_at`.
    temporary: bool = False
    expires_at: str | None = None

    @classmethod
    def of(cls, conversation: Conversation) -> "ConversationView":
        """Show a conversation."""
        return cls(
            id=conversation.id,
            owner_id=conversation.owner_id,
            project_id=conversation.project_id,
            anchor=AnchorView(conversation.anchor, conversation.anchor_id),
            origin=conversation.origin,
            title=conversation.title,
            title_by=conversation.title_by,
            visibility=conversation.visibility,
            instructions=conversation.instructions,
            head_id=conversation.head_id,
            round_count=conversation.round_count,
            archived=conversation.archived_at is not None,
            pinned=conversation.pinned_at is not None,
            context=conversation.context,
            waiting=conversation.waiting,
            created_at=to_iso(conversation.created_at),
            updated_at=to_iso(conversation.updated_at),
            sort_key=conversation.sort_key,
            temporary=conversation.is_temporary,
            expires_at=_iso_or_none(conversation.expires_at),
        )


@dataclass(frozen=True, slots=True)
class AttachmentView(View):
    """Something a message carries; its bytes are at /api/attachments/{id}."""

    id: str
    mime: str
    size: int


@dataclass(frozen=True, slots=True)
class MessageView(View):
    """One utterance."""

    id: str
    round_id: str
    parent_id: str | None
    speaker: str
    content: str
    thinking: str
    attachments: list[AttachmentView]
    created_at: str
    marks: list[Mark] = field(default_factory=list[Mark])

    @classmethod
    def of(cls, message: Message, marks: Sequence[Mark] = ()) -> "MessageView":
        """Show a message with what people say of it."""
        return cls(
            id=message.id,
            round_id=message.round_id,
            parent_id=message.parent_id,
            speaker=message.speaker,
            content=message.content,
            thinking=message.thinking,
            attachments=[view_as(AttachmentView, attachment) for attachment in message.attachments],
            created_at=to_iso(message.created_at),
            marks=list(marks),
        )


@dataclass(frozen=True, slots=True)
class UsageView(View):
    """Tokens a reply used; `estimated`, as is then its cost, where its provider did not say all of it."""

    input: TokenCount
    output: TokenCount
    cached: TokenCount = 0
    cache_write: TokenCount = 0
    thinking: TokenCount = 0
    cost: Dollars | None = None
    estimated: bool = False


@dataclass(frozen=True, slots=True)
class SavedFileView(View):
    """A file of the project that a tool has written."""

    path: str
    file_id: str
    version: int


@dataclass(frozen=True, slots=True)
class TableView(View):
    """A table that a tool gave, or its beginning; `rows_in_all` counts the rest too."""

    columns: list[str]
    rows: list[list[str]]
    rows_in_all: int


@dataclass(frozen=True, slots=True)
class WrittenItemView(View):
    """A task or an event that a tool has created, changed, scheduled or deleted, as it was then.

    `start` and `end` are days, or moments with their offset; `due_date` is that of a task which has one.
    """

    kind: WrittenKind
    id: str
    action: str
    title: str
    start: str = ""
    end: str = ""
    time_zone: str = ""
    recurrence_id: str | None = None
    due_date: str = ""


@dataclass(frozen=True, slots=True)
class ToolCallView(View):
    """A tool that a model asked for; while it waits for the yes of `asked_by`, it says until when.

    `summary` says what its arguments come to, as a person reads them, and `written` what it has written.
    `result` is the beginning of what it gave, of `length` characters in all; while it runs, `output` is the
    end of what it has said so far.
    """

    id: str
    name: str
    arguments: str
    changed: bool = False
    step: int = 0
    at: int = 0
    effect: str = "read"
    status: ToolStatus = ToolStatus.DONE
    result: str = ""
    length: int = 0
    output: str = ""
    ms: int | None = None
    attachments: list[AttachmentView] = field(default_factory=list[AttachmentView])
    tables: list[TableView] = field(default_factory=list[TableView])
    saved: list[SavedFileView] = field(default_factory=list[SavedFileView])
    asked_by: str = ""
    expires_at: str | None = None
    summary: str = ""
    written: list[WrittenItemView] = field(default_factory=list[WrittenItemView])

    @classmethod
    def of(cls, call: VisibleToolCall) -> "ToolCallView":
        """Show the call of a tool."""
        return cls(
            id=call.id,
            name=call.name,
            arguments=call.arguments,
            changed=call.changed,
            step=call.step,
            at=call.at,
            effect=call.effect,
            status=call.status,
            result=call.result,
            length=call.length,
            output=call.output,
            ms=call.ms,
            attachments=[view_as(AttachmentView, attachment) for attachment in call.attachments],
            tables=[view_as(TableView, table) for table in call.tables],
            saved=[view_as(SavedFileView, saved_file) for saved_file in call.saved],
            asked_by=call.asked_by,
            expires_at=_iso_or_none(call.expires_at),
            summary=call.summary,
            written=[view_as(WrittenItemView, item) for item in call.written],
        )


@dataclass(frozen=True, slots=True)
class NoteView(View):
    """What a person told a model at work; `taken` once the model has read it."""

    id: str
    text: str
    taken: bool


@dataclass(frozen=True, slots=True)
class PassageView(View):
    """A passage that a model was shown, or pointed to: a part of a file, or something said earlier.

    Of one that is hidden, because the caller may not see its source or because that is deleted, only
    the number, the kind and the size are told.
    """

    number: int
    kind: str
    source_id: str
    project_id: str | None
    path: str
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    heading: str
    title: str
    conversation_id: str | None
    round_id: str | None
    round_number: int
    speaker: str
    tokens: int
    #: The model was told where the passage stands, and not shown its words.
    is_pointer: bool
    is_hidden: bool
    #: Such as "page 3", "slide 2" or "sheet 1"; empty in files without any, and in events that are older.
    page: str = ""


@dataclass(frozen=True, slots=True)
class ReplyView(View):
    """One model's reply; while it is being written, `content` is what is there so far."""

    id: str
    round_id: str
    lane: str
    model: str
    kind: ReplyKind
    attempt: int
    continues: str | None
    effort: Effort | None
    status: ReplyStatus
    content: str
    thinking: str
    error: ReplyProblem | None
    usage: UsageView | None
    cost: float | None
    tool_calls: list[ToolCallView]
    notes: list[NoteView]
    notice: str
    passages: list[PassageView]
    marks: list[Mark]
    created_at: str
    started_at: str | None
    first_token_at: str | None
    finished_at: str | None
    #: Days that it names wrongly of what its tools have just written, each with the right one.
    corrections: list[DateCorrection] = field(default_factory=list[DateCorrection])

    @classmethod
    def of(cls, answer: ReplyWithMessage, partial_text: tuple[str, str] = ("", "")) -> "ReplyView":
        """Show a reply: its message when it is final, else what was heard so far."""
        reply, message = answer.reply, answer.message
        content, thinking = (message.content, message.thinking) if message else partial_text
        return cls(
            id=reply.id,
            round_id=reply.round_id,
            lane=reply.lane,
            model=reply.model,
            kind=reply.kind,
            attempt=reply.attempt,
            continues=reply.continues,
            effort=reply.effort,
            status=reply.status,
            content=content,
            thinking=thinking,
            error=reply.error,
            usage=view_as(UsageView, reply.usage) if reply.usage else None,
            cost=reply.cost,
            tool_calls=[ToolCallView.of(call) for call in reply.tool_calls],
            notes=[view_as(NoteView, note) for note in reply.notes],
            notice=reply.notice,
            passages=[view_as(PassageView, passage) for passage in reply.passages],
            marks=list(answer.marks),
            created_at=to_iso(reply.created_at),
            started_at=_iso_or_none(reply.started_at),
            first_token_at=_iso_or_none(reply.first_token_at),
            finished_at=_iso_or_none(reply.finished_at),
            corrections=reply.corrections,
        )


@dataclass(frozen=True, slots=True)
class RoundView(View):
    """A question, the replies to it, and the branches beside it (this round included)."""

    id: str
    conversation_id: str
    parent_id: str | None
    number: int
    policy: Policy
    question: MessageView
    replies: list[ReplyView]
    siblings: list[str]
    created_at: str

    @classmethod
    def of(cls, full: FullRound, partial_texts: Mapping[str, tuple[str, str]] | None = None) -> "RoundView":
        """Show a round; `partial_texts` has the text of replies that are still being written."""
        texts = partial_texts or {}
        return cls(
            id=full.round.id,
            conversation_id=full.round.conversation_id,
            parent_id=full.round.parent_id,
            number=full.round.number,
            policy=full.round.policy,
            question=MessageView.of(full.question, full.marks),
            replies=[ReplyView.of(answer, texts.get(answer.reply.id, ("", ""))) for answer in full.answers],
            siblings=full.siblings,
            created_at=to_iso(full.round.created_at),
        )
