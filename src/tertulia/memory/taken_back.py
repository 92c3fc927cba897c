"""How a point says that it was taken back: in brackets after what it says."""

import re
from functools import lru_cache

TAKEN_BACK_PATTERN = re.compile(r" \[taken back in round \d+: ")


@lru_cache(8_192)
def is_reversed(text: str) -> bool:
    """Tell whether a point says by itself that it was taken back."""
    return TAKEN_BACK_PATTERN.search(text) is not None


def statement_of(text: str) -> str:
    """Return what a point says, without what took it back."""
    return TAKEN_BACK_PATTERN.split(text, maxsplit=1)[0]


def with_reversal(text: str, reversal: str, *, round_number: int) -> str:
    """Return what a point says together with what took it back."""
    return f"{text} [taken back in round {round_number}: {reversal}]"
