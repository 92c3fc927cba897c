"""Feeding a long conversation to a model in parts, none of which is too long for it."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.memory.domain import SourceMessage
from tertulia.models.tokens import count

#: A number, a speaker and a new line.
MESSAGE_LINE_OVERHEAD_TOKENS = 8


def split_into_parts(messages: Sequence[SourceMessage], *, max_tokens: int) -> list[list[SourceMessage]]:
    """Return messages in parts of at most so many tokens; a longer message is cut into several."""
    parts: list[list[SourceMessage]] = []
    used = max_tokens
    for line in messages:
        for piece in split_long_text(line.text, max_tokens=max_tokens - MESSAGE_LINE_OVERHEAD_TOKENS):
            size = count(piece, "") + MESSAGE_LINE_OVERHEAD_TOKENS
            if used + size > max_tokens:
                parts.append([])
                used = 0
            parts[-1].append(replace(line, text=piece))
            used += size
    return parts


def split_long_text(text: str, *, max_tokens: int) -> list[str]:
    """Return a text in pieces that are short enough, cut between rows or else words near their middle."""
    if not text.strip():
        return []
    if len(text) < 2 or count(text, "") <= max_tokens:
        return [text]
    middle = len(text) // 2
    place = max(text.rfind("\n", middle // 2, middle), text.rfind("\n\n", middle // 2, middle))
    if place < 0:
        place = text.rfind(" ", middle // 2, middle)
    place = middle if place < 1 else place
    return [
        *split_long_text(text[:place], max_tokens=max_tokens),
        *split_long_text(text[place:], max_tokens=max_tokens),
    ]
