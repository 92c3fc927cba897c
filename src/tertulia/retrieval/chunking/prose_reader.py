"""Prose by paragraph, and the plain cut of 50 lines that knows no structure."""

from tertulia.retrieval.chunking.domain import PLAIN_CHUNK_LINES, PLAIN_CHUNK_MAX_TOKENS, ChunkKind
from tertulia.retrieval.chunking.measured_lines import MeasuredLines, is_blank_row
from tertulia.retrieval.chunking.unit_splitter import split_rows
from tertulia.retrieval.chunking.units import ChunkPiece, Unit


def read_prose(lines: MeasuredLines) -> list[Unit]:
    """Return paragraphs: rows between blank ones, or between pages."""
    units: list[Unit] = []
    first = -1
    for row, text in enumerate(lines.rows):
        ends = is_blank_row(text)
        if first >= 0 and (ends or text[0] == "\f"):
            units.append(Unit(first, row, ChunkKind.PROSE))
            first = -1
        if first < 0 and not ends:
            first = row
    if first >= 0:
        units.append(Unit(first, len(lines), ChunkKind.PROSE))
    return units


def read_plain(lines: MeasuredLines, *, language: str) -> list[ChunkPiece]:
    """Return every 50 lines as one piece; only when those are enormous they are cut further."""
    kind = ChunkKind.CODE if language else ChunkKind.PROSE
    pieces: list[ChunkPiece] = []
    for first in range(0, len(lines), PLAIN_CHUNK_LINES):
        last = min(first + PLAIN_CHUNK_LINES, len(lines))
        target = max(PLAIN_CHUNK_MAX_TOKENS, 1)
        for start, end, cost in split_rows(lines, first, last, target_tokens=target, max_tokens=target):
            pieces.append(ChunkPiece(start, end, cost, kind, language, (), 0))
    return pieces
