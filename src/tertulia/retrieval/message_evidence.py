"""What a message is worth as an answer: whether it only asks, only echoes, or revises what was said."""

import re
from collections.abc import Sequence, Set
from functools import lru_cache

from tertulia.core.stop_words import STOP_WORDS
from tertulia.core.word_stems import stem
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN
from tertulia.retrieval.sources import SourceKind

#: What a message says is known by its first words; the rest of a long one is surely more than an echo.
MESSAGE_EVIDENCE_MAX_CHARS = 600
#: A message with so many words that neither the query nor the question before it has says something.
NEW_WORDS_ENOUGH = 3
QUESTION_PATTERN = re.compile(r"\?(?:[\"')*_]|\s|$)")
SENTENCE_END_PATTERN = re.compile(r"(?<=[.!?])[\"')*_]*\s+|\n+")
#: Words that take back or replace what was said before, in the languages whose stop words are known.
REVISION_PATTERN = re.compile(
    r"\b(instead|no longer|not any ?more|any ?more|from now on|from today|as of (?:now|today)|after all|"
    r"(?:chang|cancel|dropp|scrapp|replac|switch|revert|postpon|mov)\w*ed|scrap|forget|take[sn]? over|"
    r"in (?:his|her|their|its|your|my) (?:place|stead)|changed (?:my|our|his|her|their) minds?|"
    r"correction|slips? to|go(?:es)? up|back to|(?:is|are) (?:off|now)|will now|now on|"
    r"ya no|en vez|en lugar|a partir de (?:hoy|ahora)|"
    r"stattdessen|nicht mehr|ab (?:jetzt|sofort|heute)|doch nicht|"
    r"plut[oô]t|au lieu|d[ée]sormais|ne plus)\b",
    re.IGNORECASE,
)
NAME_PATTERN = re.compile(r"(?<=[^\W\d_][ ,])[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}")
#: Names of one message that are followed to others.
NAMES_PER_MESSAGE_MAX = 6


def is_question(candidate: Candidate) -> bool:
    """Tell whether a message of a person asks something: a question is no evidence for its answer."""
    return (
        candidate.kind is SourceKind.MESSAGE
        and candidate.speaker == "user"
        and QUESTION_PATTERN.search(candidate.content) is not None
    )


def split_question(content: str) -> tuple[str, str]:
    """Return what a message tells before its first question, and that question with all that follows."""
    found = QUESTION_PATTERN.search(content)
    before = content[: found.start()] if found else content
    ends = [end.end() for end in SENTENCE_END_PATTERN.finditer(before)]
    start = ends[-1] if ends else 0
    return content[:start], content[start:]


def echo_score(candidate: Candidate, query_stems: Set[str]) -> float:
    """Return how much talk only says again what the query or the question before it says."""
    if candidate.kind is SourceKind.FILE:
        return 0.0
    known = query_stems | content_stems(candidate.context[:MESSAGE_EVIDENCE_MAX_CHARS])
    new = content_stems(candidate.content[:MESSAGE_EVIDENCE_MAX_CHARS]) - known
    return 1 - min(1.0, len(new) / NEW_WORDS_ENOUGH)


def is_revision(candidate: Candidate, earlier: Sequence[Candidate]) -> bool:
    """Tell whether a message takes back or replaces something, and was said after others on the matter."""
    return (
        candidate.kind is SourceKind.MESSAGE
        and any(candidate.said_at > other.said_at for other in earlier)
        and REVISION_PATTERN.search(candidate.content[:MESSAGE_EVIDENCE_MAX_CHARS]) is not None
    )


@lru_cache(maxsize=4096)
def content_stems(text: str) -> frozenset[str]:
    """Return the stems of the words that tell something."""
    words = {word.lower() for word in INDEX_WORD_PATTERN.findall(text)}
    return frozenset(stem(word) for word in words - STOP_WORDS)


def find_names(text: str) -> list[str]:
    """Return the names in a text, each once: words with a capital that do not begin a sentence."""
    return list(dict.fromkeys(NAME_PATTERN.findall(text)))[:NAMES_PER_MESSAGE_MAX]
