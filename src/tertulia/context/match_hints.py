"""What a pointer says of the place it points to: the line or sentence that has the question's words."""

import re

from tertulia.core.truncation import truncate_at_word
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.chunking.chunk_summary import to_visible_line
from tertulia.retrieval.chunking.domain import CHUNK_CONTEXT_SEPARATOR, ChunkKind
from tertulia.retrieval.identifier_scores import DEFINITION_KEYWORDS_REGEX
from tertulia.retrieval.query_words import QueryWords

MATCH_HINT_MAX_CHARS = 160
#: So much of a passage is looked at.
MATCH_HINT_READ_MAX_CHARS = 4_000
SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?\u3002\uff01\uff1f])\s+|\n{2,}|\n(?=[-*#|>])")
DEFINITION_PATTERN = re.compile(
    rf"\s*(?:export\s+|async\s+|public\s+|static\s+)*{DEFINITION_KEYWORDS_REGEX}\b"
)


def match_hint(candidate: Candidate, asked: QueryWords) -> str:
    """Return what of a passage meets a question: a definition, a sentence, or what it stands under."""
    text = candidate.content[:MATCH_HINT_READ_MAX_CHARS]
    is_code = candidate.chunk_kind == ChunkKind.CODE
    parts = text.split("\n") if is_code else SENTENCE_END_PATTERN.split(text)
    weights = [match_weight(part, asked, is_code=is_code) for part in parts]
    best = max(weights, default=0)
    if not best:
        return candidate.summary
    line = to_visible_line(parts[weights.index(best)]).strip("#*->| ")
    heading = candidate.context.rsplit(CHUNK_CONTEXT_SEPARATOR, 1)[-1]
    told = f"{heading}: {line}" if heading and heading not in line else line
    return truncate_at_word(told, MATCH_HINT_MAX_CHARS)


def match_weight(part: str, asked: QueryWords, *, is_code: bool) -> float:
    """Return how many different words of a question stand in a part; a definition counts for more."""
    met = len(set(asked.match_in(part)) - {""})
    return met + (0.5 if met and is_code and DEFINITION_PATTERN.match(part) else 0.0)
