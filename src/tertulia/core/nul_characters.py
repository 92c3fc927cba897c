"""NUL characters: models and tools write them now and then, and PostgreSQL keeps none of them.

So that nothing depends on the engine, the replacement character stands for each of them on both:
nothing else of a text is lost, and every offset in it stays true.
"""

import re
from typing import Any

import msgspec

NUL_REPLACEMENT = "\ufffd"
#: The escape itself, and not the same letters after a backslash that is escaped.
ESCAPED_NUL_PATTERN = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")

_encoder = msgspec.json.Encoder()


def replace_nul(text: str) -> str:
    """Return a text as it can be stored."""
    return text.replace("\0", NUL_REPLACEMENT)


def replace_nul_escapes(text: str) -> str:
    """Return JSON whose texts can all be stored."""
    return ESCAPED_NUL_PATTERN.sub(rf"\1{NUL_REPLACEMENT}", text) if r"\u0000" in text else text


def encode_storable_json(value: Any) -> str:
    """Write a value as JSON whose texts can all be stored."""
    return replace_nul_escapes(_encoder.encode(value).decode())
