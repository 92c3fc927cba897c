"""The job that looks through a conversation once it rests, for people who want that; `upkeep/` does it."""

from datetime import timedelta

from tertulia.conversations.domain import Conversation, Origin
from tertulia.infra.db import Tx
from tertulia.infra.jobs import enqueue, payload_by
from tertulia.memories.preferences import read_preferences

MEMORIES_JOB = "memories"
#: A conversation rests when nothing was said in it for so long after a reply.
CONVERSATION_REST = timedelta(minutes=5)


def queue_extraction(tx: Tx, conversation: Conversation) -> None:
    """Have a conversation looked through a while after a reply, if whoever asked wants that."""
    is_looked_through = conversation.origin is not Origin.API and not conversation.is_temporary
    if is_looked_through and read_preferences(tx).in_background:
        payload = payload_by(tx.by, conversation_id=conversation.id)
        key = f"{MEMORIES_JOB}:{tx.by.user_id}:{conversation.id}"
        enqueue(tx, MEMORIES_JOB, key=key, payload=payload, delay=CONVERSATION_REST)
