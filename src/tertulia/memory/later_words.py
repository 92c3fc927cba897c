"""How a point tells the later words that may revise it: in brackets after what it says."""

import re
from collections.abc import Mapping
from functools import lru_cache

LATER_WORDS_PATTERN = re.compile(r" \[(?:later, in|taken back in) round \d+: ")


@lru_cache(8_192)
def has_later_words(text: str) -> bool:
    """Tell whether a point tells later words that may revise it."""
    return LATER_WORDS_PATTERN.search(text) is not None


def statement_of(text: str) -> str:
    """Return what a point says, without later words."""
    return LATER_WORDS_PATTERN.split(text, maxsplit=1)[0]


def later_words_of(text: str) -> str:
    """Return the later words that a point tells; nothing where it tells none."""
    return "".join(LATER_WORDS_PATTERN.split(text, maxsplit=1)[1:]).removesuffix("]")


def add_later_words(text: str, later_words: str, *, round_number: int) -> str:
    """Return what a point says together with later words that may revise it."""
    return f"{text} [later, in round {round_number}: {later_words}]"


def name_later_authors(text: str, names: Mapping[int, str]) -> str:
    """Return what a point says, with who said its later words: names by their rounds."""

    def with_name(found: re.Match[str]) -> str:
        place = found[0].removesuffix(": ")
        name = names.get(int(place.rpartition(" ")[2]))
        return f"{place}, {name}: " if name else found[0]

    return LATER_WORDS_PATTERN.sub(with_name, text) if names else text
