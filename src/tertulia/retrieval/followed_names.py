"""The second step of a question: names that the best messages have lead to what else is known of them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.message_evidence import find_names
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.sources import SourceKind

#: How many of the best messages are read for names.
NAMING_HITS_MAX = 3
#: A name in a larger share of the messages than this leads nowhere in particular.
COMMON_NAME_MIN_SHARE = 0.15
#: Chunks with these names that a second search brings.
FOLLOWED_CHUNKS_MAX = 15


@dataclass(frozen=True, slots=True)
class FollowedName:
    """A name, the message that has it, and how good that message is against the best."""

    name: str
    chunk: int
    worth: float


def find_followed_names(hits: Sequence[SearchHit], query: ParsedQuery) -> list[FollowedName]:
    """Return the names of the best messages that the query does not have itself."""
    best = [hit for hit in hits[:NAMING_HITS_MAX] if hit.candidate.kind is SourceKind.MESSAGE]
    asked = query.text.lower()
    return [
        FollowedName(name, hit.candidate.chunk, max(0.0, hit.score / hits[0].score))
        for hit in best
        if hits[0].score > 0
        for name in find_names(hit.candidate.content)
        if name.lower() not in asked
    ]


def names_query(followed: Sequence[FollowedName], query: ParsedQuery) -> ParsedQuery:
    """Return the query that looks for names alone."""
    words = tuple(dict.fromkeys(name.name.lower() for name in followed))
    return ParsedQuery(text=query.text, words=words, names=())


def compute_named_scores(
    candidates: Sequence[Candidate], followed: Sequence[FollowedName]
) -> Mapping[int, float]:
    """Return, for each message that has a followed name, how good the message is that led to it."""
    messages = [candidate for candidate in candidates if candidate.kind is SourceKind.MESSAGE]
    scores: dict[int, float] = {}
    for name in followed:
        pattern = re.compile(rf"\b{re.escape(name.name)}\b")
        having = [
            candidate.chunk
            for candidate in messages
            if name.name in candidate.content and pattern.search(candidate.content)
        ]
        if len(having) > max(3.0, COMMON_NAME_MIN_SHARE * len(messages)):
            continue
        for chunk in having:
            if chunk != name.chunk:
                scores[chunk] = max(scores.get(chunk, 0.0), min(1.0, name.worth))
    return scores
