"""From pieces to chunks: trimmed, counted, numbered, with line and character in the whole text."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tertulia.retrieval.chunking.chunk_summary import summarise_chunk, to_visible_line
from tertulia.retrieval.chunking.domain import CHUNK_CONTEXT_SEPARATOR, CHUNK_MAX_TOKENS, Chunk
from tertulia.retrieval.chunking.measured_lines import MeasuredLines, count_chunk_tokens
from tertulia.retrieval.chunking.unit_splitter import split_row
from tertulia.retrieval.chunking.units import ChunkPiece

CHUNK_CONTEXT_MAX_CHARS = 400


@dataclass(frozen=True, slots=True)
class WindowPosition:
    """Where a window stands in the whole text, and the number of its first chunk."""

    char: int = 0
    line: int = 1
    index: int = 0


def build_chunks(
    pieces: Iterable[ChunkPiece],
    lines: MeasuredLines,
    *,
    position: WindowPosition,
    max_tokens: int = CHUNK_MAX_TOKENS,
) -> Iterator[Chunk]:
    """Yield pieces as chunks; what shows nothing is left out, and none has more than `max_tokens`."""
    index = position.index
    for piece in pieces:
        for start, end, tokens in count_spans(lines.text, piece, max_tokens):
            yield build_chunk(
                piece, lines, (start, end, tokens), WindowPosition(position.char, position.line, index)
            )
            index += 1


def count_spans(text: str, piece: ChunkPiece, max_tokens: int) -> Iterator[tuple[int, int, int]]:
    """Yield a piece's visible characters with their real count, cut once more where that is too much."""
    start, end = trim_span(text, piece.start, piece.end)
    if start == end:
        return
    tokens = count_chunk_tokens(text[start:end])
    if tokens <= max_tokens:
        yield start, end, tokens
        return
    for from_, to, _ in split_row(text, start, end, target_tokens=max_tokens):
        first, last = trim_span(text, from_, to)
        if first < last:
            yield first, last, count_chunk_tokens(text[first:last])


def trim_span(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the visible part begins, with its first row's indent, and where it ends."""
    part = text[start:end]
    stripped = part.rstrip()
    lead = len(stripped) - len(stripped.lstrip())
    row = stripped.rfind("\n", 0, lead) + 1
    return start + (row if stripped else 0), start + len(stripped)


def build_chunk(
    piece: ChunkPiece, lines: MeasuredLines, span: tuple[int, int, int], position: WindowPosition
) -> Chunk:
    """Return one chunk."""
    start, end, tokens = span
    content = lines.text[start:end]
    context = to_visible_line(CHUNK_CONTEXT_SEPARATOR.join(piece.path))[:CHUNK_CONTEXT_MAX_CHARS]
    return Chunk(
        index=position.index,
        kind=piece.kind,
        language=piece.language,
        start_line=position.line + lines.row_of(start),
        end_line=position.line + lines.row_of(end - 1),
        start_char=position.char + start,
        end_char=position.char + end,
        content=content,
        context=context,
        tokens=tokens,
        summary=summarise_chunk(content, kind=piece.kind, language=piece.language, context=context),
    )
