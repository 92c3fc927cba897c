"""Extraction without a model: rules look through what a person wrote, and propose."""

from collections.abc import Sequence

from tertulia.conversations.access import get_for_reading
from tertulia.conversations.errors import ConversationTemporary
from tertulia.conversations.person_messages import PersonMessage, list_own_messages
from tertulia.infra.db import Tx
from tertulia.memories.domain import MADE_BY_RULES, MemoryStatus, NewMemory
from tertulia.memories.evidence import evidence_of
from tertulia.memories.statement_rules import find_statements

#: Messages of a conversation that are looked through at once, the latest that were written by the person.
EXTRACTED_MESSAGES_MAX = 2_000


def read_messages(tx: Tx, conversation_id: str) -> list[PersonMessage]:
    """Return what the caller wrote in a conversation that they may see, and that stays."""
    conversation = get_for_reading(tx, conversation_id)
    if conversation.is_temporary:
        raise ConversationTemporary
    return list_own_messages(tx, conversation.id, limit=EXTRACTED_MESSAGES_MAX)


def propose_by_rules(messages: Sequence[PersonMessage]) -> list[NewMemory]:
    """Return what rules find worth remembering in messages of a person."""
    return [
        NewMemory(
            type=statement.type,
            content=statement.content,
            made_by=MADE_BY_RULES,
            status=MemoryStatus.PROPOSED,
            category=statement.category,
            confidence=statement.confidence,
            local_only=message.local_only,
            evidence=evidence_of(message, statement),
        )
        for message in messages
        for statement in find_statements(message.text)
    ]
