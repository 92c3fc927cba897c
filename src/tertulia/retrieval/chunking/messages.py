"""A message's chunks: code blocks whole, the prose between them gathered."""

from tertulia.retrieval.chunking.domain import Chunk, ChunkKind
from tertulia.retrieval.chunking.finish import Place, finish
from tertulia.retrieval.chunking.lines import Lines
from tertulia.retrieval.chunking.markdown import LANGUAGE, MarkdownReader
from tertulia.retrieval.chunking.pack import pack
from tertulia.retrieval.chunking.units import Piece
from tertulia.retrieval.chunking.windows import BLANK_LINE, cut_at, windows


def chunk_message(text: str, *, whole: bool = False) -> list[Chunk]:
    """Return a message's chunks of at most 500 tokens, or with `whole` the message as one."""
    return as_one(text) if whole else in_parts(text)


def in_parts(text: str) -> list[Chunk]:
    """Return code blocks and the prose between them, apart from each other."""
    reader = MarkdownReader(fences_apart=True)
    chunks: list[Chunk] = []
    char, line = 0, 1
    for window in windows([text], cut_at(BLANK_LINE)):
        lines = Lines.of(window)
        pieces = pack(reader.read(lines), lines, mix=False)
        chunks += finish(pieces, lines, at=Place(char, line, len(chunks)))
        char, line = char + len(window), line + len(lines) - 1
    return chunks


def as_one(text: str) -> list[Chunk]:
    """Return a message as the one chunk that it is, however long."""
    piece = Piece(0, len(text), 0, ChunkKind.PROSE, LANGUAGE, (), 0)
    return list(finish([piece], Lines.of(text), at=Place(), most=len(text) * 16 + 1))
