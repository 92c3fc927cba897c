"""From units to pieces: small neighbours are gathered, large units cut, sections kept apart."""

from collections.abc import Iterable, Iterator

from tertulia.retrieval.chunking.domain import MOST, STRETCH, TARGET, TINY
from tertulia.retrieval.chunking.lines import Lines
from tertulia.retrieval.chunking.split import roof, split
from tertulia.retrieval.chunking.units import Piece, Unit, joined


def pack(units: Iterable[Unit], lines: Lines, *, mix: bool) -> list[Piece]:
    """Return units as pieces of a good size; `mix` lets prose, code and tables stand in one."""
    gathered: list[Piece] = []
    for section in sections(units):
        for piece in within(section, lines, mix=mix):
            if gathered and may_cross(gathered[-1], piece, mix=mix):
                gathered[-1] = joined(gathered[-1], piece)
            else:
                gathered.append(piece)
    return gathered


def sections(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Yield units in runs that begin where a section does."""
    run: list[Unit] = []
    for unit in units:
        if unit.level and run:
            yield run
            run = []
        run.append(unit)
    if run:
        yield run


def within(section: list[Unit], lines: Lines, *, mix: bool) -> list[Piece]:
    """Return one section's pieces: units are gathered while they fit."""
    pieces: list[Piece] = []
    for unit in section:
        for piece in as_pieces(unit, lines):
            if pieces and may_follow(pieces[-1], piece, mix=mix):
                pieces[-1] = joined(pieces[-1], piece)
            else:
                pieces.append(piece)
    return pieces


def as_pieces(unit: Unit, lines: Lines) -> Iterator[Piece]:
    """Yield a unit whole when it may be, in parts when it is too large."""
    cost = lines.cost(unit.first, unit.last)
    if cost > roof(unit.kind, STRETCH):
        yield from split(unit, lines)
        return
    start, end = lines.starts[unit.first], lines.starts[unit.last]
    yield Piece(start, end, cost, unit.kind, unit.language, unit.path, unit.level)


def may_follow(one: Piece, two: Piece, *, mix: bool) -> bool:
    """Return whether two pieces of a section make one chunk: they fit, or a tiny one opens or ends it."""
    together = one.cost + two.cost
    if together > MOST or not (mix or alike(one, two)):
        return False
    opens = one.cost <= TINY and together <= roof(two.kind, STRETCH)
    ends = two.cost <= TINY and one.cost <= TARGET and together <= STRETCH
    return together <= TARGET or opens or ends


def may_cross(one: Piece, two: Piece, *, mix: bool) -> bool:
    """Return whether a chunk may go on over the beginning of a section: a deeper one, or a tiny one."""
    if one.cost + two.cost > TARGET or not (mix or alike(one, two)):
        return False
    if two.level > one.level > 0 or max(one.cost, two.cost) <= TINY:
        return True
    # A larger piece would lose a key that only its context holds.
    return min(one.cost, two.cost) <= TINY and two.path[: len(one.path)] == one.path


def alike(one: Piece, two: Piece) -> bool:
    """Return whether two pieces are of the same kind and language."""
    return one.kind is two.kind and one.language == two.language
