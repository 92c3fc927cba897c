"""Evidence: a memory is taken from words that stand, byte for byte, in a message of its person."""

from tertulia.conversations.person_messages import PersonMessage, find_own_message
from tertulia.infra.db import Tx
from tertulia.memories.domain import FoundStatement, MemoryEvidence
from tertulia.memories.errors import EvidenceMissing


def verify_quote(tx: Tx, message_id: str, quote: str) -> tuple[MemoryEvidence, PersonMessage]:
    """Return where words stand in a message that the caller wrote, and the message; raise if they do not."""
    message = find_own_message(tx, message_id)
    start = message.text.find(quote) if message and quote.strip() else -1
    if message is None or start < 0:
        raise EvidenceMissing
    return MemoryEvidence(message.conversation_id, message.id, start, start + len(quote), quote), message


def evidence_of(message: PersonMessage, statement: FoundStatement) -> MemoryEvidence:
    """Return the evidence of a statement that was found in a message."""
    quote = message.text[statement.start_char : statement.end_char]
    return MemoryEvidence(
        message.conversation_id, message.id, statement.start_char, statement.end_char, quote
    )
