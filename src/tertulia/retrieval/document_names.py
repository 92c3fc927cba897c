"""Whether a query calls a document by its name: that of its file, or its title."""

from collections.abc import Sequence
from functools import lru_cache

from tertulia.core.stop_words import STOP_WORDS
from tertulia.core.word_stems import stem
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.chunking.domain import CHUNK_CONTEXT_SEPARATOR
from tertulia.retrieval.index_words import INDEX_WORD_PATTERN
from tertulia.retrieval.sources import SourceKind

#: A name of one word may be any word of a query; several in their order are surely the name.
ONE_WORD_NAME_SCORE = 0.5
TITLE_MARK = "# "
#: Nobody calls a document by a longer one.
NAME_MAX_CHARS = 120


def document_name_score(candidate: Candidate, query_stems: Sequence[str]) -> float:
    """Return whether the words of a query, in their order, have the name or title of a document.

    Code is not asked for by the name of its file: that name has the words of everything in it.
    """
    if candidate.kind is not SourceKind.FILE or candidate.chunk_kind == "code":
        return 0.0
    return max((score_name(name, query_stems) for name in list_names(candidate)), default=0.0)


def list_names(candidate: Candidate) -> list[str]:
    """Return the names of a document: of its file without the ending, and its first heading."""
    names = [candidate.path.rsplit("/", 1)[-1].rsplit(".", 1)[0]]
    if candidate.context:
        names.append(candidate.context.split(CHUNK_CONTEXT_SEPARATOR, 1)[0])
    elif candidate.content.startswith(TITLE_MARK):
        names.append(candidate.content.split("\n", 1)[0])
    return names


def score_name(name: str, query_stems: Sequence[str]) -> float:
    """Return how surely a name stands among the words of a query."""
    words = name_stems(name) if len(name) <= NAME_MAX_CHARS else ()
    places = range(len(query_stems) - len(words) + 1)
    if not words or not any(tuple(query_stems[place : place + len(words)]) == words for place in places):
        return 0.0
    return 1.0 if len(words) > 1 else ONE_WORD_NAME_SCORE


@lru_cache(maxsize=4096)
def name_stems(name: str) -> tuple[str, ...]:
    """Return the stems of the words of a name that tell something; numbers before it tell nothing."""
    words = (word.lower() for word in INDEX_WORD_PATTERN.findall(name))
    return tuple(stem(word) for word in words if word not in STOP_WORDS and not word.isdigit())
