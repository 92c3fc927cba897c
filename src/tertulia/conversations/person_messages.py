"""What a person wrote themselves: the only talk that memories are made of."""

from dataclasses import dataclass
from datetime import datetime

from tertulia.conversations import marks
from tertulia.conversations.domain import Mark
from tertulia.conversations.message_visibility import find_hidden_messages
from tertulia.infra.db import Tx
from tertulia.projects.visibility import conversation_visible_to_sql

#: Of a longer message only the beginning is looked through.
PERSON_MESSAGE_READ_MAX_CHARS = 100_000
OWN_MESSAGES_SQL = f"""SELECT m.id, m.conversation_id, substr(m.content, 1, CAST(:chars AS INTEGER)) AS text,
      m.created_at, r.number AS round_number
    FROM messages AS m JOIN rounds AS r ON r.id = m.round_id
    WHERE m.workspace_id = :workspace AND m.speaker = 'user' AND r.author_id = :me
    AND m.conversation_id IN (SELECT id FROM conversations
      WHERE origin <> 'api' AND expires_at IS NULL
      AND {conversation_visible_to_sql(workspace=":workspace", user=":me")})"""


@dataclass(frozen=True, slots=True)
class PersonMessage:
    """A message that the caller wrote."""

    id: str
    conversation_id: str
    text: str
    created_at: datetime
    round_number: int
    #: It is for local models alone.
    local_only: bool = False


def find_own_message(tx: Tx, message_id: str) -> PersonMessage | None:
    """Return a message that the caller wrote and may see; None where there is none."""
    sql = f"{OWN_MESSAGES_SQL} AND m.id = :id"
    found = tx.all(PersonMessage, sql, id=message_id, chars=PERSON_MESSAGE_READ_MAX_CHARS)
    return next(iter(_with_marks(tx, found)), None)


def list_own_messages(tx: Tx, conversation_id: str, *, limit: int) -> list[PersonMessage]:
    """Return the latest that the caller wrote in a conversation and that still counts, oldest first."""
    sql = f"{OWN_MESSAGES_SQL} AND m.conversation_id = :id ORDER BY m.id DESC LIMIT :limit"
    found = tx.all(PersonMessage, sql, id=conversation_id, limit=limit, chars=PERSON_MESSAGE_READ_MAX_CHARS)
    found.reverse()
    hidden = find_hidden_messages(tx, [message.id for message in found])
    return _with_marks(tx, [message for message in found if message.id not in hidden])


def _with_marks(tx: Tx, messages: list[PersonMessage]) -> list[PersonMessage]:
    marked = marks.find_marks(tx, [message.id for message in messages])
    return [
        PersonMessage(
            message.id,
            message.conversation_id,
            message.text,
            message.created_at,
            message.round_number,
            local_only=Mark.LOCAL_ONLY in marked.get(message.id, ()),
        )
        for message in messages
    ]
