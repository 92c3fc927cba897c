"""What the ways of reading a text hand on: rows that belong together, and pieces ready to be chunks."""

from dataclasses import dataclass

from tertulia.retrieval.chunking.domain import ChunkKind


@dataclass(frozen=True, slots=True)
class Unit:
    """Rows `first` up to `last` that are one thing: a paragraph, a definition, a table, a heading."""

    first: int
    last: int
    kind: ChunkKind
    language: str = ""
    #: Titles of what is around it, outermost first.
    path: tuple[str, ...] = ()
    #: 0 flows on from what is before; otherwise a section begins here, 1 the highest.
    level: int = 0
    #: Its own title or header, the context of what follows when it has to be cut.
    title: str = ""


@dataclass(frozen=True, slots=True)
class ChunkPiece:
    """Characters `start` up to `end` that become a chunk, and about how many tokens they take."""

    start: int
    end: int
    estimated_tokens: int
    kind: ChunkKind
    language: str
    path: tuple[str, ...]
    level: int


def merge_pieces(first: ChunkPiece, second: ChunkPiece) -> ChunkPiece:
    """Return two neighbours as one; it is of the kind of the larger, below what is around both."""
    larger = second if second.estimated_tokens > first.estimated_tokens else first
    return ChunkPiece(
        start=first.start,
        end=second.end,
        estimated_tokens=first.estimated_tokens + second.estimated_tokens,
        kind=larger.kind,
        language=larger.language,
        path=common_path(first.path, second.path),
        level=second.level or first.level,
    )


def common_path(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Return how two paths begin alike."""
    if first == second:
        return first
    same = 0
    for mine, theirs in zip(first, second, strict=False):
        if mine != theirs:
            break
        same += 1
    return first[:same]
