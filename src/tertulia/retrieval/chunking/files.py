"""A file's chunks, along the structure of what it holds, in bounded memory."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tertulia.retrieval.chunking.code import CodeReader
from tertulia.retrieval.chunking.domain import MOST, PLAIN_MOST, Chunk
from tertulia.retrieval.chunking.finish import Place, finish
from tertulia.retrieval.chunking.languages import language_of
from tertulia.retrieval.chunking.lines import Lines
from tertulia.retrieval.chunking.markdown import MarkdownReader
from tertulia.retrieval.chunking.pack import pack
from tertulia.retrieval.chunking.prose import read_plain, read_prose
from tertulia.retrieval.chunking.tables import TableReader
from tertulia.retrieval.chunking.units import Piece
from tertulia.retrieval.chunking.windows import (
    AT_DEFINITION,
    AT_HEADING,
    BLANK_LINE,
    CODE_WINDOW,
    WINDOW,
    Cut,
    cut_at,
    cut_plain,
    windows,
)

Read = Callable[[Lines], Iterable[Piece]]


@dataclass(frozen=True, slots=True)
class Way:
    """One way of cutting: where windows end, how one is read, and the most tokens of a chunk."""

    cut: Cut
    #: Makes the reading of one file, given its path and how it opens.
    reading: Callable[[str, str], Read]
    most: int = MOST
    window: int = WINDOW


def chunk_file(pieces: Iterable[str], *, path: str, media: str, plain: bool = False) -> Iterator[Chunk]:
    """Yield a file's chunks in order; its text comes in pieces of any size and is never held whole.

    `media` says what the text is: "code", "table", "sheet", "text", or what is written as Markdown.
    With `plain`, every 50 lines are a chunk, whatever they hold and of up to 2,000 tokens.
    """
    way = PLAIN if plain else WAYS.get(media, PROSE)
    read: Read | None = None
    at = Place()
    for window in windows(pieces, way.cut, size=way.window):
        read = read or way.reading(path, window)
        lines = Lines.of(window)
        index = at.index
        for chunk in finish(read(lines), lines, at=at, most=way.most):
            yield chunk
            index += 1
        at = Place(at.char + len(window), at.line + len(lines) - 1, index)


def reading_plain(path: str, opening: str) -> Read:
    """Return the reading that knows no structure."""
    language = language_of(path, opening)
    return lambda lines: read_plain(lines, language=language)


def reading_prose(_path: str, _opening: str) -> Read:
    """Return the reading by paragraph."""
    return lambda lines: pack(read_prose(lines), lines, mix=True)


def reading_markdown(_path: str, _opening: str) -> Read:
    """Return the reading by heading; it remembers what is open from window to window."""
    reader = MarkdownReader()
    return lambda lines: pack(reader.read(lines), lines, mix=True)


def reading_table(_path: str, _opening: str) -> Read:
    """Return the reading by records below one header."""
    reader = TableReader(sheets=False)
    return lambda lines: pack(reader.read(lines), lines, mix=True)


def reading_sheets(_path: str, _opening: str) -> Read:
    """Return the reading by records, sheet after sheet."""
    reader = TableReader(sheets=True)
    return lambda lines: pack(reader.read(lines), lines, mix=True)


def reading_code(path: str, opening: str) -> Read:
    """Return the reading by definition, or by blocks where the language has no parser."""
    reader = CodeReader(language_of(path, opening))
    return lambda lines: pack(reader.read(lines), lines, mix=True)


PLAIN = Way(cut_plain, reading_plain, PLAIN_MOST)
PROSE = Way(cut_at(BLANK_LINE), reading_prose)
MARKDOWN = Way(cut_at(AT_HEADING, BLANK_LINE), reading_markdown)
WAYS = {
    "text": PROSE,
    "code": Way(cut_at(AT_DEFINITION, BLANK_LINE), reading_code, window=CODE_WINDOW),
    "table": Way(cut_at(), reading_table),
    "sheet": Way(cut_at(), reading_sheets),
    "markdown": MARKDOWN,
    "html": MARKDOWN,
    "document": MARKDOWN,
    "pdf": MARKDOWN,
    "slides": MARKDOWN,
}
