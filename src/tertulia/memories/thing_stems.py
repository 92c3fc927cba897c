"""Stems of the things that statements are about, by which two are seen to speak of the same."""

from tertulia.memories.stances import GERUND_PATTERN
from tertulia.retrieval.statement_stems import find_stems

PLURAL_ENDINGS_KEPT = ("ss", "us", "is")


def find_thing_stems(words: str) -> frozenset[str]:
    """Return the stems of words: running, runs and to run are the same, as are living and to live."""
    return frozenset(
        bare
        for stem in find_stems(GERUND_PATTERN.sub(r"\1", words.casefold()))
        if (bare := shorten_stem(stem))
    )


def shorten_stem(stem: str) -> str:
    """Return a stem without the ending of a plural or of a verb; empty where only a letter is left."""
    if stem.endswith("s") and not stem.endswith(PLURAL_ENDINGS_KEPT) and len(stem) > 3:
        stem = stem[:-1]
    bare = stem.removesuffix("e") if len(stem) > 3 else stem
    return bare if len(bare) > 1 else ""
