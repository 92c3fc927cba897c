"""Who may see and change a conversation: fetched and authorised in one step."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from tertulia.conversations.domain import Conversation, Message, Reply, Round
from tertulia.core.errors import NotAllowed, NotFound
from tertulia.core.principal import Role
from tertulia.infra.db import Tx, listed
from tertulia.projects.visibility import CONVERSATION_VISIBLE

Inside = TypeVar("Inside", Round, Reply, Message)


@dataclass(frozen=True, slots=True)
class Titled:
    """A conversation and what it is called."""

    id: str
    title: str


VISIBLE = CONVERSATION_VISIBLE


def get_for_reading(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation that the caller may see."""
    sql = f"SELECT * FROM conversations WHERE id = :id AND {VISIBLE}"
    if conversation := tx.one(Conversation, sql, id=conversation_id):
        return conversation
    raise NotFound("conversation")


def titles_seen(tx: Tx, conversation_ids: Iterable[str]) -> dict[str, str]:
    """Return the titles of those conversations that the caller may see."""
    sql = f"""SELECT id, coalesce(title, '') AS title FROM conversations
        WHERE {VISIBLE} AND id IN {listed("ids")}"""
    return {one.id: one.title for one in tx.all(Titled, sql, ids=list(conversation_ids))}


def get_for_writing(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation that the caller may speak in."""
    conversation = get_for_reading(tx, conversation_id)
    tx.by.require(Role.MEMBER)
    return conversation


def get_for_managing(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation that the caller may rename, share, archive or delete."""
    conversation = get_for_writing(tx, conversation_id)
    if conversation.owner_id != tx.by.user_id and not tx.by.role.covers(Role.ADMIN):
        raise NotAllowed("Only the owner of a conversation, or an admin, can change it.")
    return conversation


def get_round(tx: Tx, round_id: str) -> Round:
    """Return a round of a conversation that the caller may see."""
    return _get(tx, Round, "SELECT * FROM rounds WHERE id = :id AND workspace_id = :workspace", round_id)


def get_reply(tx: Tx, reply_id: str) -> Reply:
    """Return a reply in a conversation that the caller may see."""
    return _get(tx, Reply, "SELECT * FROM replies WHERE id = :id AND workspace_id = :workspace", reply_id)


def get_message(tx: Tx, message_id: str) -> Message:
    """Return a message of a conversation that the caller may see."""
    return _get(
        tx, Message, "SELECT * FROM messages WHERE id = :id AND workspace_id = :workspace", message_id
    )


def _get(tx: Tx, shape: type[Inside], sql: str, thing_id: str) -> Inside:
    """Return a thing unless its conversation is hidden: then it is not there either."""
    what = shape.__name__.lower()
    thing = tx.one(shape, sql, id=thing_id)
    if thing is None:
        raise NotFound(what)
    try:
        get_for_reading(tx, thing.conversation_id)
    except NotFound:
        raise NotFound(what) from None
    return thing


@dataclass(frozen=True, slots=True)
class Utterance:
    """What a message says, when and where, and the question before it: its own, or the round's before."""

    content: str
    created_at: datetime
    title: str | None
    before: str | None


def find_utterance(tx: Tx, message_id: str) -> Utterance | None:
    """Return what a message says, whoever may see it: for the index, which keeps to that by itself."""
    return tx.one(
        Utterance,
        """SELECT m.content, m.created_at, c.title,
             CASE WHEN p.speaker = 'user' THEN p.content ELSE q.content END AS before
           FROM messages AS m JOIN conversations AS c ON c.id = m.conversation_id
           LEFT JOIN messages AS p ON p.id = m.parent_id LEFT JOIN messages AS q ON q.id = p.parent_id
           WHERE m.id = :id AND m.workspace_id = :workspace""",
        id=message_id,
    )
