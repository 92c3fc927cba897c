"""Counting tokens as OpenAI's newer models do."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import splintr

#: What the roles and separators of a chat cost.
PER_MESSAGE = 3


@cache
def tokenizer() -> Any:
    """Load the o200k vocabulary, once and only when it is needed."""
    return splintr.Tokenizer.from_pretrained("o200k_base")


def count(texts: Iterable[str]) -> int:
    """Count the tokens of all texts."""
    encode = tokenizer().encode_ordinary
    return sum(len(encode(text)) for text in texts if text)


def strings_in(value: Any) -> Iterable[str]:
    """Yield every text inside a JSON value, but no names of fields and no pictures."""
    if isinstance(value, str) and not value.startswith("data:image/"):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from strings_in(one)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name not in ("role", "type", "id", "tool_call_id", "tool_use_id", "source", "inlineData"):
                yield from strings_in(one)
