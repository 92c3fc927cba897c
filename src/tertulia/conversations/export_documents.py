"""The shape of an exported conversation: the same wherever it lives, so it has no ids of ours.

`r1`, `r2`… and `m1`, `m2`… name rounds and messages in the order they were
written. A version is never changed once it was released; fields may be added
to it if they can be left out.
"""

import base64
import binascii
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, PlainSerializer, model_validator

from tertulia.conversations.domain import (
    Anchor,
    Mark,
    Policy,
    ReplyKind,
    ReplyProblem,
    ReplyStatus,
    ToolStatus,
    Visibility,
    WrittenKind,
)
from tertulia.conversations.message_pictures import PICTURE_MAX_BYTES
from tertulia.conversations.views import Dollars, UsageView
from tertulia.core.clock import from_ms, to_iso, to_ms
from tertulia.core.json_object import JsonObject
from tertulia.core.nul_characters import replace_nul
from tertulia.dates.day_texts import read_day_text
from tertulia.files.metadata import FileMetadata, PathText
from tertulia.infra.http.schema import Schema, ValidUnicode
from tertulia.models.calls import Effort
from tertulia.projects.domain import ProjectStatus
from tertulia.projects.views import ProjectSettingsView

CONVERSATION_FORMAT = "tertulia.conversation"
BUNDLE_FORMAT = "tertulia.bundle"
EXPORT_VERSION = 1
EXPORT_ROUNDS_MAX = 100_000
EXPORT_REPLIES_PER_ROUND_MAX = 10_000
#: What the files of a document may have in all, and how many they may be.
EXPORT_FILES_MAX_BYTES = 50_000_000
EXPORT_FILES_MAX = 1_000


def make_storable(text: object) -> object:
    """Return what stands in the place of a text as it can be stored."""
    return replace_nul(text) if isinstance(text, str) else text


def truncate_to_millisecond(moment: datetime) -> datetime:
    """Return a moment as we keep it."""
    try:
        return from_ms(to_ms(moment))
    except OverflowError as error:
        message = "must be a moment between the years 1 and 9999"
        raise ValueError(message) from error


def from_base64(data: object, max_bytes: int = PICTURE_MAX_BYTES) -> object:
    """Read bytes that were written as base64."""
    if not isinstance(data, str):
        return data
    if len(data) > max_bytes * 4 // 3 + 4:
        message = f"must be at most {max_bytes // 1_000_000} MB"
        raise ValueError(message)
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError) as error:
        message = "must be base64"
        raise ValueError(message) from error


def to_base64(data: bytes) -> str:
    """Write bytes as base64."""
    return base64.b64encode(data).decode()


DocumentText = Annotated[str, BeforeValidator(make_storable), Field(max_length=20_000_000), ValidUnicode]
DocumentName = Annotated[
    str, BeforeValidator(make_storable), Field(min_length=1, max_length=1000), ValidUnicode
]
DocumentTime = Annotated[
    AwareDatetime, AfterValidator(truncate_to_millisecond), PlainSerializer(to_iso, return_type=str)
]
PictureBytes = Annotated[bytes, BeforeValidator(from_base64), PlainSerializer(to_base64, return_type=str)]
FileBytes = Annotated[
    bytes,
    BeforeValidator(partial(from_base64, max_bytes=EXPORT_FILES_MAX_BYTES)),
    PlainSerializer(to_base64, return_type=str),
]
RoundRef = Annotated[str, Field(pattern=r"^r[1-9][0-9]{0,8}$")]
MessageRef = Annotated[str, Field(pattern=r"^m[1-9][0-9]{0,8}$")]
DocumentMarks = Annotated[list[Mark], Field(max_length=len(Mark))]


class ExportFormat(StrEnum):
    """How a conversation is written down: to be read back, or to be read."""

    JSON = "json"
    MARKDOWN = "markdown"


class AnchorDocument(Schema):
    """What a conversation is about, as far as that means anything elsewhere."""

    kind: Literal[Anchor.PROJECT, Anchor.WORKSPACE, Anchor.DAY]
    day: str | None = None

    @model_validator(mode="after")
    def check_day(self) -> "AnchorDocument":
        """Refuse a day that is none."""
        if (self.kind is Anchor.DAY) != (self.day is not None):
            message = "`day` goes with the kind `day`, and only with it"
            raise ValueError(message)
        if self.day is not None:
            read_day_text(self.day)
        return self


class AttachmentDocument(Schema):
    """A picture, with its bytes as base64."""

    mime: str
    data: PictureBytes


class QuestionDocument(Schema):
    """What the person asked."""

    ref: MessageRef
    content: DocumentText
    attachments: list[AttachmentDocument] = Field(default_factory=list[AttachmentDocument], max_length=1000)
    marks: DocumentMarks = Field(default_factory=list[Mark])


class TableDocument(Schema):
    """A table that a tool gave."""

    columns: Annotated[list[DocumentText], Field(max_length=1000)]
    rows: Annotated[list[Annotated[list[DocumentText], Field(max_length=1000)]], Field(max_length=10_000)]
    rows_in_all: Annotated[int, Field(ge=0)]


class SavedFileDocument(Schema):
    """A file that a tool has written; the file itself is not in the document."""

    path: DocumentText
    version: Annotated[int, Field(ge=1)]


class WrittenItemDocument(Schema):
    """A task or event that a tool has written, as it was then; elsewhere there is none of its id."""

    kind: WrittenKind
    action: DocumentName
    title: DocumentText
    start: DocumentText = ""
    end: DocumentText = ""
    time_zone: DocumentText = ""
    due_date: DocumentText = ""


class DateCorrectionDocument(Schema):
    """A day that a reply names wrongly, and the right one."""

    said: DocumentText
    right: DocumentText


class ToolCallDocument(Schema):
    """A tool that a model called, and what it gave."""

    id: DocumentText
    name: DocumentText
    arguments: DocumentText
    changed: bool = False
    step: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    at: Annotated[int, Field(ge=0)] = 0
    effect: Literal["read", "side"] = "read"
    status: ToolStatus = ToolStatus.DONE
    result: DocumentText = ""
    length: Annotated[int, Field(ge=0)] = 0
    ms: Annotated[int, Field(ge=0)] | None = None
    attachments: list[AttachmentDocument] = Field(default_factory=list[AttachmentDocument], max_length=1000)
    tables: list[TableDocument] = Field(default_factory=list[TableDocument], max_length=1000)
    saved: list[SavedFileDocument] = Field(default_factory=list[SavedFileDocument], max_length=1000)
    #: What its arguments come to, as a person reads them.
    summary: DocumentText = ""
    written: list[WrittenItemDocument] = Field(default_factory=list[WrittenItemDocument], max_length=1000)


class ReplyDocument(Schema):
    """One model's reply; `continues` names the reply of the same round that it goes on with."""

    ref: MessageRef
    lane: DocumentName
    model: DocumentName
    kind: ReplyKind
    attempt: Annotated[int, Field(ge=1, le=1_000_000)]
    continues: MessageRef | None = None
    effort: Effort | None = None
    temperature: Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)] | None = None
    status: Literal[ReplyStatus.DONE, ReplyStatus.STOPPED, ReplyStatus.INTERRUPTED, ReplyStatus.FAILED]
    content: DocumentText
    thinking: DocumentText = ""
    error: ReplyProblem | None = None
    usage: UsageView | None = None
    cost: Dollars | None = None
    tool_calls: list[ToolCallDocument] = Field(default_factory=list[ToolCallDocument], max_length=10_000)
    #: What the person told the model while it worked.
    notes: list[DocumentText] = Field(default_factory=list[str], max_length=10_000)
    notice: DocumentText = ""
    corrections: list[DateCorrectionDocument] = Field(
        default_factory=list[DateCorrectionDocument], max_length=1000
    )
    marks: DocumentMarks = Field(default_factory=list[Mark])
    created_at: DocumentTime
    started_at: DocumentTime | None = None
    first_token_at: DocumentTime | None = None
    finished_at: DocumentTime | None = None


class RoundDocument(Schema):
    """A question with its replies; `parent` is the message that the question follows."""

    ref: RoundRef
    parent: MessageRef | None
    policy: Policy
    created_at: DocumentTime
    question: QuestionDocument
    replies: list[ReplyDocument] = Field(
        default_factory=list[ReplyDocument], max_length=EXPORT_REPLIES_PER_ROUND_MAX
    )


class FileDocument(FileMetadata):
    """A file that is attached to the conversation; without bytes where the document has no room for them."""

    path: PathText
    data: FileBytes | None = None


class ConversationDocument(Schema):
    """A whole conversation, every branch of it; rounds come after the ones they follow."""

    format: Literal["tertulia.conversation"] = CONVERSATION_FORMAT
    version: Literal[1] = EXPORT_VERSION
    title: Annotated[str, BeforeValidator(make_storable), Field(max_length=1000), ValidUnicode] | None
    #: `nobody`, `question`, `person`, or the id of the model that wrote it.
    title_by: DocumentName
    anchor: AnchorDocument
    instructions: DocumentText = ""
    visibility: Visibility
    created_at: DocumentTime
    updated_at: DocumentTime
    pinned_at: DocumentTime | None = None
    archived_at: DocumentTime | None = None
    #: The last round of the branch that is shown.
    head: RoundRef | None
    rounds: Annotated[list[RoundDocument], Field(max_length=EXPORT_ROUNDS_MAX)]
    files: Annotated[list[FileDocument], Field(max_length=EXPORT_FILES_MAX)] = Field(
        default_factory=list[FileDocument]
    )


class ProjectDocument(Schema):
    """A project in a bundle."""

    ref: Annotated[str, Field(pattern=r"^p[1-9][0-9]{0,8}$")]
    name: DocumentName
    description: DocumentText = ""
    brief: DocumentText = ""
    instructions: DocumentText = ""
    status: ProjectStatus = ProjectStatus.ACTIVE
    settings: ProjectSettingsView = ProjectSettingsView()
    is_default: bool = False


class BundledConversation(Schema):
    """A conversation in a bundle, and the project it belongs to."""

    project: Annotated[str, Field(pattern=r"^p[1-9][0-9]{0,8}$")] | None
    #: A `ConversationDocument`; it is checked where it is imported.
    conversation: JsonObject


class Bundle(Schema):
    """All that a person can see of a workspace; made and read page by page by the command line."""

    format: Literal["tertulia.bundle"] = BUNDLE_FORMAT
    version: Literal[1] = EXPORT_VERSION
    projects: list[ProjectDocument]
    conversations: list[BundledConversation]


def write_item(document: Schema) -> str:
    """Write an item of a list in a document: only its lines are indented, for in JSON no text has any."""
    return document.model_dump_json(indent=2).replace("\n", "\n    ")


def end_list(items: Sequence[object]) -> str:
    """Return how a list of a document is closed."""
    return "\n  ]" if items else "]"
