"""Writing a whole conversation down as one document, every branch of it, in one snapshot."""

from collections.abc import Mapping, Sequence
from typing import Any

from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading
from tertulia.conversations.attachments import images_of
from tertulia.conversations.domain import Anchor, Conversation, ReplyStatus, Round
from tertulia.conversations.export_schemas import (
    AnchorDocument,
    AttachmentDocument,
    ConversationDocument,
    QuestionDocument,
    ReplyDocument,
    RoundDocument,
)
from tertulia.conversations.reading import so_far
from tertulia.conversations.rounds import Answer, FullRound
from tertulia.infra.db import Tx
from tertulia.infra.http.schema import shared
from tertulia.models.calls import Image

Heard = Mapping[str, tuple[str, str]]
AT_ONCE = 200


def export_document(tx: Tx, conversation_id: str) -> ConversationDocument:
    """Return a conversation that the caller may see; replies under way are interrupted there."""
    conversation = get_for_reading(tx, conversation_id)
    full = filled(tx, rounds.all_rounds(tx, conversation.id))
    refs = references(full)
    pictures = images_of(tx, [one.id for each in full for one in each.question.attachments])
    heard = so_far(tx, full)
    return ConversationDocument(
        **shared(conversation, ConversationDocument, but="anchor"),
        anchor=anchor_of(conversation),
        head=refs.get(conversation.head_id or "") or (refs[full[-1].round.id] if full else None),
        rounds=[round_document(one, refs=refs, pictures=pictures, heard=heard) for one in full],
    )


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


def round_document(
    full: FullRound, *, refs: Mapping[str, str], pictures: Mapping[str, Image], heard: Heard
) -> RoundDocument:
    """Write one round down."""
    question = full.question
    shown = [pictures[one.id] for one in question.attachments if one.id in pictures]
    return RoundDocument(
        ref=refs[full.round.id],
        parent=refs[question.parent_id] if question.parent_id else None,
        policy=full.round.policy,
        created_at=full.round.created_at,
        question=QuestionDocument(
            ref=refs[question.id],
            content=question.content,
            attachments=[AttachmentDocument(mime=one.mime, data=one.data) for one in shown],
        ),
        replies=[reply_document(answer, refs=refs, heard=heard) for answer in full.answers],
    )


def reply_document(answer: Answer, *, refs: Mapping[str, str], heard: Heard) -> ReplyDocument:
    """Write one reply down: its message when it is final, else what was heard so far."""
    reply, message = answer.reply, answer.message
    content, thinking = (message.content, message.thinking) if message else heard.get(reply.id, ("", ""))
    values: dict[str, Any] = shared(reply, ReplyDocument) | {
        "status": reply.status if reply.status.is_final else ReplyStatus.INTERRUPTED,
        "continues": refs[reply.continues] if reply.continues else None,
    }
    return ReplyDocument(ref=refs[reply.id], content=content, thinking=thinking, **values)
