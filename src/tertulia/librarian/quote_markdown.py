"""Passages as Markdown that shows exactly what stands in them, whatever kind of file they come from."""

import re
from pathlib import PurePosixPath

from tertulia.models.calls import QuotablePassage

MARKDOWN_SUFFIXES = frozenset({"", ".md", ".markdown", ".mdx"})
#: A text with longer lines is prose, which would run out of sight in a block of code.
CODE_LINE_MAX_CHARS = 160
FENCE_LINE_PATTERN = re.compile(r"^\s{0,3}(```|~~~)", re.MULTILINE)
BACKTICKS_PATTERN = re.compile(r"`+")
#: What Markdown would take for markup: such characters anywhere, and what makes a block of a line.
MARKUP_PATTERN = re.compile(r"[\\`*_<>\[\]$~|]|^(\s*)([#+-]|\d+(?=[.)]))", re.MULTILINE)
CODE_OR_CITATION_PATTERN = re.compile(
    r"(?P<fence>```|~~~).*?(?:(?P=fence)|\Z)|(?P<ticks>`+)(?:(?!`).)+(?P=ticks)|\[(?P<number>\d{1,3})\]",
    re.DOTALL,
)


def to_markdown(passage: QuotablePassage) -> str:
    """Return Markdown that shows a passage: as it is where it is Markdown, else as code or as plain prose."""
    text, suffix = passage.text, PurePosixPath(passage.path).suffix.lower()
    if suffix in MARKDOWN_SUFFIXES and not is_cut_in_fence(text):
        return escape_citations(text)
    if max(map(len, text.splitlines()), default=0) <= CODE_LINE_MAX_CHARS:
        return in_fence(text, suffix.removeprefix("."))
    return escape_markup(text)


def is_cut_in_fence(text: str) -> bool:
    """Tell whether a passage begins or ends within a block of code."""
    return len(FENCE_LINE_PATTERN.findall(text)) % 2 == 1


def in_fence(text: str, language: str) -> str:
    """Return a text as a block of code, in a fence that is longer than any in it."""
    longest = max(map(len, BACKTICKS_PATTERN.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language if language.isalnum() else ''}\n{text.strip(chr(10))}\n{fence}"


def escape_markup(text: str) -> str:
    """Return plain prose as Markdown that reads the same."""
    return MARKUP_PATTERN.sub(escape_match, text)


def escape_match(found: re.Match[str]) -> str:
    """Return a mark with a backslash; a number that would begin a list has it before its point."""
    if found[2] is None:
        return f"\\{found[0]}"
    return f"{found[1]}{found[2]}\\" if found[2].isdigit() else f"{found[1]}\\{found[2]}"


def escape_citations(text: str) -> str:
    """Return words whose own numbers in brackets cite nothing here; code is left as it is."""
    return CODE_OR_CITATION_PATTERN.sub(
        lambda found: rf"[{found['number']}\]" if found["number"] else found[0], text
    )
