"""How much of a conversation is read for a summary: looking at every sentence of megabytes takes minutes."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from tertulia.memory.domain import SourceMessage


def limit_total_chars(messages: Sequence[SourceMessage], max_chars: int) -> list[SourceMessage]:
    """Return lines of at most so many characters together: of the longest, only the two ends."""
    share = fair_share_chars((len(line.text) for line in messages), max_chars)
    return [
        line if len(line.text) <= share else replace(line, text=keep_two_ends(line.text, share))
        for line in messages
    ]


def fair_share_chars(lengths: Iterable[int], total: int) -> int:
    """Return how long each may be so that all are within `total`; short ones leave more to the others."""
    ordered, left = sorted(lengths), total
    for place, length in enumerate(ordered):
        share = left // (len(ordered) - place)
        if length > share:
            return share
        left -= length
    return total


def keep_two_ends(text: str, max_chars: int) -> str:
    """Return the beginning and the end of a text, cut between words, as paragraphs of their own."""
    half = max(0, max_chars - 2) // 2
    begin, end = text[:half], text[len(text) - half :]
    begin = begin[: begin.rfind(" ")] if " " in begin else begin
    return f"{begin}\n\n{end.partition(' ')[2] or end}"
