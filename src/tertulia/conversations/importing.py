"""Adding an exported conversation, as read by `import_reading`, to the caller's own: all of it, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
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
from tertulia.conversations.import_reading import RoundOutline, outline_of
from tertulia.conversations.service import DELETION_KIND
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id, ulid_at
from tertulia.core.principal import Role
from tertulia.core.threads import give_way_between
from tertulia.infra import undo
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.http.schema import shared
from tertulia.infra.jobs import enqueue
from tertulia.models.calls import Image
from tertulia.projects import store as projects

#: Half of a conversation that was never finished is deleted after so long.
IMPORT_WINDOW = timedelta(hours=1)
#: What says that messages are to be found again, a few at a time.
FIND_MESSAGES = "find_messages"
#: Names that get their ids between two looks at who waits: a millisecond's work.
NAMES_PER_TURN = 200


@dataclass(frozen=True, slots=True)
class ImportNames:
    """What the names of a document stand for once it is imported."""

    ids: Mapping[str, str]
    #: The id and depth of the round that each message named belongs to.
    rounds: Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """Where imported rounds go: their conversation, and what the document's names stand for in it."""

    conversation: Conversation
    names: ImportNames
    #: What deletes the conversation unless it is finished.
    deletion_id: str


def import_conversation(
    tx: Tx, document: ConversationDocument, *, log: EventLog, project_id: str | None = None
) -> Conversation:
    """Add a checked document as a conversation of the caller's own, in one transaction: for small ones."""
    outlines = [outline_of(round_) for round_ in document.rounds]
    target = begin_import(tx, document, name_all(outlines), project_id=project_id)
    add_rounds(tx, document.rounds, target)
    return finish_import(tx, document, target, log=log)


def begin_import(
    tx: Tx, document: ConversationDocument, names: ImportNames, *, project_id: str | None
) -> ImportTarget:
    """Add the conversation without its rounds; until it is finished it counts as deleted."""
    tx.by.require(Role.MEMBER)
    conversation = add_empty(tx, document, project_id)
    store.change(tx, conversation.id, deleted_at=now())
    deletion = undo.add(tx, DELETION_KIND, conversation.id, window=IMPORT_WINDOW)
    return ImportTarget(conversation, names, deletion.id)


def add_rounds(tx: Tx, rounds_: Sequence[RoundDocument], target: ImportTarget) -> None:
    """Add some rounds, after those that they follow."""
    if store.find(tx, target.conversation.id) is None:
        raise NotFound("project")  # it was deleted meanwhile, and all that was in it
    for round_ in rounds_:
        add_round(tx, round_, target)


def finish_import(
    tx: Tx, document: ConversationDocument, target: ImportTarget, *, log: EventLog
) -> Conversation:
    """Let the conversation be seen, now that all of it is there; what was said is found soon after."""
    conversation_id = target.conversation.id
    if store.find(tx, conversation_id) is None:
        raise NotFound("project")
    copied = ("title_by", "visibility", "pinned_at", "archived_at", "created_at", "updated_at")
    store.change(
        tx,
        conversation_id,
        deleted_at=None,
        head_id=target.names.ids[document.head] if document.head else None,
        round_count=len({round_id for round_id, _ in target.names.rounds.values()}),
        sort_key=ulid_at(document.updated_at),
        **{name: getattr(document, name) for name in copied},
    )
    undo.remove(tx, target.deletion_id)
    who = {"conversation_id": conversation_id, "workspace_id": tx.by.workspace_id, "user_id": tx.by.user_id}
    enqueue(tx, FIND_MESSAGES, key=f"{FIND_MESSAGES}:{conversation_id}", payload=who)
    imported = get_for_reading(tx, conversation_id)
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


def name_all(outlines: Sequence[RoundOutline]) -> ImportNames:
    """Give every name an id: long work where there are many, to be done before a transaction."""
    ids = new_ids(outlines)
    return ImportNames(ids, places(outlines, ids))


def new_ids(outlines: Sequence[RoundOutline]) -> dict[str, str]:
    """Give every name an id; ids sort as the names do, so what was written first stays first."""
    opened = sorted((outline.ref for outline in outlines), key=number_of)
    written = sorted((ref for outline in outlines for ref in outline.messages), key=number_of)
    ids = {ref: new_id("rnd") for ref in give_way_between(opened, every=NAMES_PER_TURN)}
    return ids | {ref: new_id("msg") for ref in give_way_between(written, every=NAMES_PER_TURN)}


def number_of(ref: str) -> int:
    """Return the number in a name such as `m12`."""
    return int(ref[1:])


def places(outlines: Sequence[RoundOutline], ids: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    """Return, for each message's name, the id and the depth of its round."""
    found: dict[str, tuple[str, int]] = {}
    for outline in give_way_between(outlines, every=NAMES_PER_TURN):
        depth = found[outline.parent][1] + 1 if outline.parent else 1
        found |= dict.fromkeys(outline.messages, (ids[outline.ref], depth))
    return found


def add_round(tx: Tx, one: RoundDocument, place: ImportTarget) -> None:
    """Add a round with its question and its replies."""
    round_ = Round(
        id=place.names.ids[one.ref],
        workspace_id=place.conversation.workspace_id,
        conversation_id=place.conversation.id,
        parent_id=place.names.rounds[one.parent][0] if one.parent else None,
        number=place.names.rounds[one.question.ref][1],
        policy=one.policy,
        author_id=tx.by.user_id,
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


def add_question(
    tx: Tx, one: QuestionDocument, round_: Round, place: ImportTarget, *, parent: str | None
) -> None:
    """Add what the person asked, with the pictures they showed."""
    message = Message(
        id=place.names.ids[one.ref],
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        parent_id=place.names.ids[parent] if parent else None,
        speaker=USER,
        content=one.content,
        created_at=round_.created_at,
        attachments=pictures(tx, one.attachments, round_),
    )
    add_message(tx, message, one.marks)


def pictures(tx: Tx, found: Sequence[AttachmentDocument], round_: Round) -> list[Attachment]:
    """Add the pictures of a message or a call."""
    return [add_attachment(tx, round_.conversation_id, Image(one.mime, one.data)) for one in found]


def reply_of(tx: Tx, one: ReplyDocument, round_: Round, place: ImportTarget) -> Reply:
    """Return what is known of how a reply came to be."""
    values: dict[str, Any] = shared(one, ReplyDocument) | {
        "continues": place.names.ids[one.continues] if one.continues else None,
        "error": one.error and one.error.model_dump(),
        "usage": one.usage and one.usage.model_dump(),
        "tool_calls": [tool_use(tx, call, round_) for call in one.tool_calls],
        "notes": [Note(new_id("nte"), text, taken=True) for text in one.notes],
    }
    for name in ("ref", "content", "thinking", "marks"):
        del values[name]
    return Reply(
        id=place.names.ids[one.ref],
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


def reply_message(
    one: ReplyDocument, round_: Round, place: ImportTarget, *, question: QuestionDocument
) -> Message:
    """Return what a model said."""
    return Message(
        id=place.names.ids[one.ref],
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        parent_id=place.names.ids[question.ref],
        speaker=speaker_of(one.model),
        content=one.content,
        thinking=one.thinking,
        created_at=one.finished_at or one.created_at,
    )
