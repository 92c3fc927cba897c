"""Sentences that change what is remembered, or waits to be: proposed in whatever words they are said."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from tertulia.conversations.person_messages import PersonMessage
from tertulia.conversations.reversal_sentences import is_question
from tertulia.core.ids import ulid_of
from tertulia.infra.db import Tx
from tertulia.memories import store
from tertulia.memories.domain import MADE_BY_RULES, FoundStatement, MemoryStatus, MemoryType, NewMemory
from tertulia.memories.evidence import evidence_of
from tertulia.memories.own_words import OwnSentence, find_own_sentences
from tertulia.memories.statement_cues import STATEMENT_LEAD_PATTERN
from tertulia.memories.statement_rules import STATEMENT_MAX_CHARS, is_asked_or_quoted
from tertulia.memories.store import MemoryFilter
from tertulia.memories.subjects import lookup_words, replaces
from tertulia.memory.cues import STRAIGHT_QUOTES_TABLE
from tertulia.memory.worth_cues import is_request

#: Sentences of a conversation that are compared with what is known, the latest.
COMPARED_SENTENCES_MAX = 200
#: Proposals that wait and are compared with, the newest.
COMPARED_PROPOSALS_MAX = 200
KNOWN_CHANGE_CONFIDENCE = 0.6


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """What somebody said before, and of which type and category that is."""

    content: str
    type: MemoryType
    category: str


@dataclass(frozen=True, slots=True)
class UnproposedSentence:
    """A sentence that nothing is proposed of, its message, and what is proposed of earlier words."""

    message: PersonMessage
    sentence: OwnSentence
    said: str
    earlier: tuple[KnownStatement, ...]


def list_unproposed(
    messages: Sequence[PersonMessage], proposals: Sequence[NewMemory]
) -> list[UnproposedSentence]:
    """Return the latest sentences of a person that state something and of which nothing is proposed."""
    latest = islice(_read_backwards(messages, proposals), COMPARED_SENTENCES_MAX)
    return list(latest)[::-1]


def _read_backwards(
    messages: Sequence[PersonMessage], proposals: Sequence[NewMemory]
) -> Iterator[UnproposedSentence]:
    places = {message.id: place for place, message in enumerate(messages)}
    spans = [(places[one.evidence.message_id], one) for one in proposals if one.evidence]
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        taken = [one.evidence for at, one in spans if at == place and one.evidence]
        for sentence in reversed(find_own_sentences(message.text)):
            is_taken = any(
                span.start_char < sentence.end_char and sentence.start_char < span.end_char for span in taken
            )
            if not is_taken and (said := read_stated(sentence)):
                earlier = tuple(
                    KnownStatement(one.content, one.type, one.category)
                    for at, one in spans
                    if one.evidence and (at, one.evidence.start_char) < (place, sentence.start_char)
                )
                yield UnproposedSentence(message, sentence, said, earlier)


def read_stated(sentence: OwnSentence) -> str:
    """Return what a sentence states; empty where it asks, quotes, or is too long."""
    if len(sentence.text) > STATEMENT_MAX_CHARS:
        return ""
    plain = " ".join(sentence.text.translate(STRAIGHT_QUOTES_TABLE).split())
    lead = STATEMENT_LEAD_PATTERN.match(plain)
    said = plain[lead.end() :] if lead else plain
    is_other = is_question(said) or is_request(said) or is_asked_or_quoted(said)
    return "" if is_other or not lookup_words(said) else said


def list_known(tx: Tx, sentences: Sequence[UnproposedSentence]) -> list[list[KnownStatement]]:
    """Return for each sentence what the caller has, or is proposed to have, in the same matter."""
    waiting = MemoryFilter(statuses=(MemoryStatus.PROPOSED,), only_own=True)
    proposed = store.list_page(tx, waiting, after="", limit=COMPARED_PROPOSALS_MAX) if sentences else []
    return [
        [
            KnownStatement(memory.content, memory.type, memory.category)
            for memory in (
                *store.list_with_words(tx, lookup_words(one.said), owner_id=tx.by.user_id, project_id=None),
                *proposed,
            )
            if memory.said_key(None) < (ulid_of(one.message.id), one.sentence.start_char)
        ]
        for one in sentences
    ]


def propose_changes(
    sentences: Sequence[UnproposedSentence], known: Sequence[Sequence[KnownStatement]]
) -> list[NewMemory]:
    """Return proposals of the sentences that change something known, of the type of what they change."""
    return [
        NewMemory(
            type=changed.type,
            content=(content := one.said[:1].upper() + one.said[1:]),
            made_by=MADE_BY_RULES,
            status=MemoryStatus.PROPOSED,
            category=changed.category,
            confidence=KNOWN_CHANGE_CONFIDENCE,
            local_only=one.message.local_only,
            evidence=evidence_of(
                one.message,
                FoundStatement(
                    changed.type,
                    changed.category,
                    content,
                    one.sentence.start_char,
                    one.sentence.end_char,
                    KNOWN_CHANGE_CONFIDENCE,
                ),
            ),
        )
        for one, statements in zip(sentences, known, strict=True)
        if (changed := find_changed(one.said, (*one.earlier, *statements)))
    ]


def find_changed(said: str, statements: Sequence[KnownStatement]) -> KnownStatement | None:
    """Return the statement that a sentence takes the place of."""
    return next((known for known in statements if replaces(said, known.content)), None)
