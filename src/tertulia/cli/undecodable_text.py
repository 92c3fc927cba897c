"""What people type or pipe in that is no text: bytes that their encoding does not explain."""

import re
from typing import TypeVar, cast

T = TypeVar("T")
#: How Python keeps such bytes in text, and halves of characters in JSON; UTF-8 has no room for them.
SURROGATES = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def replace_undecodable(value: T) -> T:
    """Return what is sent with a replacement character for each byte that could not be read as text."""
    if isinstance(value, str):
        return cast("T", SURROGATES.sub(REPLACEMENT, value))
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return cast("T", {replace_undecodable(key): replace_undecodable(item) for key, item in items})
    if isinstance(value, list):
        return cast("T", [replace_undecodable(part) for part in cast("list[object]", value)])
    if isinstance(value, tuple):
        return cast("T", tuple(replace_undecodable(part) for part in cast("tuple[object, ...]", value)))
    return value
