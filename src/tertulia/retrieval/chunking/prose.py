"""Prose by paragraph, and the plain cut of 50 lines that knows no structure."""

from tertulia.retrieval.chunking.domain import PLAIN_LINES, PLAIN_MOST, ChunkKind
from tertulia.retrieval.chunking.lines import Lines, blank
from tertulia.retrieval.chunking.split import spans
from tertulia.retrieval.chunking.units import Piece, Unit


def read_prose(lines: Lines) -> list[Unit]:
    """Return paragraphs: rows between blank ones, or between pages."""
    units: list[Unit] = []
    first = -1
    for row, text in enumerate(lines.rows):
        ends = blank(text)
        if first >= 0 and (ends or text[0] == "\f"):
            units.append(Unit(first, row, ChunkKind.PROSE))
            first = -1
        if first < 0 and not ends:
            first = row
    if first >= 0:
        units.append(Unit(first, len(lines), ChunkKind.PROSE))
    return units


def read_plain(lines: Lines, *, language: str) -> list[Piece]:
    """Return every 50 lines as one piece; only when those are enormous they are cut further."""
    kind = ChunkKind.CODE if language else ChunkKind.PROSE
    pieces: list[Piece] = []
    for first in range(0, len(lines), PLAIN_LINES):
        last = min(first + PLAIN_LINES, len(lines))
        target = max(PLAIN_MOST, 1)
        for start, end, cost in spans(lines, first, last, target=target, most=target):
            pieces.append(Piece(start, end, cost, kind, language, (), 0))
    return pieces
