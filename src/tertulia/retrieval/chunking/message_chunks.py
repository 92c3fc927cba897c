"""A message's chunks: code blocks whole, the prose between them gathered."""

from collections.abc import Iterator

from tertulia.retrieval.chunking.chunk_builder import WindowPosition, build_chunks
from tertulia.retrieval.chunking.domain import Chunk, ChunkKind
from tertulia.retrieval.chunking.markdown_reader import MARKDOWN_LANGUAGE, MarkdownReader
from tertulia.retrieval.chunking.measured_lines import MeasuredLines
from tertulia.retrieval.chunking.piece_packer import pack_units
from tertulia.retrieval.chunking.text_windows import BLANK_LINE_PATTERN, cut_at_seams, split_windows
from tertulia.retrieval.chunking.units import ChunkPiece

#: Characters of a message that are cut at once.
MESSAGE_WINDOW_CHARS = 1 << 16


def chunk_message(text: str, *, as_one_chunk: bool = False) -> Iterator[Chunk]:
    """Yield a message's chunks of at most 500 tokens, or with `as_one_chunk` the message as one.

    They are cut as they are asked for, so that a long message can be cut a little at a time.
    """
    yield from chunk_whole(text) if as_one_chunk else chunk_parts(text)


def chunk_parts(text: str) -> Iterator[Chunk]:
    """Yield code blocks and the prose between them, apart from each other."""
    reader = MarkdownReader(fences_apart=True)
    count, char, line = 0, 0, 1
    for window in split_windows([text], cut_at_seams(BLANK_LINE_PATTERN), max_chars=MESSAGE_WINDOW_CHARS):
        lines = MeasuredLines.of(window)
        pieces = pack_units(reader.read(lines), lines, can_mix_kinds=False)
        for chunk in build_chunks(pieces, lines, position=WindowPosition(char, line, count)):
            count += 1
            yield chunk
        char, line = char + len(window), line + len(lines) - 1


def chunk_whole(text: str) -> list[Chunk]:
    """Return a message as the one chunk that it is, however long."""
    piece = ChunkPiece(0, len(text), 0, ChunkKind.PROSE, MARKDOWN_LANGUAGE, (), 0)
    return list(
        build_chunks(
            [piece], MeasuredLines.of(text), position=WindowPosition(), max_tokens=len(text) * 16 + 1
        )
    )
