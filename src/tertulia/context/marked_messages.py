"""What people marked in a conversation: messages that are pinned, left out, or for local models alone."""

from collections.abc import Mapping

from tertulia.context.branch_position import BranchPosition
from tertulia.context.domain import PinnedMessage
from tertulia.conversations import marks, message_visibility
from tertulia.conversations.domain import USER_SPEAKER, Conversation, Mark
from tertulia.conversations.reversal_notes import Quotation, note_quotations, write_notes
from tertulia.infra.db import Tx


def read_marks(tx: Tx, conversation: Conversation | None) -> dict[Mark, frozenset[str]]:
    """Return the messages of a conversation by their marks.

    A question that is left out takes the replies to it along, but for those that are pinned.
    """
    if conversation is None:
        return dict.fromkeys(Mark, frozenset())
    found = marks.list_marks(tx, conversation.id)
    known = {
        mark: frozenset(message_mark.message_id for message_mark in found if message_mark.mark is mark)
        for mark in Mark
    }
    return known | {
        Mark.EXCLUDED: message_visibility.include_replies(tx, known[Mark.EXCLUDED]) - known[Mark.PINNED]
    }


def pinned_messages(
    tx: Tx, place: BranchPosition, known: dict[Mark, frozenset[str]], names: Mapping[str, str]
) -> tuple[PinnedMessage, ...]:
    """Return the pinned messages of a branch, oldest first."""
    if place.conversation is None or not known[Mark.PINNED]:
        return ()
    found = marks.find_marked_messages(tx, place.conversation.id, Mark.PINNED)
    here = message_visibility.filter_rounds_on_branch(
        tx, {marked_message.round_id for marked_message in found}, branch=place.branch
    )
    shown = [marked_message for marked_message in found if marked_message.round_id in here]
    notes = note_quotations(
        tx,
        {message.id: to_pin_quotation(message, place.conversation) for message in shown},
        branch=place.branch,
    )
    return tuple(
        PinnedMessage(
            id=marked_message.id,
            speaker=marked_message.lane or USER_SPEAKER,
            text=marked_message.content,
            round_id=marked_message.round_id,
            round_number=marked_message.number,
            local_only=marked_message.id in known[Mark.LOCAL_ONLY],
            author="" if marked_message.lane else names.get(marked_message.author_id, ""),
            note=write_notes(notes.get(marked_message.id, ()), names),
        )
        for marked_message in shown
    )


def to_pin_quotation(message: marks.MarkedMessage, conversation: Conversation) -> Quotation:
    """Return a pinned message as something that is quoted."""
    return Quotation(
        message.content,
        message.id,
        conversation.id,
        message.number,
        said_at=conversation.created_at,
        author_id="" if message.lane else message.author_id,
    )
