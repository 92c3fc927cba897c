"""What was said in a conversation, for work that looks through each message once."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from tertulia.conversations.message_columns import beginning_of
from tertulia.infra.db import Tx, bound_list


@dataclass(frozen=True, slots=True)
class SaidMessage:
    """The beginning of a message, when it was said, in which round, and who asked there."""

    id: str
    conversation_id: str
    speaker: str
    content: str
    created_at: datetime
    round_number: int
    author_id: str


def list_message_ids(tx: Tx, conversation_id: str) -> list[str]:
    """Return the ids of all messages of a conversation, oldest first, on whichever branch."""
    sql = """SELECT id FROM messages
        WHERE conversation_id = :conversation AND workspace_id = :workspace ORDER BY id"""
    return tx.column(sql, conversation=conversation_id)


def read_said_messages(tx: Tx, message_ids: Collection[str], *, max_chars: int) -> list[SaidMessage]:
    """Return what messages say, up to so many characters of each, oldest first."""
    return tx.all(
        SaidMessage,
        f"""SELECT m.id, m.conversation_id, m.speaker, {beginning_of("m.content", max_chars)} AS content,
             m.created_at, r.number AS round_number, r.author_id
            FROM messages AS m JOIN rounds AS r ON r.id = m.round_id
            WHERE m.workspace_id = :workspace AND m.id IN {bound_list("ids")} ORDER BY m.id""",
        ids=list(message_ids),
    )
