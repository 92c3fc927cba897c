"""Proposals that a model makes while it answers, held to the person's own words in that conversation."""

from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.memories import service
from tertulia.memories.domain import MemoryType
from tertulia.memories.errors import EvidenceMissing
from tertulia.memories.extraction import read_messages
from tertulia.memories.model_answers import ProposedMemory, verify_proposal


def propose_quote(
    tx: Tx,
    conversation_id: str,
    *,
    quote: str,
    content: str,
    type_: MemoryType,
    category: str,
    made_by: str,
    log: EventLog,
) -> bool:
    """Put what a model proposes into the caller's inbox; tell whether it is new."""
    messages = read_messages(tx, conversation_id)
    for number in range(len(messages), 0, -1):
        proposed = ProposedMemory(number, quote, content, type_, category)
        if verified := verify_proposal(proposed, messages, made_by=made_by):
            return bool(service.propose(tx, [verified], log=log, asks_always=True))
    raise EvidenceMissing
