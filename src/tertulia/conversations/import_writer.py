"""Adding an exported conversation, as read by `import_reader`, to the caller's own: all of it, or none."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta

from tertulia.conversations import event_publisher, marks, rounds, store
from tertulia.conversations.access import find_unchecked, get_for_reading
from tertulia.conversations.domain import (
    USER_SPEAKER,
    Anchor,
    Attachment,
    Conversation,
    DateCorrection,
    Mark,
    Message,
    Note,
    Origin,
    Reply,
    Round,
    SavedFile,
    Table,
    VisibleToolCall,
    WrittenItem,
    speaker_of,
)
from tertulia.conversations.export_documents import (
    AttachmentDocument,
    ConversationDocument,
    QuestionDocument,
    ReplyDocument,
    RoundDocument,
    ToolCallDocument,
)
from tertulia.conversations.import_reader import RoundOutline, outline_round
from tertulia.conversations.message_pictures import add_attachment
from tertulia.conversations.service import CONVERSATION_DELETION_KIND
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id, ulid_at
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Role
from tertulia.core.threads import yield_interpreter_between
from tertulia.infra import undo
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.http.schema import shared_fields
from tertulia.infra.jobs import enqueue, payload_by
from tertulia.models.calls import Image, Usage
from tertulia.projects import access as projects

#: Half of a conversation that was never finished is deleted after so long.
UNFINISHED_IMPORT_TTL = timedelta(hours=1)
#: What says that messages are to be found again, a few at a time.
INDEX_MESSAGES_JOB = "find_messages"
#: Names that get their ids between two looks at who waits: a millisecond's work.
IMPORT_IDS_PER_YIELD = 200


@dataclass(frozen=True, slots=True)
class ImportRefs:
    """What the names of a document stand for once it is imported."""

    ids: Mapping[str, str]
    #: The id and depth of the round that each message named belongs to.
    rounds: Mapping[str, tuple[str, int]]


@dataclass(frozen=True, slots=True)
class ImportTarget:
    """Where imported rounds go: their conversation, and what the document's names stand for in it."""

    conversation: Conversation
    refs: ImportRefs
    #: What deletes the conversation unless it is finished.
    deletion_id: str


def import_conversation(
    tx: Tx, document: ConversationDocument, *, log: EventLog, project_id: str | None = None
) -> Conversation:
    """Add a checked document as a conversation of the caller's own, in one transaction: for small ones."""
    outlines = [outline_round(round_) for round_ in document.rounds]
    target = begin_import(tx, document, allocate_refs(outlines), project_id=project_id)
    add_rounds(tx, document.rounds, target)
    return finish_import(tx, document, target, log=log)


def begin_import(
    tx: Tx, document: ConversationDocument, refs: ImportRefs, *, project_id: str | None
) -> ImportTarget:
    """Add the conversation without its rounds; until it is finished it counts as deleted."""
    tx.by.require(Role.MEMBER)
    conversation = add_empty_conversation(tx, document, project_id)
    store.change(tx, conversation.id, deleted_at=now())
    deletion = undo.add(tx, CONVERSATION_DELETION_KIND, conversation.id, window=UNFINISHED_IMPORT_TTL)
    return ImportTarget(conversation, refs, deletion.id)


def add_rounds(tx: Tx, rounds_: Sequence[RoundDocument], target: ImportTarget) -> None:
    """Add some rounds, after those that they follow."""
    if find_unchecked(tx, target.conversation.id) is None:
        raise NotFound("project")  # it was deleted meanwhile, and all that was in it
    for round_ in rounds_:
        add_round(tx, round_, target)


def finish_import(
    tx: Tx, document: ConversationDocument, target: ImportTarget, *, log: EventLog
) -> Conversation:
    """Let the conversation be seen, now that all of it is there; what was said is found soon after."""
    conversation_id = target.conversation.id
    if find_unchecked(tx, conversation_id) is None:
        raise NotFound("project")
    copied = ("title_by", "visibility", "pinned_at", "archived_at", "created_at", "updated_at")
    store.change(
        tx,
        conversation_id,
        deleted_at=None,
        head_id=target.refs.ids[document.head] if document.head else None,
        round_count=len({round_id for round_id, _ in target.refs.rounds.values()}),
        sort_key=ulid_at(document.updated_at),
        **{name: getattr(document, name) for name in copied},
    )
    undo.remove(tx, target.deletion_id)
    who = payload_by(tx.by, conversation_id=conversation_id)
    enqueue(tx, INDEX_MESSAGES_JOB, key=f"{INDEX_MESSAGES_JOB}:{conversation_id}", payload=who)
    imported = get_for_reading(tx, conversation_id)
    event_publisher.publish_changed(tx, imported, log=log)
    return imported


def add_empty_conversation(tx: Tx, document: ConversationDocument, project_id: str | None) -> Conversation:
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


def allocate_refs(outlines: Sequence[RoundOutline]) -> ImportRefs:
    """Give every name an id: long work where there are many, to be done before a transaction."""
    ids = allocate_ids(outlines)
    return ImportRefs(ids, locate_messages(outlines, ids))


def allocate_ids(outlines: Sequence[RoundOutline]) -> dict[str, str]:
    """Give every name an id; ids sort as the names do, so what was written first stays first."""
    opened = sorted((outline.ref for outline in outlines), key=ref_number)
    written = sorted((ref for outline in outlines for ref in outline.messages), key=ref_number)
    ids = {ref: new_id("rnd") for ref in yield_interpreter_between(opened, batch_size=IMPORT_IDS_PER_YIELD)}
    return ids | {
        ref: new_id("msg") for ref in yield_interpreter_between(written, batch_size=IMPORT_IDS_PER_YIELD)
    }


def ref_number(ref: str) -> int:
    """Return the number in a name such as `m12`."""
    return int(ref[1:])


def locate_messages(outlines: Sequence[RoundOutline], ids: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    """Return, for each message's name, the id and the depth of its round."""
    found: dict[str, tuple[str, int]] = {}
    for outline in yield_interpreter_between(outlines, batch_size=IMPORT_IDS_PER_YIELD):
        depth = found[outline.parent][1] + 1 if outline.parent else 1
        found |= dict.fromkeys(outline.messages, (ids[outline.ref], depth))
    return found


def add_round(tx: Tx, document: RoundDocument, target: ImportTarget) -> None:
    """Add a round with its question and its replies."""
    round_ = Round(
        id=target.refs.ids[document.ref],
        workspace_id=target.conversation.workspace_id,
        conversation_id=target.conversation.id,
        parent_id=target.refs.rounds[document.parent][0] if document.parent else None,
        number=target.refs.rounds[document.question.ref][1],
        policy=document.policy,
        author_id=tx.by.user_id,
        created_at=document.created_at,
    )
    rounds.add_round(tx, round_)
    add_question(tx, document.question, round_, target, parent=document.parent)
    if document.replies:
        rounds.add_replies(tx, [to_reply(tx, reply, round_, target) for reply in document.replies])
    for reply in document.replies:
        add_message(tx, to_reply_message(reply, round_, target, question=document.question), reply.marks)


def add_message(tx: Tx, message: Message, own_marks: Sequence[Mark]) -> None:
    """Add a message with what people say of it."""
    rounds.add_message(tx, message)
    for mark in own_marks:
        marks.add_mark(tx, message, mark)


def add_question(
    tx: Tx, document: QuestionDocument, round_: Round, target: ImportTarget, *, parent: str | None
) -> None:
    """Add what the person asked, with the pictures they showed."""
    message = Message(
        id=target.refs.ids[document.ref],
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        parent_id=target.refs.ids[parent] if parent else None,
        speaker=USER_SPEAKER,
        content=document.content,
        created_at=round_.created_at,
        attachments=add_pictures(tx, document.attachments, round_),
    )
    add_message(tx, message, document.marks)


def add_pictures(tx: Tx, documents: Sequence[AttachmentDocument], round_: Round) -> list[Attachment]:
    """Add the pictures of a message or a call."""
    return [
        add_attachment(tx, round_.conversation_id, Image(document.mime, document.data))
        for document in documents
    ]


def to_reply(tx: Tx, document: ReplyDocument, round_: Round, target: ImportTarget) -> Reply:
    """Return what is known of how a reply came to be."""
    values: JsonObject = shared_fields(document, ReplyDocument) | {
        "continues": target.refs.ids[document.continues] if document.continues else None,
        "usage": document.usage and Usage(**asdict(document.usage)),
        "tool_calls": [to_tool_call(tx, call, round_) for call in document.tool_calls],
        "notes": [Note(new_id("nte"), text, taken=True) for text in document.notes],
        "corrections": [DateCorrection(**correction.model_dump()) for correction in document.corrections],
    }
    for name in ("ref", "content", "thinking", "marks"):
        del values[name]
    return Reply(
        id=target.refs.ids[document.ref],
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        first_seq=0,
        **values,
    )


def to_tool_call(tx: Tx, document: ToolCallDocument, round_: Round) -> VisibleToolCall:
    """Return the call of a tool; files that it saved are elsewhere."""
    values: JsonObject = shared_fields(document, ToolCallDocument) | {
        "attachments": add_pictures(tx, document.attachments, round_),
        "tables": [Table(**table.model_dump()) for table in document.tables],
        "saved": [SavedFile(file.path, "", file.version) for file in document.saved],
        "written": [WrittenItem(id="", **item.model_dump()) for item in document.written],
    }
    return VisibleToolCall(**values)


def to_reply_message(
    document: ReplyDocument, round_: Round, target: ImportTarget, *, question: QuestionDocument
) -> Message:
    """Return what a model said."""
    return Message(
        id=target.refs.ids[document.ref],
        workspace_id=round_.workspace_id,
        conversation_id=round_.conversation_id,
        round_id=round_.id,
        parent_id=target.refs.ids[question.ref],
        speaker=speaker_of(document.model),
        content=document.content,
        thinking=document.thinking,
        created_at=document.finished_at or document.created_at,
    )
