"""Words of statements as they are held against each other: what is left of each without its ending.

In six languages more is an ending than in English. Search, which looks for a word and whatever follows it,
takes off fewer (`core/word_stems.py`): with these it finds less.
"""

from collections.abc import Iterator
from functools import lru_cache

from tertulia.retrieval.index_words import UNSPACED_SCRIPTS_START, content_words

#: Endings of English, German and Romance words, the longest first.
WORD_ENDINGS = ("ings", "ing", "ies", "ied", "ers", "ed", "es", "en", "er", "s", "e", "y", "n", "a", "o")
#: So much of a word stays whatever its ending.
STEM_MIN_CHARS = 4


@lru_cache(16_384)
def find_stems(text: str) -> frozenset[str]:
    """Return the stems of the telling words of a text; of scripts without spaces, each two characters."""
    return frozenset(part for word in content_words(text) for part in _stem_parts(word))


def _stem_parts(word: str) -> Iterator[str]:
    if len(word) > 1 and max(word) >= UNSPACED_SCRIPTS_START:
        yield from (word[place : place + 2] for place in range(len(word) - 1))
    else:
        yield stem_word(word)


def stem_word(word: str) -> str:
    """Return a word without its ending: ship, ships, shipped and shipping are the same."""
    for ending in WORD_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= STEM_MIN_CHARS:
            stem = word[: -len(ending)]
            is_doubled = stem[-1] == stem[-2] and len(stem) > STEM_MIN_CHARS
            return stem[:-1] if is_doubled else stem
    return word
