"""Points of summaries that say no more than messages that were found: the messages are the source."""

from collections.abc import Callable, Sequence

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.message_evidence import content_stems
from tertulia.retrieval.sources import SourceKind

#: A text says a point when it has such a share of its words, and all of its figures.
RETOLD_WORDS_MIN_SHARE = 0.8


def compute_retold_shares(
    candidates: Sequence[Candidate], *, has_query_words: Callable[[str], bool]
) -> dict[int, float]:
    """Return which share of the points in each chunk of a summary messages among the candidates say.

    Points with words of the query count; where none has any, all do.
    """
    said: dict[str | None, list[str]] = {}
    for candidate in candidates:
        if candidate.kind is SourceKind.MESSAGE:
            said.setdefault(candidate.conversation_id, []).append(candidate.content)
    shares: dict[int, float] = {}
    for candidate in candidates:
        if candidate.kind is SourceKind.SUMMARY:
            messages, points = said.get(candidate.conversation_id, []), candidate.content.splitlines()
            counted = list(filter(has_query_words, points)) or points
            retold = sum(any(says_point(message, point) for message in messages) for point in counted)
            shares[candidate.chunk] = retold / max(1, len(counted))
    return shares


def is_retold_by(summary: Candidate, message: Candidate) -> bool:
    """Tell whether a message says a point of its conversation's summary."""
    is_same = summary.conversation_id == message.conversation_id
    return is_same and any(says_point(message.content, point) for point in summary.content.splitlines())


def says_point(text: str, point: str) -> bool:
    """Tell whether a text has nearly all words of a point, and all of its figures."""
    words, said = content_stems(point), content_stems(text)
    if len(words & said) < RETOLD_WORDS_MIN_SHARE * len(words):
        return False
    return all(word in said for word in words if not word.isalpha())
