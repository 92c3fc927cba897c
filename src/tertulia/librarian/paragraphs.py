"""Long texts, cut into what can be quoted whole."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tertulia.models.calls import QuotablePassage

QUOTATION_MAX_CHARS = 700


def split_passage(passage: QuotablePassage) -> Iterator[QuotablePassage]:
    """Yield a passage by its paragraphs; one with a number is cited, and so quoted, as a whole."""
    if passage.number:
        yield passage
    else:
        yield from (replace(passage, text=paragraph) for paragraph in paragraphs(passage.text))


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text, the long ones cut after a sentence."""
    for block in re.split(r"\n\s*\n", text):
        rest = block.strip("\n").rstrip()
        while len(rest) > QUOTATION_MAX_CHARS:
            end = cut_index(rest)
            yield rest[:end].rstrip()
            rest = rest[end:].lstrip()
        if rest.strip():
            yield rest


def cut_index(text: str) -> int:
    """Return where a long paragraph is best cut: after a sentence, else a line, else a word."""
    for mark in (". ", "\n", " "):
        place = text.rfind(mark, QUOTATION_MAX_CHARS // 2, QUOTATION_MAX_CHARS)
        if place > 0:
            return place + len(mark)
    return QUOTATION_MAX_CHARS
