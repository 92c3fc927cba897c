"""What a statement is about, as the stems of its words: statements are held against each other by them."""

from collections.abc import Iterator
from functools import lru_cache

from tertulia.core.word_stems import stem_fully
from tertulia.retrieval.index_words import UNSPACED_SCRIPTS_START, content_words


@lru_cache(16_384)
def find_stems(text: str) -> frozenset[str]:
    """Return the stems of the telling words of a text; of scripts without spaces, each two characters."""
    return frozenset(part for word in content_words(text) for part in _stem_parts(word))


def _stem_parts(word: str) -> Iterator[str]:
    if len(word) > 1 and max(word) >= UNSPACED_SCRIPTS_START:
        yield from (word[place : place + 2] for place in range(len(word) - 1))
    else:
        yield stem_fully(word)
