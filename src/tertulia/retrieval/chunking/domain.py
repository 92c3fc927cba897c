"""What a chunk is, and how large one may be."""

from dataclasses import dataclass
from enum import StrEnum

#: Tokens that neighbours are gathered up to: an embedder reads 256 word pieces.
CHUNK_TARGET_TOKENS = 240
#: Prose that is a little longer stays whole rather than leave a crumb behind.
PROSE_CHUNK_STRETCH_TOKENS = 300
#: Tokens that no chunk goes beyond.
CHUNK_MAX_TOKENS = 500
#: A piece of at most so many tokens says little alone and joins a neighbour.
TINY_CHUNK_MAX_TOKENS = 60
#: Lines of a chunk when a text is cut without regard to its structure, and where even that ends.
PLAIN_CHUNK_LINES = 50
PLAIN_CHUNK_MAX_TOKENS = 2_000
#: What stands between the steps of a context.
CHUNK_CONTEXT_SEPARATOR = " \u203a "


class ChunkKind(StrEnum):
    """What a chunk is made of, for the most part."""

    PROSE = "prose"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a text, where it stands, and what helps to find it.

    Lines are 1-based and inclusive, and only a line feed ends one (so CRLF ends one line, and a lone CR
    none), as the editor counts them. Characters are code points, half-open.
    """

    index: int
    kind: ChunkKind
    language: str
    start_line: int
    end_line: int
    start_char: int
    end_char: int
    content: str
    #: A key to the content that does not stand in it: headings or definitions around it, a table's header.
    context: str
    tokens: int
    summary: str
