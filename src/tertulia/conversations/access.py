"""Who may see and change a conversation: fetched and authorised in one step."""

from typing import TypeVar

from tertulia.conversations.domain import Conversation, Message, Reply, Round
from tertulia.core.errors import NotAllowed, NotFound
from tertulia.core.principal import Role
from tertulia.infra.db import Tx

Inside = TypeVar("Inside", Round, Reply, Message)

VISIBLE = "workspace_id = :workspace AND (owner_id = :me OR visibility = 'workspace')"


def get_for_reading(tx: Tx, conversation_id: str) -> Conversation:
    """Return a conversation that the caller may see."""
    sql = f"SELECT * FROM conversations WHERE id = :id AND {VISIBLE}"
    if conversation := tx.one(Conversation, sql, id=conversation_id):
        return conversation
    raise NotFound("conversation")


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
    sql = "SELECT * FROM rounds WHERE id = :id AND workspace_id = :workspace"
    round_ = tx.one(Round, sql, id=round_id)
    if round_ is None:
        raise NotFound("round")
    return _hidden_as(tx, round_, "round")


def get_reply(tx: Tx, reply_id: str) -> Reply:
    """Return a reply in a conversation that the caller may see."""
    sql = "SELECT * FROM replies WHERE id = :id AND workspace_id = :workspace"
    reply = tx.one(Reply, sql, id=reply_id)
    if reply is None:
        raise NotFound("reply")
    return _hidden_as(tx, reply, "reply")


def get_message(tx: Tx, message_id: str) -> Message:
    """Return a message of a conversation that the caller may see."""
    sql = "SELECT * FROM messages WHERE id = :id AND workspace_id = :workspace"
    message = tx.one(Message, sql, id=message_id)
    if message is None:
        raise NotFound("message")
    return _hidden_as(tx, message, "message")


def _hidden_as(tx: Tx, thing: Inside, what: str) -> Inside:
    """Return a thing unless its conversation is hidden: then it is not there either."""
    try:
        get_for_reading(tx, thing.conversation_id)
    except NotFound:
        raise NotFound(what) from None
    return thing
