"""Points of summaries that say no more than a message that was found: the message is the source."""

from collections.abc import Sequence

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.message_evidence import telling_stems
from tertulia.retrieval.sources import SourceKind

#: A message says a point when it has such a share of its words, and all of its figures.
RETOLD_WORDS_MIN_SHARE = 0.8


def find_retold_points(candidates: Sequence[Candidate]) -> frozenset[int]:
    """Return the chunks of the points that a message among the candidates says."""
    said: dict[str | None, list[Candidate]] = {}
    for candidate in candidates:
        if candidate.kind is SourceKind.MESSAGE:
            said.setdefault(candidate.conversation_id, []).append(candidate)
    return frozenset(
        point.chunk
        for point in candidates
        if point.kind is SourceKind.SUMMARY
        and any(is_said_by(point, message) for message in said.get(point.conversation_id, ()))
    )


def is_said_by(told: Candidate, other: Candidate) -> bool:
    """Tell whether something else of the same conversation says all that is told."""
    if told.conversation_id != other.conversation_id:
        return False
    words, said = telling_stems(told.content), telling_stems(other.content)
    if len(words & said) < RETOLD_WORDS_MIN_SHARE * len(words):
        return False
    return all(word in said for word in words if not word.isalpha())
