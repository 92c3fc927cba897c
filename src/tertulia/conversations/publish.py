"""Telling those who listen what happened: in the conversation, and in its owner's feed."""

from tertulia.conversations import tool_runs
from tertulia.conversations.domain import Conversation
from tertulia.conversations.events import ConversationChanged, ConversationDeleted, encode
from tertulia.conversations.schemas import ConversationView
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.feeds import feed_of


def changed(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say that a conversation is new or has changed."""
    view = ConversationView.of(conversation).model_dump(mode="json")
    log.append(tx, conversation.id, [encode(ConversationChanged(view))])
    used(tx, conversation, log=log)


def waiting(tx: Tx, conversation_id: str, *, log: EventLog) -> None:
    """Say how many calls of tools wait for a person, if that has changed."""
    conversation = tx.one(
        Conversation,
        """UPDATE conversations SET waiting = :calls
           WHERE id = :id AND workspace_id = :workspace AND waiting <> :calls RETURNING *""",
        id=conversation_id,
        calls=tool_runs.waiting_in(tx, conversation_id),
    )
    if conversation is not None:
        changed(tx, conversation, log=log)


def used(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say in the owner's feed alone that a conversation is in use: lists show the latest used first."""
    if conversation.deleted_at is not None:
        return
    body = encode(ConversationChanged(ConversationView.of(conversation).model_dump(mode="json")))
    log.append(tx, feed_of(conversation.workspace_id, conversation.owner_id), [body])


def deleted(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say that a conversation is gone; nothing of its own events stays, nor its title in the owner's feed."""
    body = end(tx, conversation, log=log)
    _tell_owner_of_deletion(tx, conversation, body, log=log)


def hidden(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say that a conversation is gone while it can still be restored: its own events stay for that time."""
    body = encode(ConversationDeleted(conversation.id))
    log.suspend(tx, conversation.id, body)
    _tell_owner_of_deletion(tx, conversation, body, log=log)


def _tell_owner_of_deletion(tx: Tx, conversation: Conversation, body: str, *, log: EventLog) -> None:
    feed = feed_of(conversation.workspace_id, conversation.owner_id)
    log.overwrite(tx, feed, naming=conversation.id, body=body)
    log.append(tx, feed, [body])


def end(tx: Tx, conversation: Conversation, *, log: EventLog) -> str:
    """Delete a conversation's own events; whoever listens hears the returned event as the last one."""
    body = encode(ConversationDeleted(conversation.id))
    log.forget(tx, conversation.id, body)
    return body
