"""Code that no parser of ours reads: by blank lines, braces and indents."""

from tertulia.retrieval.chunking.domain import ChunkKind
from tertulia.retrieval.chunking.lines import Lines, blank
from tertulia.retrieval.chunking.split import CLOSERS
from tertulia.retrieval.chunking.units import Unit


def read_blocks(lines: Lines, language: str) -> list[Unit]:
    """Return blocks: each begins at an outer row after a blank one, or after a block that has ended."""
    units: list[Unit] = []
    first, before = 0, ""
    for row, text in enumerate(lines.rows):
        if row > first and begins_block(text, before):
            units.append(Unit(first, row, ChunkKind.CODE, language, title=title(lines, first)))
            first = row
        before = text
    return [*units, Unit(first, len(lines), ChunkKind.CODE, language, title=title(lines, first))]


def begins_block(text: str, before: str) -> bool:
    """Return whether an outer row begins something new, and does not close what is open."""
    if not text or text[0].isspace() or text.startswith(CLOSERS):
        return False
    return blank(before) or before[0].isspace() or before.startswith(CLOSERS)


def title(lines: Lines, first: int) -> str:
    """Return a block's first row, what the rest of it stands below when it has to be cut."""
    return next(
        (row[:80].rstrip(" \t\r={([:,") for row in lines.rows[first : first + 5] if not blank(row)), ""
    )
