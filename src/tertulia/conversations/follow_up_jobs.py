"""The jobs that follow what happens in a conversation; `upkeep/` and `entities/` do them."""

from datetime import timedelta

from tertulia.conversations.domain import Conversation, Origin, TitleBy
from tertulia.infra.db import Tx
from tertulia.infra.jobs import NO_JOB_DELAY, enqueue, payload_by

TITLE_JOB = "title"
CONTEXT_JOB = "context"
ENTITIES_JOB = "entities"
#: A model that fails to write a title is asked again after later replies, up to this round.
TITLE_LAST_ROUND = 3


def queue_title(tx: Tx, conversation: Conversation, *, wait: timedelta = NO_JOB_DELAY) -> None:
    """Have a model name a conversation, unless one or a person has."""
    wants_title = conversation.title_by in (TitleBy.NOBODY, TitleBy.QUESTION)
    if wants_title and conversation.round_count <= TITLE_LAST_ROUND:
        payload = payload_by(tx.by, conversation_id=conversation.id)
        enqueue(tx, TITLE_JOB, key=f"{TITLE_JOB}:{conversation.id}", payload=payload, delay=wait)


def queue_context(tx: Tx, conversation: Conversation) -> None:
    """Have a conversation summarised or compressed if that is due."""
    # The last round is never summarised, so that after the first one there is nothing to look after.
    if conversation.origin is not Origin.API and conversation.round_count > 1:
        payload = payload_by(tx.by, conversation_id=conversation.id)
        enqueue(tx, CONTEXT_JOB, key=f"{CONTEXT_JOB}:{conversation.id}", payload=payload)


def queue_context_of_round(tx: Tx, conversation_id: str, round_id: str) -> None:
    """Have a summary look back at a round in which something counts once more that was left out."""
    payload = payload_by(tx.by, conversation_id=conversation_id, again=round_id)
    enqueue(tx, CONTEXT_JOB, key=f"{CONTEXT_JOB}:{round_id}:{conversation_id}", payload=payload)


def queue_entities(tx: Tx, conversation: Conversation) -> None:
    """Have what was said looked through for people, places, days and numbers."""
    if conversation.origin is not Origin.API:
        payload = payload_by(tx.by, conversation_id=conversation.id)
        enqueue(tx, ENTITIES_JOB, key=f"{ENTITIES_JOB}:{conversation.id}", payload=payload)
