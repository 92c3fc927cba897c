"""Code that no parser of ours reads: by blank lines, braces and indents."""

from tertulia.retrieval.chunking.domain import ChunkKind
from tertulia.retrieval.chunking.measured_lines import MeasuredLines, is_blank_row
from tertulia.retrieval.chunking.unit_splitter import CLOSING_ROW_STARTS
from tertulia.retrieval.chunking.units import Unit


def read_code_blocks(lines: MeasuredLines, language: str) -> list[Unit]:
    """Return blocks: each begins at an outer row after a blank one, or after a block that has ended."""
    units: list[Unit] = []
    first, before = 0, ""
    for row, text in enumerate(lines.rows):
        if row > first and is_block_start(text, before):
            units.append(Unit(first, row, ChunkKind.CODE, language, title=block_title(lines, first)))
            first = row
        before = text
    return [*units, Unit(first, len(lines), ChunkKind.CODE, language, title=block_title(lines, first))]


def is_block_start(text: str, before: str) -> bool:
    """Return whether an outer row begins something new, and does not close what is open."""
    if not text or text[0].isspace() or text.startswith(CLOSING_ROW_STARTS):
        return False
    return is_blank_row(before) or before[0].isspace() or before.startswith(CLOSING_ROW_STARTS)


def block_title(lines: MeasuredLines, first: int) -> str:
    """Return a block's first row, what the rest of it stands below when it has to be cut."""
    return next(
        (row[:80].rstrip(" \t\r={([:,") for row in lines.rows[first : first + 5] if not is_blank_row(row)), ""
    )
