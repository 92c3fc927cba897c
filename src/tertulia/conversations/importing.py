"""Adding an exported conversation, as read by `import_check`, to the caller's own: all of it, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tertulia.conversations import marks, publish, rounds, store
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.attachments import add_attachment
from tertulia.conversations.domain import (
    USER,
    Anchor,
    Attachment,
    Conversation,
    Mark,
    Message,
    Note,
    Origin,
    Reply,
    Round,
    SavedFile,
    Table,
    ToolUse,
    speaker_of,
)
from tertulia.conversations.export_schemas import (
    AttachmentDocument,
    ConversationDocument,
    QuestionDocument,
    ReplyDocument,
    RoundDocument,
    ToolCallDocument,
)
from tertulia.conversations.import_check import messages_in
from tertulia.core.ids import new_id
from tertulia.core.principal import Role
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.http.schema import shared
from tertulia.models.calls import Image
from tertulia.projects import store as projects


@dataclass(frozen=True, slots=True)
class Place:
    """Where imported rounds go: their conversation, and what the document's names stand for in it."""

    conversation: Conversation
    ids: Mapping[str, str]
    #: The id and depth of the round that each message named belongs to.
    rounds: Mapping[str, tuple[str, int]]


def import_conversation(
    tx: Tx, document: ConversationDocument, *, log: EventLog, project_id: str | None = None
) -> Conversation:
    """Add a checked document as a conversation of the caller's own."""
    tx.by.require(Role.MEMBER)
    conversation = add_empty(tx, document, project_id)
    place = Place(conversation, ids := new_ids(document), places(document, ids))
    for one in document.rounds:
        add_round(tx, one, place)
    copied = ("title_by", "visibility", "pinned_at", "archived_at", "created_at", "updated_at")
    store.change(
        tx,
        conversation.id,
        head_id=ids[document.head] if document.head else None,
        round_count=len(document.rounds),
        **{name: getattr(document, name) for name in copied},
    )
    imported = get_for_reading(tx, conversation.id)
    publish.changed(tx, imported, log=log)
    return imported


def add_empty(tx: Tx, document: ConversationDocument, project_id: str | None) -> Conversation:
    """Add the conversation without its rounds, in the project given, or the default one if it needs one."""
    anchor = document.anchor
    if project_id is not None:
        project_id = projects.get(tx, project_id).id
    elif anchor.kind is Anchor.PROJECT:
        project_id = projects.get_default(tx).id
    return store.add(
        tx,
        project_id=project_id,
        anchor=anchor.kind,
        anchor_id=project_id if anchor.kind is Anchor.PROJECT else anchor.day,
        origin=Origin.IMPORT,
        title=document.title,
        instructions=document.instructions,
    )


def new_ids(document: ConversationDocument) -> dict[str, str]:
    """Give every name an id; ids sort as the names do, so what was written first stays first."""
    opened = [one.ref for one in document.rounds]
    written = [ref for one in document.rounds for ref in messages_in(one)]
    ids = {ref: new_id("rnd") for ref in sorted(opened, key=number_of)}
    return ids | {ref: new_id("msg") for ref in sorted(written, key=number_of)}


def number_of(ref: str) -> int:
    """Return the number in a name such as `m12`."""
    return int(ref[1:])


def places(document: ConversationDocument, ids: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    """Return, for each message's name, the id and the depth of its round."""
    found: dict[str, tuple[str, int]] = {}
    for one in document.rounds:
        depth = found[one.parent][1] + 1 if one.parent else 1
        found |= dict.fromkeys(messages_in(one), (ids[one.ref], depth))
    return found


def add_round(tx: Tx, one: RoundDocument, place: Place) -> None:
    """Add a round with its question and its replies."""
    round_ = Round(
        id=place.ids[one.ref],
        workspace_id=place.conversation.workspace_id,
        conversation_id=place.conversation.id,
        parent_id=place.rounds[one.parent][0] if one.parent else None,
        number=place.rounds[one.question.ref][1],
        policy=one.policy,
        author_id=tx.by.user_id,
        idempotency_key=None,
        body_hash=None,
        created_at=one.created_at,
    )
    rounds.add_round(tx, round_)
    add_question(tx, one.question, round_, place, parent=one.parent)
    if one.replies:
        rounds.add_replies(tx, [reply_of(tx, reply, round_, place) for reply in one.replies])
    for reply in one.replies:
        add_message(tx, reply_message(reply, round_, place, question=one.question), reply.marks)


def add_message(tx: Tx, message: Message, marked: Sequence[Mark]) -> None:
    """Add a message with what people say of it."""
    rounds.add_message(tx, message)
    for mark in marked:
        marks.add(tx, message, mark)


def add_question(tx: Tx, one: QuestionDocument, round_: Round, place: Place, *, parent: str | None) -> None:
    """Add what the person asked, with the pictures they showed."""
    message = Message(
        id=place.ids[one.ref],
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        parent_id=place.ids[parent] if parent else None,
        speaker=USER,
        content=one.content,
        created_at=round_.created_at,
        attachments=pictures(tx, one.attachments, round_),
    )
    add_message(tx, message, one.marks)


def pictures(tx: Tx, found: Sequence[AttachmentDocument], round_: Round) -> list[Attachment]:
    """Add the pictures of a message or a call."""
    return [add_attachment(tx, round_.conversation_id, Image(one.mime, one.data)) for one in found]


def reply_of(tx: Tx, one: ReplyDocument, round_: Round, place: Place) -> Reply:
    """Return what is known of how a reply came to be."""
    values: dict[str, Any] = shared(one, ReplyDocument) | {
        "continues": place.ids[one.continues] if one.continues else None,
        "error": one.error and one.error.model_dump(),
        "usage": one.usage and one.usage.model_dump(),
        "tool_calls": [tool_use(tx, call, round_) for call in one.tool_calls],
        "notes": [Note(new_id("nte"), text, taken=True) for text in one.notes],
    }
    for name in ("ref", "content", "thinking", "marks"):
        del values[name]
    return Reply(
        id=place.ids[one.ref],
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        first_seq=0,
        **values,
    )


def tool_use(tx: Tx, one: ToolCallDocument, round_: Round) -> ToolUse:
    """Return the call of a tool; files that it saved are elsewhere."""
    values: dict[str, Any] = shared(one, ToolCallDocument) | {
        "attachments": pictures(tx, one.attachments, round_),
        "tables": [Table(**table.model_dump()) for table in one.tables],
        "saved": [SavedFile(file.path, "", file.version) for file in one.saved],
    }
    return ToolUse(**values)


def reply_message(one: ReplyDocument, round_: Round, place: Place, *, question: QuestionDocument) -> Message:
    """Return what a model said."""
    return Message(
        id=place.ids[one.ref],
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        parent_id=place.ids[question.ref],
        speaker=speaker_of(one.model),
        content=one.content,
        thinking=one.thinking,
        created_at=one.finished_at or one.created_at,
    )
