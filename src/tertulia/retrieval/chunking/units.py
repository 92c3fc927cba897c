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
class Piece:
    """Characters `start` up to `end` that become a chunk, and about how many tokens they take."""

    start: int
    end: int
    cost: int
    kind: ChunkKind
    language: str
    path: tuple[str, ...]
    level: int


def joined(one: Piece, two: Piece) -> Piece:
    """Return two neighbours as one; it is of the kind of the larger, below what is around both."""
    larger = two if two.cost > one.cost else one
    return Piece(
        start=one.start,
        end=two.end,
        cost=one.cost + two.cost,
        kind=larger.kind,
        language=larger.language,
        path=shared(one.path, two.path),
        level=two.level or one.level,
    )


def shared(one: tuple[str, ...], two: tuple[str, ...]) -> tuple[str, ...]:
    """Return how two paths begin alike."""
    if one == two:
        return one
    same = 0
    for mine, theirs in zip(one, two, strict=False):
        if mine != theirs:
            break
        same += 1
    return one[:same]
