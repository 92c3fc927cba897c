"""What a conversation is made of."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from tertulia.core.view import View
from tertulia.models.calls import Effort, Usage
from tertulia.projects.domain import Level, Strategy, ToolOffer

USER_SPEAKER = "user"


class Anchor(StrEnum):
    """What a conversation is about."""

    WORKSPACE = "workspace"
    PROJECT = "project"
    TASK = "task"
    DAY = "day"


class Visibility(StrEnum):
    """Who may see a conversation: its owner alone, or every member of the workspace."""

    PRIVATE = "private"
    WORKSPACE = "workspace"


class Origin(StrEnum):
    """Through which door a conversation came."""

    APP = "app"
    API = "api"
    IMPORT = "import"


class TitleBy(StrEnum):
    """Who gave a conversation its title: its first question by its words, or a person for good.

    A model that did so stands there by its id; `model` alone is one that was not written down.
    """

    NOBODY = "nobody"
    QUESTION = "question"
    PERSON = "person"


class Policy(StrEnum):
    """What a lane sees of earlier rounds: everyone's replies, its own alone, or one chosen answer."""

    EVERYONE = "everyone"
    OWN = "own"
    CHOSEN = "chosen"


class Mark(StrEnum):
    """What a person says of a message: show it to models always, never, or only to local ones."""

    PINNED = "pinned"
    EXCLUDED = "excluded"
    LOCAL_ONLY = "local_only"


class ReplyKind(StrEnum):
    """What a reply is for: to answer, to join all answers of its round, or to rank them."""

    ANSWER = "answer"
    MERGE = "merge"
    JUDGE = "judge"


class ToolStatus(StrEnum):
    """Where the call of a tool stands; `unknown` when the server stopped while it ran."""

    WAITING = "waiting"
    APPROVED = "approved"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    DENIED = "denied"
    EXPIRED = "expired"
    STOPPED = "stopped"
    UNKNOWN = "unknown"


class ReplyStatus(StrEnum):
    """Where a reply stands; the last four are final. One that waits does so for a person's yes or no."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    FAILED = "failed"

    @property
    def is_final(self) -> bool:
        """Tell whether nothing more will come."""
        return self not in (ReplyStatus.QUEUED, ReplyStatus.RUNNING, ReplyStatus.WAITING)


@dataclass(frozen=True, slots=True)
class ContextSettings(View):
    """How much models are shown, and how; null leaves it to the project and to each model's tier."""

    strategy: Strategy | None = None
    level: Level | None = None
    max_tokens: int | None = None
    tools: ToolOffer | None = None


@dataclass(frozen=True, slots=True)
class Conversation:
    """A tree of rounds; `head_id` is the last round of the branch that is shown."""

    id: str
    workspace_id: str
    owner_id: str
    project_id: str | None
    anchor: Anchor
    anchor_id: str | None
    origin: Origin
    title: str | None
    #: One of `TitleBy`, or the id of the model that wrote it.
    title_by: str
    visibility: Visibility
    instructions: str
    head_id: str | None
    round_count: int
    archived_at: datetime | None
    pinned_at: datetime | None
    created_at: datetime
    updated_at: datetime
    #: Its place in lists of the latest used: larger is later, whatever the clock said.
    sort_key: str
    context: ContextSettings = ContextSettings()
    #: Calls of tools that wait for a person's yes.
    waiting: int = 0
    #: When it was deleted, while that can be undone: until then nobody sees it.
    deleted_at: datetime | None = None
    #: When a temporary one is deleted; None for one that stays.
    expires_at: datetime | None = None

    @property
    def is_temporary(self) -> bool:
        """Tell whether it is deleted by itself, and neither remembered, exported nor found from elsewhere."""
        return self.expires_at is not None


@dataclass(frozen=True, slots=True)
class Round:
    """One question and the replies to it; rounds with the same parent are branches of each other."""

    id: str
    workspace_id: str
    conversation_id: str
    parent_id: str | None
    number: int
    policy: Policy
    author_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Attachment:
    """What a message carries besides text: a pointer, the bytes are stored apart."""

    id: str
    mime: str
    size: int


@dataclass(frozen=True, slots=True)
class Message:
    """One write-once utterance.

    The parent of a reply is its question. The parent of a question is the
    question of the round before it, or one reply of that round when the person
    went on from that answer alone.
    """

    id: str
    workspace_id: str
    conversation_id: str
    round_id: str
    parent_id: str | None
    speaker: str
    content: str
    created_at: datetime
    thinking: str = ""
    attachments: list[Attachment] = field(default_factory=list[Attachment])


@dataclass(frozen=True, slots=True)
class Seat:
    """One model at the table for one round, in a lane of its own."""

    lane: str
    model: str
    effort: Effort | None = None
    temperature: float | None = None
    output_limit: int | None = None
    leave_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Passage:
    """A pointer to a passage that a model was shown; its reply cites it by its number."""

    number: int
    #: `file` or `message`.
    kind: str
    source_id: str
    project_id: str | None
    start_char: int
    end_char: int
    tokens: int
    #: A file's path, its page, slide or sheet, and the lines and headings in it.
    path: str = ""
    page: str = ""
    start_line: int = 0
    end_line: int = 0
    heading: str = ""
    #: A conversation's title, and where in it that was said.
    title: str = ""
    conversation_id: str | None = None
    round_id: str | None = None
    round_number: int = 0
    speaker: str = ""
    #: The model was told where the passage stands, and not shown its words.
    is_pointer: bool = False
    #: Whoever reads this may not see where it stands, or that is gone: nothing else is told of it.
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file of the project that a tool has written."""

    path: str
    file_id: str
    version: int


@dataclass(frozen=True, slots=True)
class Table:
    """A table that a tool gave, or its beginning; `rows_in_all` counts the rest too."""

    columns: list[str]
    rows: list[list[str]]
    rows_in_all: int


class WrittenKind(StrEnum):
    """What a tool can write of what a person plans."""

    TASK = "task"
    EVENT = "event"


@dataclass(frozen=True, slots=True)
class WrittenItem:
    """A task or an event as a tool has written it."""

    kind: WrittenKind
    id: str
    #: `created`, `changed`, `scheduled` or `deleted`.
    action: str
    title: str
    #: A day, or a moment with its offset; empty where it has none. The end of what lasts days is exclusive.
    start: str = ""
    end: str = ""
    time_zone: str = ""
    #: Which time of a recurring event.
    recurrence_id: str | None = None
    #: The day on which a task is due; empty where only its start is known.
    due_date: str = ""


@dataclass(frozen=True, slots=True)
class DateCorrection(View):
    """A day that a reply names wrongly of what it has just written: its words, and the right day."""

    said: str
    right: str
    event_id: str | None = None
    task_id: str | None = None


@dataclass(frozen=True, slots=True)
class VisibleToolCall:
    """The call of a tool as people see it."""

    id: str
    name: str
    #: JSON as the model wrote it, or as a person changed it.
    arguments: str
    #: A person changed what the model wrote.
    changed: bool = False
    step: int = 0
    #: How many characters of the reply were written before.
    at: int = 0
    effect: str = "read"
    status: ToolStatus = ToolStatus.DONE
    #: The beginning of what it gave, and how many characters that is in all.
    result: str = ""
    length: int = 0
    #: While it runs: the end of what it has said so far.
    output: str = ""
    ms: int | None = None
    attachments: list[Attachment] = field(default_factory=list[Attachment])
    tables: list[Table] = field(default_factory=list[Table])
    saved: list[SavedFile] = field(default_factory=list[SavedFile])
    #: On whose behalf it acts: nobody else can let it.
    asked_by: str = ""
    expires_at: datetime | None = None
    #: What it comes to, as a person reads it.
    summary: str = ""
    #: Tasks and events that it wrote.
    written: list[WrittenItem] = field(default_factory=list[WrittenItem])


@dataclass(frozen=True, slots=True)
class Note:
    """What a person told a model at work; `taken` once the model has read it."""

    id: str
    text: str
    taken: bool = False


@dataclass(frozen=True, slots=True)
class ReplyProblem(View):
    """Why a reply failed, and what to do."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Reply:
    """A message under way and, afterwards, what is known of how it came to be; it has the message's id."""

    id: str
    workspace_id: str
    conversation_id: str
    round_id: str
    lane: str
    model: str
    kind: ReplyKind
    attempt: int
    continues: str | None
    effort: Effort | None
    temperature: float | None
    status: ReplyStatus
    error: ReplyProblem | None
    usage: Usage | None
    cost: float | None
    tool_calls: list[VisibleToolCall]
    #: The number of the event that announced it: its text so far is in the events after.
    first_seq: int
    created_at: datetime
    started_at: datetime | None
    first_token_at: datetime | None
    finished_at: datetime | None
    output_limit: int | None = None
    passages: list[Passage] = field(default_factory=list[Passage])
    #: Items of an earlier prompt that the person wants left out of this one.
    leave_out: list[str] = field(default_factory=list[str])
    notes: list[Note] = field(default_factory=list[Note])
    #: Why it came to be as it is, where a person should know: a limit was reached.
    notice: str = ""
    corrections: list[DateCorrection] = field(default_factory=list[DateCorrection])


def speaker_of(model: str) -> str:
    """Return the speaker's name of a model."""
    return f"agent:{model}"


def name_lanes(models: list[str]) -> list[str]:
    """Name one lane for each model; the second seat of the same model is `model#2`."""
    seen: dict[str, int] = {}
    lanes: list[str] = []
    for model in models:
        seen[model] = seen.get(model, 0) + 1
        lanes.append(model if seen[model] == 1 else f"{model}#{seen[model]}")
    return lanes
