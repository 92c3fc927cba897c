"""A file's chunks, along the structure of what it holds, in bounded memory."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tertulia.retrieval.chunking.chunk_builder import WindowPosition, build_chunks
from tertulia.retrieval.chunking.code_reader import CodeReader
from tertulia.retrieval.chunking.domain import CHUNK_MAX_TOKENS, PLAIN_CHUNK_MAX_TOKENS, Chunk
from tertulia.retrieval.chunking.languages import detect_language
from tertulia.retrieval.chunking.markdown_reader import MarkdownReader
from tertulia.retrieval.chunking.measured_lines import MeasuredLines
from tertulia.retrieval.chunking.piece_packer import pack_units
from tertulia.retrieval.chunking.prose_reader import read_plain, read_prose
from tertulia.retrieval.chunking.table_reader import TableReader
from tertulia.retrieval.chunking.text_windows import (
    BEFORE_DEFINITION_PATTERN,
    BEFORE_HEADING_PATTERN,
    BLANK_LINE_PATTERN,
    CODE_WINDOW_MAX_CHARS,
    WINDOW_MAX_CHARS,
    FindCut,
    cut_at_plain_lines,
    cut_at_seams,
    split_windows,
)
from tertulia.retrieval.chunking.units import ChunkPiece

ReadPieces = Callable[[MeasuredLines], Iterable[ChunkPiece]]


@dataclass(frozen=True, slots=True)
class ChunkingStrategy:
    """One way of cutting: where windows end, how one is read, and the most tokens of a chunk."""

    find_cut: FindCut
    #: Makes the reading of one file, given its path and how it opens.
    make_reader: Callable[[str, str], ReadPieces]
    max_tokens: int = CHUNK_MAX_TOKENS
    window_chars: int = WINDOW_MAX_CHARS


def chunk_file(
    pieces: Iterable[str], *, path: str, media: str, plain: bool = False, page_lines: Sequence[int] = ()
) -> Iterator[Chunk]:
    """Yield a file's chunks in order; its text comes in pieces of any size and is never held whole.

    `media` says what the text is: "code", "table", "sheet", "text", or what is written as Markdown.
    With `plain`, every 50 lines are a chunk, whatever they hold and of up to 2,000 tokens.
    No chunk goes over the beginning of a page, on one of `page_lines`.
    """
    way = PLAIN_STRATEGY if plain else STRATEGY_BY_MEDIA.get(media, PROSE_STRATEGY)
    read: ReadPieces | None = None
    at = WindowPosition()
    for window in split_windows(pieces, way.find_cut, max_chars=way.window_chars):
        read = read or way.make_reader(path, window)
        lines = MeasuredLines.of(window)
        index = at.index
        paged = split_at_pages(read(lines), lines, first_line=at.line, page_lines=page_lines)
        for chunk in build_chunks(paged, lines, position=at, max_tokens=way.max_tokens):
            yield chunk
            index += 1
        at = WindowPosition(at.char + len(window), at.line + len(lines) - 1, index)


def split_at_pages(
    pieces: Iterable[ChunkPiece], lines: MeasuredLines, *, first_line: int, page_lines: Sequence[int]
) -> Iterator[ChunkPiece]:
    """Yield pieces of a window whose first line has this number, cut where pages begin."""
    rows = page_lines[bisect_right(page_lines, first_line) : bisect_left(page_lines, first_line + len(lines))]
    seams = [lines.starts[line - first_line] for line in rows]
    for piece in pieces:
        inside = seams[bisect_right(seams, piece.start) : bisect_left(seams, piece.end)]
        if not inside:
            yield piece
            continue
        for start, end in pairwise((piece.start, *inside, piece.end)):
            tokens = lines.estimate_tokens(lines.row_of(start), lines.row_of(end - 1) + 1)
            yield replace(piece, start=start, end=end, estimated_tokens=tokens)


def plain_reader(path: str, opening: str) -> ReadPieces:
    """Return the reading that knows no structure."""
    language = detect_language(path, opening)
    return lambda lines: read_plain(lines, language=language)


def prose_reader(_path: str, _opening: str) -> ReadPieces:
    """Return the reading by paragraph."""
    return lambda lines: pack_units(read_prose(lines), lines, can_mix_kinds=True)


def markdown_reader(_path: str, _opening: str) -> ReadPieces:
    """Return the reading by heading; it remembers what is open from window to window."""
    reader = MarkdownReader()
    return lambda lines: pack_units(reader.read(lines), lines, can_mix_kinds=True)


def table_reader(_path: str, _opening: str) -> ReadPieces:
    """Return the reading by records below one header."""
    reader = TableReader(has_sheets=False)
    return lambda lines: pack_units(reader.read(lines), lines, can_mix_kinds=True)


def sheets_reader(_path: str, _opening: str) -> ReadPieces:
    """Return the reading by records, sheet after sheet."""
    reader = TableReader(has_sheets=True)
    return lambda lines: pack_units(reader.read(lines), lines, can_mix_kinds=True)


def code_reader(path: str, opening: str) -> ReadPieces:
    """Return the reading by definition, or by blocks where the language has no parser."""
    reader = CodeReader(detect_language(path, opening))
    return lambda lines: pack_units(reader.read(lines), lines, can_mix_kinds=True)


PLAIN_STRATEGY = ChunkingStrategy(cut_at_plain_lines, plain_reader, PLAIN_CHUNK_MAX_TOKENS)
PROSE_STRATEGY = ChunkingStrategy(cut_at_seams(BLANK_LINE_PATTERN), prose_reader)
MARKDOWN_STRATEGY = ChunkingStrategy(
    cut_at_seams(BEFORE_HEADING_PATTERN, BLANK_LINE_PATTERN), markdown_reader
)
STRATEGY_BY_MEDIA = {
    "text": PROSE_STRATEGY,
    "code": ChunkingStrategy(
        cut_at_seams(BEFORE_DEFINITION_PATTERN, BLANK_LINE_PATTERN),
        code_reader,
        window_chars=CODE_WINDOW_MAX_CHARS,
    ),
    "table": ChunkingStrategy(cut_at_seams(), table_reader),
    "sheet": ChunkingStrategy(cut_at_seams(), sheets_reader),
    "markdown": MARKDOWN_STRATEGY,
    "html": MARKDOWN_STRATEGY,
    "document": MARKDOWN_STRATEGY,
    "pdf": MARKDOWN_STRATEGY,
    "slides": MARKDOWN_STRATEGY,
}
