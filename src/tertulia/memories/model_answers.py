"""What a utility model proposes to remember, held to what the person wrote."""

import re
from collections.abc import Iterator, Sequence

import msgspec

from tertulia.conversations.person_messages import PersonMessage
from tertulia.memories.claims import parse_claims
from tertulia.memories.domain import MemoryEvidence, MemoryStatus, MemoryType, NewMemory
from tertulia.memories.own_words import OwnSentence
from tertulia.memories.statement_rules import find_quotable_sentences, is_refused
from tertulia.memories.supersession import distinctive_words
from tertulia.retrieval.statement_stems import find_stems

#: Characters of what one memory says.
MEMORY_MAX_CHARS = 500
#: The share of its words that a content has to have from what it quotes.
SUPPORTED_WORDS_MIN_SHARE = 0.6
MODEL_MESSAGE_MAX_CHARS = 4_000
NEGATION_PATTERN = re.compile(
    r"\b(?:not|no|never|none|without|nicht|kein\w*|nie|ne|pas|jamais|non|não|nunca|sin)\b|n[\u0027\u2019]t\b",
    re.IGNORECASE,
)
#: Who speaks, as the subject of what is said.
SPEAKER_PATTERN = re.compile(r"\b(?:I|we|ich|wir|je|nous|yo|nosotros|eu|nós|io|noi)\b", re.IGNORECASE)
#: A word or two, such as work or health: whatever else a model writes there is no category.
CATEGORY_PATTERN = re.compile(r"[^\W_][\w-]{0,29}(?: [^\W_][\w-]{0,19})?")


class ProposedMemory(msgspec.Struct, frozen=True):
    """One proposal, as a model writes it."""

    message: int
    quote: str
    content: str
    type: MemoryType
    category: str = ""
    confidence: float = 0.8


class ProposedMemories(msgspec.Struct, frozen=True):
    """All that a model proposes."""

    memories: list[msgspec.Raw]


def number_messages(messages: Sequence[PersonMessage]) -> str:
    """Return messages under the numbers by which a model names them."""
    return "\n\n".join(
        f"[{number}] {message.text[:MODEL_MESSAGE_MAX_CHARS]}" for number, message in enumerate(messages, 1)
    )


def read_proposals(answer: str, messages: Sequence[PersonMessage], *, made_by: str) -> list[NewMemory]:
    """Return what a model proposes that stands in the messages; whatever else it says is passed over."""
    proposals = [verify_proposal(proposed, messages, made_by=made_by) for proposed in _parse(answer)]
    return [proposal for proposal in proposals if proposal is not None]


def _parse(answer: str) -> Iterator[ProposedMemory]:
    start, end = answer.find("{"), answer.rfind("}")
    try:
        found = msgspec.json.decode(answer[start : end + 1], type=ProposedMemories)
    except (msgspec.MsgspecError, UnicodeEncodeError):
        return
    for raw in found.memories:
        try:
            yield msgspec.json.decode(raw, type=ProposedMemory)
        except msgspec.MsgspecError:
            continue


def verify_proposal(
    proposed: ProposedMemory, messages: Sequence[PersonMessage], *, made_by: str
) -> NewMemory | None:
    """Return a proposal with the sentences that it quotes; None where they are not the person's own."""
    if not 1 <= proposed.message <= len(messages) or not proposed.quote.strip():
        return None
    message = messages[proposed.message - 1]
    start = message.text.find(proposed.quote)
    said = find_quoted_sentences(message.text, start, start + len(proposed.quote)) if start >= 0 else []
    if not said or any(is_refused(sentence.text) for sentence in said):
        return None
    place = (said[0].start_char, said[-1].end_char)
    quote = message.text[slice(*place)]
    content = " ".join(proposed.content.split())[:MEMORY_MAX_CHARS]
    return NewMemory(
        type=proposed.type,
        content=content if is_supported(content, quote) else " ".join(quote.split())[:MEMORY_MAX_CHARS],
        made_by=made_by,
        status=MemoryStatus.PROPOSED,
        category=tidy_category(proposed.category),
        confidence=min(1.0, max(0.0, proposed.confidence)),
        local_only=message.local_only,
        evidence=MemoryEvidence(message.conversation_id, message.id, *place, quote),
    )


def find_quoted_sentences(text: str, start: int, end: int) -> list[OwnSentence]:
    """Return the sentences that words of a message stand in; none where a part of them is not the person's.

    A part of a sentence may say the opposite of the whole, so that the whole is the evidence.
    """
    own = find_quotable_sentences(text)
    quoted = [said for said in own if said.start_char < end and start < said.end_char]
    covered = {place for said in quoted for place in range(said.start_char, said.end_char)}
    is_own = all(place in covered for place in range(start, end) if not text[place].isspace())
    return quoted if is_own else []


def tidy_category(category: str) -> str:
    """Return a category that a model names; empty where it is more than a word or two."""
    tidy = " ".join(category.split())
    return tidy if CATEGORY_PATTERN.fullmatch(tidy) else ""


def is_supported(content: str, quote: str) -> bool:
    """Tell whether a content names nothing that its quote does not, and says it mostly in the same words."""
    stems = find_stems(content)
    if not stems or not distinctive_words(content) <= distinctive_words(quote):
        return False
    if not content.isprintable() or not keeps_subject(content, quote):
        return False
    if bool(NEGATION_PATTERN.search(quote)) != bool(NEGATION_PATTERN.search(content)):
        return False
    return len(stems & find_stems(quote)) >= SUPPORTED_WORDS_MIN_SHARE * len(stems)


def keeps_subject(content: str, quote: str) -> bool:
    """Tell whether a content says of nobody what its quote says of somebody else."""
    if SPEAKER_PATTERN.search(content) and not SPEAKER_PATTERN.search(quote):
        return False
    subjects: dict[str, set[str]] = {}
    for said in parse_claims(quote):
        relation, _, subject = said.key.partition(":")
        subjects.setdefault(relation, set()).add(subject)
    claimed = [claim.key.partition(":") for claim in parse_claims(content)]
    return all(subject in subjects.get(relation, {subject}) for relation, _, subject in claimed)
