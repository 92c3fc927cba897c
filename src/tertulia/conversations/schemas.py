"""Conversations on the wire; events carry the same shapes."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated

from pydantic import Field, model_validator

from tertulia.conversations.domain import (
    Anchor,
    Conversation,
    Mark,
    Origin,
    Policy,
    ReplyKind,
    ReplyStatus,
    TitleBy,
    ToolStatus,
    Visibility,
)
from tertulia.conversations.rounds import FullRound, ReplyWithMessage
from tertulia.infra.http.schema import (
    AnyCaseId,
    CursorPage,
    LongText,
    Schema,
    ShortText,
    Timestamp,
    shared_fields,
)
from tertulia.models.calls import Effort
from tertulia.projects.domain import Level, Strategy
from tertulia.projects.schemas import MaxTokens


class AnchorView(Schema):
    """What a conversation is about: `id` is a project's, a task's, or a day as YYYY-MM-DD."""

    kind: Anchor
    id: AnyCaseId | None = None

    @model_validator(mode="after")
    def check_id(self) -> "AnchorView":
        """Refuse an anchor that names nothing, or a day that is none."""
        if (self.kind is Anchor.WORKSPACE) != (self.id is None):
            message = "a project, task or day needs an id, and the workspace has none"
            raise ValueError(message)
        if self.kind is Anchor.DAY:
            date.fromisoformat(self.id or "")
        return self


class NewConversation(Schema):
    """A conversation to be made; without an anchor it belongs to the default project."""

    title: ShortText | None = None
    anchor: AnchorView | None = None
    project_id: AnyCaseId | None = None
    instructions: LongText = ""


class ContextWishView(Schema):
    """How much models are shown, and how; null leaves it to the project and to each model's tier."""

    strategy: Strategy | None = None
    level: Level | None = None
    max_tokens: MaxTokens | None = None


class ConversationChange(Schema):
    """What to change; fields that are left out stay as they are, those of `context` too."""

    title: ShortText = ""
    archived: bool = False
    pinned: bool = False
    visibility: Visibility = Visibility.PRIVATE
    instructions: LongText = ""
    context: ContextWishView = ContextWishView()


class NewTitle(Schema):
    """A title given by a person."""

    title: ShortText


class NewHead(Schema):
    """The branch to show: the newest one through this round."""

    round_id: AnyCaseId


class ConversationView(Schema):
    """A conversation as it is listed: the one used last, which has the largest `sort_key`, first."""

    id: str
    owner_id: str
    project_id: str | None
    anchor: AnchorView
    origin: Origin
    title: str | None
    title_by: TitleBy
    visibility: Visibility
    instructions: str
    head_id: str | None
    round_count: int
    archived: bool
    pinned: bool
    context: ContextWishView
    waiting: int
    created_at: Timestamp
    updated_at: Timestamp
    sort_key: str

    @classmethod
    def of(cls, conversation: Conversation) -> "ConversationView":
        """Show a conversation."""
        return cls(
            **shared_fields(conversation, cls, except_name="anchor"),
            anchor=AnchorView(kind=conversation.anchor, id=conversation.anchor_id),
            archived=conversation.archived_at is not None,
            pinned=conversation.pinned_at is not None,
        )


class AttachmentView(Schema):
    """Something a message carries; its bytes are at /api/attachments/{id}."""

    id: str
    mime: str
    size: int


class MarksChange(Schema):
    """What to say of a message; fields that are left out stay as they are."""

    pinned: bool = False
    excluded: bool = False
    local_only: bool = False


class MarksView(Schema):
    """All that is said of a message."""

    marks: list[Mark]


class MessageView(Schema):
    """One utterance."""

    id: str
    round_id: str
    parent_id: str | None
    speaker: str
    content: str
    thinking: str
    attachments: list[AttachmentView]
    created_at: Timestamp
    marks: list[Mark] = Field(default_factory=list[Mark])


#: Of all calls that one reply takes together.
REPLY_TOKENS_MAX = 10_000_000_000
TokenCount = Annotated[int, Field(ge=0, le=REPLY_TOKENS_MAX)]
Dollars = Annotated[float, Field(ge=0, le=1_000_000_000, allow_inf_nan=False)]


class UsageView(Schema):
    """Tokens a reply used; `estimated`, as is then its cost, when it ended before its provider said."""

    input: TokenCount
    output: TokenCount
    cached: TokenCount = 0
    cache_write: TokenCount = 0
    thinking: TokenCount = 0
    cost: Dollars | None = None
    estimated: bool = False


class ReplyProblem(Schema):
    """Why a reply failed, and what to do."""

    code: str
    message: str


class SavedFileView(Schema):
    """A file of the project that a tool has written."""

    path: str
    file_id: str
    version: int


class TableView(Schema):
    """A table that a tool gave, or its beginning; `rows_in_all` counts the rest too."""

    columns: list[str]
    rows: list[list[str]]
    rows_in_all: int


class ToolCallView(Schema):
    """A tool that a model asked for; while it waits for the yes of `asked_by`, it says until when.

    `result` is the beginning of what it gave, of `length` characters in all; while it runs,
    `output` is the end of what it has said so far.
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
    attachments: list[AttachmentView] = Field(default_factory=list[AttachmentView])
    tables: list[TableView] = Field(default_factory=list[TableView])
    saved: list[SavedFileView] = Field(default_factory=list[SavedFileView])
    asked_by: str = ""
    expires_at: Timestamp | None = None


class NoteView(Schema):
    """What a person told a model at work; `taken` once the model has read it."""

    id: str
    text: str
    taken: bool


class PassageView(Schema):
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


class ReplyView(Schema):
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
    notice: str = ""
    passages: list[PassageView]
    marks: list[Mark]
    created_at: Timestamp
    started_at: Timestamp | None
    first_token_at: Timestamp | None
    finished_at: Timestamp | None

    @classmethod
    def of(cls, answer: ReplyWithMessage, partial_text: tuple[str, str] = ("", "")) -> "ReplyView":
        """Show a reply: its message when it is final, else what was heard so far."""
        content, thinking = partial_text
        if answer.message is not None:
            content, thinking = answer.message.content, answer.message.thinking
        marks = list(answer.marks)
        return cls(
            content=content,
            thinking=thinking,
            marks=marks,
            **shared_fields(answer.reply, cls, except_name="marks"),
        )


class RoundView(Schema):
    """A question, the replies to it, and the branches beside it (this round included)."""

    id: str
    conversation_id: str
    parent_id: str | None
    number: int
    policy: Policy
    question: MessageView
    replies: list[ReplyView]
    siblings: list[str]
    created_at: Timestamp

    @classmethod
    def of(cls, full: FullRound, partial_texts: Mapping[str, tuple[str, str]] | None = None) -> "RoundView":
        """Show a round; `so_far` has the text of replies that are still being written."""
        texts = partial_texts or {}
        return cls(
            id=full.round.id,
            conversation_id=full.round.conversation_id,
            parent_id=full.round.parent_id,
            number=full.round.number,
            policy=full.round.policy,
            question=MessageView.model_validate(full.question).model_copy(update={"marks": list(full.marks)}),
            replies=[ReplyView.of(answer, texts.get(answer.reply.id, ("", ""))) for answer in full.answers],
            siblings=full.siblings,
            created_at=full.round.created_at,
        )


class RoundPage(Schema):
    """Part of one branch, oldest first.

    Send `before` back to go further towards the start; follow the events after
    `last_event_id` to keep the page up to date.
    """

    rounds: list[RoundView]
    before: str | None
    last_event_id: int


class OpenConversation(RoundPage):
    """A conversation and the last page of the branch that is shown."""

    conversation: ConversationView


class ConversationPage(CursorPage):
    """Some conversations, the latest used first."""

    conversations: list[ConversationView]


class MessagePage(CursorPage):
    """Some messages of all branches, in the order they were written."""

    messages: list[MessageView]


PageSize = Annotated[int, Field(ge=1, le=200)]
