"""Writing a whole conversation down as one document, every branch of it, in one snapshot."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tertulia.conversations import rounds, tool_runs
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.attachments import images_of
from tertulia.conversations.domain import Anchor, Attachment, Conversation, ReplyStatus, Round, ToolUse
from tertulia.conversations.export_schemas import (
    AnchorDocument,
    AttachmentDocument,
    ConversationDocument,
    QuestionDocument,
    ReplyDocument,
    RoundDocument,
    ToolCallDocument,
)
from tertulia.conversations.reading import so_far
from tertulia.conversations.rounds import Answer, FullRound
from tertulia.infra.db import Tx
from tertulia.infra.http.schema import shared
from tertulia.models.calls import Image

AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Sources:
    """What a document is written from, besides the rounds themselves."""

    refs: Mapping[str, str]
    pictures: Mapping[str, Image]
    #: Text and thinking of replies that are under way.
    heard: Mapping[str, tuple[str, str]]
    #: What calls of tools gave, as the models were given it.
    results: Mapping[tuple[str, str], str]

    def shown(self, attachments: Sequence[Attachment]) -> list[AttachmentDocument]:
        """Return the pictures of a message or a call."""
        found = [self.pictures[one.id] for one in attachments if one.id in self.pictures]
        return [AttachmentDocument(mime=one.mime, data=one.data) for one in found]


def export_document(tx: Tx, conversation_id: str) -> ConversationDocument:
    """Return a conversation that the caller may see; replies under way are interrupted there."""
    conversation = get_for_reading(tx, conversation_id)
    full = filled(tx, rounds.all_rounds(tx, conversation.id))
    refs = references(full)
    sources = Sources(
        refs=refs,
        pictures=images_of(tx, [one.id for each in full for one in attachments_of(each)]),
        heard=so_far(tx, full),
        results=tool_runs.results_in(tx, conversation.id),
    )
    return ConversationDocument(
        **shared(conversation, ConversationDocument, but="anchor"),
        anchor=anchor_of(conversation),
        head=refs.get(conversation.head_id or "") or (refs[full[-1].round.id] if full else None),
        rounds=[round_document(one, sources) for one in full],
    )


def attachments_of(full: FullRound) -> list[Attachment]:
    """Return the pictures of a round: those that the person showed, and those that tools drew."""
    calls = [call for answer in full.answers for call in answer.reply.tool_calls]
    return [*full.question.attachments, *(one for call in calls for one in call.attachments)]


def filled(tx: Tx, found: Sequence[Round]) -> list[FullRound]:
    """Return rounds with all that was said in them, some at a time: thousands at once would take too long."""
    return [
        full
        for start in range(0, len(found), AT_ONCE)
        for full in rounds.fill(tx, found[start : start + AT_ONCE])
    ]


def export_json(tx: Tx, conversation_id: str) -> bytes:
    """Return a conversation as JSON that imports back identically."""
    return as_json(export_document(tx, conversation_id))


def as_json(document: ConversationDocument) -> bytes:
    """Write a document in its one form."""
    return document.model_dump_json(indent=2).encode() + b"\n"


def anchor_of(conversation: Conversation) -> AnchorDocument:
    """Return what a conversation is about; a task of ours means nothing elsewhere."""
    if conversation.anchor is Anchor.DAY:
        return AnchorDocument(kind=Anchor.DAY, day=conversation.anchor_id)
    if conversation.anchor is Anchor.WORKSPACE or conversation.project_id is None:
        return AnchorDocument(kind=Anchor.WORKSPACE)
    return AnchorDocument(kind=Anchor.PROJECT)


def references(full: Sequence[FullRound]) -> dict[str, str]:
    """Name rounds and messages by the order in which they were written, which is that of their ids."""
    written = [id_ for one in full for id_ in (one.question.id, *(answer.reply.id for answer in one.answers))]
    opened = [one.round.id for one in full]
    numbered = {id_: f"m{number}" for number, id_ in enumerate(sorted(written), 1)}
    return numbered | {id_: f"r{number}" for number, id_ in enumerate(sorted(opened), 1)}


def round_document(full: FullRound, sources: Sources) -> RoundDocument:
    """Write one round down."""
    question, refs = full.question, sources.refs
    return RoundDocument(
        ref=refs[full.round.id],
        parent=refs[question.parent_id] if question.parent_id else None,
        policy=full.round.policy,
        created_at=full.round.created_at,
        question=QuestionDocument(
            ref=refs[question.id],
            content=question.content,
            attachments=sources.shown(question.attachments),
            marks=list(full.marks),
        ),
        replies=[reply_document(answer, sources) for answer in full.answers],
    )


def reply_document(answer: Answer, sources: Sources) -> ReplyDocument:
    """Write one reply down: its message when it is final, else what was heard so far."""
    reply, message, refs = answer.reply, answer.message, sources.refs
    said = (message.content, message.thinking) if message else sources.heard.get(reply.id, ("", ""))
    values: dict[str, Any] = shared(reply, ReplyDocument) | {
        "status": reply.status if reply.status.is_final else ReplyStatus.INTERRUPTED,
        "continues": refs[reply.continues] if reply.continues else None,
        "tool_calls": [call_document(reply.id, one, sources) for one in reply.tool_calls],
        "notes": [note.text for note in reply.notes],
        "marks": list(answer.marks),
    }
    return ReplyDocument(ref=refs[reply.id], content=said[0], thinking=said[1], **values)


def call_document(reply_id: str, call: ToolUse, sources: Sources) -> ToolCallDocument:
    """Write the call of a tool down, with what it gave."""
    values: dict[str, Any] = shared(call, ToolCallDocument) | {
        "result": sources.results.get((reply_id, call.id), call.result),
        "attachments": sources.shown(call.attachments),
        "tables": [asdict(table) for table in call.tables],
        "saved": [{"path": one.path, "version": one.version} for one in call.saved],
    }
    return ToolCallDocument(**values)
