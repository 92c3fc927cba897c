"""Extraction without a model: rules look through what a person wrote, and propose."""

from collections.abc import Sequence

from tertulia.conversations.access import get_for_reading
from tertulia.conversations.errors import ConversationTemporary
from tertulia.conversations.person_messages import PersonMessage, list_own_messages
from tertulia.infra.db import Tx
from tertulia.memories.domain import MADE_BY_RULES, FoundStatement, MemoryStatus, NewMemory
from tertulia.memories.evidence import evidence_of
from tertulia.memories.own_words import OwnSentence, is_disowned
from tertulia.memories.statement_rules import find_statements, read_told_item
from tertulia.memories.told_lists import FACT_MAX_CHARS, is_named_fact

#: Messages of a conversation that are looked through at once, the latest that were written by the person.
EXTRACTED_MESSAGES_MAX = 2_000
#: Of a conversation in which facts are told one by one, so many messages are statements, at least.
TOLD_MESSAGES_MIN, TOLD_MESSAGES_MIN_SHARE = 5, 0.8


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
        for message, statements in zip(messages, find_statements_of_all(messages), strict=True)
        for statement in statements
    ]


def find_statements_of_all(messages: Sequence[PersonMessage]) -> list[list[FoundStatement]]:
    """Return the statements of each message; where facts are told one by one, of each message its fact."""
    found = [find_statements(message.text) for message in messages]
    facts = [[] if own else read_told_message(one.text) for one, own in zip(messages, found, strict=True)]
    told = sum(bool(own or fact) for own, fact in zip(found, facts, strict=True))
    if not any(facts) or told < max(TOLD_MESSAGES_MIN, TOLD_MESSAGES_MIN_SHARE * len(messages)):
        return found
    return [own or fact for own, fact in zip(found, facts, strict=True)]


def read_told_message(text: str) -> list[FoundStatement]:
    """Return the fact that a whole message is; nothing where it is something else."""
    said = text.strip()
    start = text.find(said)
    is_fact = len(said) <= FACT_MAX_CHARS and is_named_fact(said)
    item = OwnSentence(said, start, start + len(said))
    statement = read_told_item(item, is_led=False) if is_fact and not is_disowned(text) else None
    return [statement] if statement else []
