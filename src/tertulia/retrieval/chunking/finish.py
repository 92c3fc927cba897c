"""From pieces to chunks: trimmed, counted, numbered, with line and character in the whole text."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tertulia.retrieval.chunking.domain import MOST, STEP, Chunk
from tertulia.retrieval.chunking.lines import Lines, tokens_of
from tertulia.retrieval.chunking.split import cut_row
from tertulia.retrieval.chunking.summary import shown, summarise
from tertulia.retrieval.chunking.units import Piece

LONGEST_CONTEXT = 400


@dataclass(frozen=True, slots=True)
class Place:
    """Where a window stands in the whole text, and the number of its first chunk."""

    char: int = 0
    line: int = 1
    index: int = 0


def finish(pieces: Iterable[Piece], lines: Lines, *, at: Place, most: int = MOST) -> Iterator[Chunk]:
    """Yield pieces as chunks; what shows nothing is left out, and none has more than `most` tokens."""
    index = at.index
    for piece in pieces:
        for start, end, tokens in counted(lines.text, piece, most):
            yield chunk(piece, lines, (start, end, tokens), Place(at.char, at.line, index))
            index += 1


def counted(text: str, piece: Piece, most: int) -> Iterator[tuple[int, int, int]]:
    """Yield a piece's visible characters with their real count, cut once more where that is too much."""
    start, end = trimmed(text, piece.start, piece.end)
    if start == end:
        return
    tokens = tokens_of(text[start:end])
    if tokens <= most:
        yield start, end, tokens
        return
    for from_, to, _ in cut_row(text, start, end, target=most):
        first, last = trimmed(text, from_, to)
        if first < last:
            yield first, last, tokens_of(text[first:last])


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the visible part begins, with its first row's indent, and where it ends."""
    part = text[start:end]
    stripped = part.rstrip()
    lead = len(stripped) - len(stripped.lstrip())
    row = stripped.rfind("\n", 0, lead) + 1
    return start + (row if stripped else 0), start + len(stripped)


def chunk(piece: Piece, lines: Lines, span: tuple[int, int, int], at: Place) -> Chunk:
    """Return one chunk."""
    start, end, tokens = span
    content = lines.text[start:end]
    context = shown(STEP.join(piece.path))[:LONGEST_CONTEXT]
    return Chunk(
        index=at.index,
        kind=piece.kind,
        language=piece.language,
        start_line=at.line + lines.row_of(start),
        end_line=at.line + lines.row_of(end - 1),
        start_char=at.char + start,
        end_char=at.char + end,
        content=content,
        context=context,
        tokens=tokens,
        summary=summarise(content, kind=piece.kind, language=piece.language, context=context),
    )
