"""Characters that are not seen: written out where a person decides by what they read."""

import re

#: Counted as letters or marks, and yet not seen.
INVISIBLE_CHARACTERS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0\U000e0100-\U000e01ef]"
)


def escape_invisible(text: str) -> str:
    """Return a text in which all that is not seen stands as JSON writes it, which means the same."""
    return "".join(character if is_visible(character) else escape_character(character) for character in text)


def is_visible(character: str) -> bool:
    """Tell whether a character is seen as what it is."""
    return character == "\n" or (character.isprintable() and not INVISIBLE_CHARACTERS.match(character))


def escape_character(character: str) -> str:
    """Write a character as JSON does."""
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
