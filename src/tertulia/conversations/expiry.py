"""Temporary conversations: not remembered, not exported, found only from within, deleted after a day."""

from datetime import timedelta

from tertulia.conversations.domain import Conversation
from tertulia.core.clock import now
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.infra.jobs import NO_JOB_DELAY, enqueue

TEMPORARY_LIFETIME = timedelta(days=1)
EXPIRY_JOB = "expire_conversation"


def queue_expiry(tx: Tx, conversation: Conversation) -> None:
    """Have a temporary conversation deleted when its time is over."""
    payload: JsonObject = {
        "conversation_id": conversation.id,
        "workspace_id": conversation.workspace_id,
        "user_id": conversation.owner_id,
    }
    key = f"{EXPIRY_JOB}:{conversation.id}"
    enqueue(tx, EXPIRY_JOB, key=key, payload=payload, delay=time_to_expiry(conversation))


def requeue_all_expiries(tx: Tx) -> None:
    """Queue the job of every temporary conversation: one whose job was given up is taken up anew."""
    for conversation in tx.all(Conversation, "SELECT * FROM conversations WHERE expires_at IS NOT NULL"):
        queue_expiry(tx, conversation)


def time_to_expiry(conversation: Conversation) -> timedelta:
    """Return how much longer a temporary conversation is kept; never longer, should the clock be set back."""
    left = conversation.expires_at - now() if conversation.expires_at else NO_JOB_DELAY
    return min(max(left, NO_JOB_DELAY), TEMPORARY_LIFETIME)
