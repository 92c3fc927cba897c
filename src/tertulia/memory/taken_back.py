"""How a point tells what was said later and may take it back: in brackets after what it says."""

import re
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
