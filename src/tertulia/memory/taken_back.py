"""How a point tells what was said later and may take it back: in brackets after what it says."""

import re
from collections.abc import Mapping
from functools import lru_cache

TAKEN_BACK_PATTERN = re.compile(r" \[(?:later, in|taken back in) round \d+: ")


@lru_cache(8_192)
def is_reversed(text: str) -> bool:
    """Tell whether a point tells what may take it back."""
    return TAKEN_BACK_PATTERN.search(text) is not None


def statement_of(text: str) -> str:
    """Return what a point says, without what took it back."""
    return TAKEN_BACK_PATTERN.split(text, maxsplit=1)[0]


def reversal_of(text: str) -> str:
    """Return what a point tells that may take it back; nothing where it does not."""
    return "".join(TAKEN_BACK_PATTERN.split(text, maxsplit=1)[1:]).removesuffix("]")


def with_reversal(text: str, reversal: str, *, round_number: int) -> str:
    """Return what a point says together with what may take it back."""
    return f"{text} [later, in round {round_number}: {reversal}]"


def name_reversals(text: str, names: Mapping[int, str]) -> str:
    """Return what a point says, with who said later what may take it back: names by their rounds."""

    def with_name(found: re.Match[str]) -> str:
        place = found[0].removesuffix(": ")
        name = names.get(int(place.rpartition(" ")[2]))
        return f"{place}, {name}: " if name else found[0]

    return TAKEN_BACK_PATTERN.sub(with_name, text) if names else text
