"""Shortening a text that is too long, with an ellipsis that says so."""

ELLIPSIS = "…"


def truncate(text: str, max_chars: int) -> str:
    """Return a text, or as much of its beginning as fits with an ellipsis."""
    return text if len(text) <= max_chars else text[: max_chars - 1].rstrip() + ELLIPSIS


def truncate_at_word(text: str, max_chars: int) -> str:
    """Return a text, or its beginning up to the end of a word, if one ends in the second half."""
    if len(text) <= max_chars:
        return text
    cut = text[: max_chars - 1]
    end = cut.rfind(" ", max_chars // 2)
    return (cut[:end] if end > 0 else cut).rstrip() + ELLIPSIS
