"""A message's chunks: code blocks whole, the prose between them gathered."""

from collections.abc import Iterator

from tertulia.retrieval.chunking.domain import Chunk, ChunkKind
from tertulia.retrieval.chunking.finish import Place, finish
from tertulia.retrieval.chunking.lines import Lines
from tertulia.retrieval.chunking.markdown import LANGUAGE, MarkdownReader
from tertulia.retrieval.chunking.pack import pack
from tertulia.retrieval.chunking.units import Piece
from tertulia.retrieval.chunking.windows import BLANK_LINE, cut_at, windows

#: Characters of a message that are cut at once.
MESSAGE_WINDOW = 1 << 16


def chunk_message(text: str, *, whole: bool = False) -> Iterator[Chunk]:
    """Yield a message's chunks of at most 500 tokens, or with `whole` the message as one.

    They are cut as they are asked for, so that a long message can be cut a little at a time.
    """
    yield from as_one(text) if whole else in_parts(text)


def in_parts(text: str) -> Iterator[Chunk]:
    """Yield code blocks and the prose between them, apart from each other."""
    reader = MarkdownReader(fences_apart=True)
    count, char, line = 0, 0, 1
    for window in windows([text], cut_at(BLANK_LINE), size=MESSAGE_WINDOW):
        lines = Lines.of(window)
        pieces = pack(reader.read(lines), lines, mix=False)
        for chunk in finish(pieces, lines, at=Place(char, line, count)):
            count += 1
            yield chunk
        char, line = char + len(window), line + len(lines) - 1


def as_one(text: str) -> list[Chunk]:
    """Return a message as the one chunk that it is, however long."""
    piece = Piece(0, len(text), 0, ChunkKind.PROSE, LANGUAGE, (), 0)
    return list(finish([piece], Lines.of(text), at=Place(), most=len(text) * 16 + 1))
