"""Feeding a long conversation to a model in parts, none of which is too long for it."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.memory.domain import Line
from tertulia.models.tokens import count

#: A number, a speaker and a new line.
AROUND_LINE = 8


def in_parts(lines: Sequence[Line], *, most_tokens: int) -> list[list[Line]]:
    """Return messages in parts of at most so many tokens; a longer message is cut into several."""
    parts: list[list[Line]] = []
    used = most_tokens
    for line in lines:
        for piece in pieces(line.text, most_tokens=most_tokens - AROUND_LINE):
            size = count(piece, "") + AROUND_LINE
            if used + size > most_tokens:
                parts.append([])
                used = 0
            parts[-1].append(replace(line, text=piece))
            used += size
    return parts


def pieces(text: str, *, most_tokens: int) -> list[str]:
    """Return a text in pieces that are short enough, cut between rows or else words near their middle."""
    if not text.strip():
        return []
    if len(text) < 2 or count(text, "") <= most_tokens:
        return [text]
    middle = len(text) // 2
    place = max(text.rfind("\n", middle // 2, middle), text.rfind("\n\n", middle // 2, middle))
    if place < 0:
        place = text.rfind(" ", middle // 2, middle)
    place = middle if place < 1 else place
    return [
        *pieces(text[:place], most_tokens=most_tokens),
        *pieces(text[place:], most_tokens=most_tokens),
    ]
