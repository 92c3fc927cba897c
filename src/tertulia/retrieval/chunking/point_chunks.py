"""A summary's chunks: the points of each round, which stand in lines one below the other."""

from collections.abc import Iterator
from dataclasses import replace

from tertulia.retrieval.chunking.chunk_builder import WindowPosition, build_chunks
from tertulia.retrieval.chunking.domain import CHUNK_TARGET_TOKENS, Chunk, ChunkKind
from tertulia.retrieval.chunking.markdown_reader import MARKDOWN_LANGUAGE
from tertulia.retrieval.chunking.measured_lines import MeasuredLines, is_blank_row
from tertulia.retrieval.chunking.units import ChunkPiece


def chunk_points(text: str) -> Iterator[Chunk]:
    """Yield the lines between blank ones as chunks of about 240 tokens at most, without a summary of them."""
    lines = MeasuredLines.of(text)
    pieces = [
        ChunkPiece(lines.starts[first], lines.starts[last], 0, ChunkKind.PROSE, MARKDOWN_LANGUAGE, (), 0)
        for first, last in group_lines(lines)
    ]
    for chunk in build_chunks(pieces, lines, position=WindowPosition()):
        yield replace(chunk, summary="")


def group_lines(lines: MeasuredLines) -> Iterator[tuple[int, int]]:
    """Yield the first row of each group and the row after its last; a line is never cut for its size here."""
    first = 0
    for row, text in enumerate(lines.rows):
        is_full = lines.estimate_tokens(first, row + 1) > CHUNK_TARGET_TOKENS
        if is_blank_row(text) or (is_full and first < row):
            yield first, row
            first = row
    yield first, len(lines.rows)
