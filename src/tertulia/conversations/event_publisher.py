"""Telling those who listen what happened: in the conversation, and in its owner's feed."""

from tertulia.conversations import tool_runs
from tertulia.conversations.domain import Conversation
from tertulia.conversations.events import ConversationChanged, ConversationDeleted, encode_event
from tertulia.conversations.views import ConversationView
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.live.member_topics import member_topic


def publish_changed(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say that a conversation is new or has changed."""
    body = encode_changed(conversation)
    topics = [conversation.id, *feeds_of(conversation)]
    log.append_all(tx, {topic: [body] for topic in topics})


def publish_waiting_calls(tx: Tx, conversation_id: str, *, log: EventLog) -> None:
    """Say how many calls of tools wait for a person, if that has changed."""
    conversation = tx.one(
        Conversation,
        """UPDATE conversations SET waiting = :calls
           WHERE id = :id AND workspace_id = :workspace AND waiting <> :calls RETURNING *""",
        id=conversation_id,
        calls=tool_runs.count_waiting_in_conversation(tx, conversation_id),
    )
    if conversation is not None:
        publish_changed(tx, conversation, log=log)


def publish_used(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say in the owner's feed alone that a conversation is in use: lists show the latest used first."""
    log.append_all(tx, {feed: [encode_changed(conversation)] for feed in feeds_of(conversation)})


def encode_changed(conversation: Conversation) -> str:
    """Return the event that says how a conversation is now."""
    return encode_event(ConversationChanged(ConversationView.of(conversation)))


def feeds_of(conversation: Conversation) -> list[str]:
    """Return the feeds that hear of a conversation: its owner's, while it is not deleted."""
    if conversation.deleted_at is not None:
        return []
    return [member_topic(conversation.workspace_id, conversation.owner_id)]


def publish_deleted(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say that a conversation is gone; nothing of its own events stays, nor its title in the owner's feed."""
    body = delete_events(tx, conversation, log=log)
    _publish_deletion_to_owner(tx, conversation, body, log=log)


def publish_hidden(tx: Tx, conversation: Conversation, *, log: EventLog) -> None:
    """Say that a conversation is gone while it can still be restored: its own events stay for that time."""
    body = encode_event(ConversationDeleted(conversation.id))
    log.suspend_topic(tx, conversation.id, body)
    _publish_deletion_to_owner(tx, conversation, body, log=log)


def _publish_deletion_to_owner(tx: Tx, conversation: Conversation, body: str, *, log: EventLog) -> None:
    feed = member_topic(conversation.workspace_id, conversation.owner_id)
    log.overwrite_events(tx, feed, mentioned_id=conversation.id, body=body)
    log.append(tx, feed, [body])


def delete_events(tx: Tx, conversation: Conversation, *, log: EventLog) -> str:
    """Delete a conversation's own events; whoever listens hears the returned event as the last one."""
    body = encode_event(ConversationDeleted(conversation.id))
    log.delete_topic(tx, conversation.id, body)
    return body
