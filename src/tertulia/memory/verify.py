"""Whether a summary still holds what must not be lost: pinned lines, decisions and figures, word for word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertulia.memory.domain import USER, Line, Point, PointKind, point_from
from tertulia.memory.join import folded
from tertulia.memory.said import Said, all_said, in_context, text_of


@dataclass(frozen=True, slots=True)
class Kept:
    """A line that must stand in a summary."""

    line: Line
    #: What has to be there, and how it is kept where it is not: with what it needs to be understood.
    words: str
    text: str
    #: The messages its text stands in: its own, and the question where it says little without it.
    lines: tuple[Line, ...]


def must_keep(lines: Sequence[Line]) -> list[Kept]:
    """Return what must not be lost: pinned lines, decisions, what was asked to be remembered, figures."""
    # Of a pinned reply all rows are kept: no sentence of it has to be found.
    said = all_said([line for line in lines if line.speaker == USER or not line.pinned])
    needed = [_in_context(said, index) for index, one in enumerate(said) if is_needed(one)]
    pinned = [kept for line in lines if line.pinned for kept in _rows(line)]
    place = {line.id: index for index, line in enumerate(lines)}
    return sorted([*pinned, *needed], key=lambda kept: place[kept.line.id])


def missing(points: Sequence[Point], lines: Sequence[Line]) -> list[Kept]:
    """Return what stands in no point."""
    local = {line.id for line in lines if line.local_only}
    by_source: dict[str, list[Point]] = {}
    for point in points:
        for source in point.sources:
            by_source.setdefault(source, []).append(point)
    return [
        kept
        for kept in must_keep(lines)
        if not any(recovers(point, kept, local) for point in by_source.get(kept.line.id, ()))
    ]


def kept_verbatim(missing: Iterable[Kept]) -> list[Point]:
    """Return lines as points, word for word, each once."""
    once = {(kept.line.id, kept.text): kept for kept in missing}
    return [point_from(PointKind.KEPT, kept.text, *kept.lines) for kept in once.values()]


def recovers(point: Point, kept: Kept, local: set[str]) -> bool:
    """Tell whether a point has the words of a line, and for all who may see that line."""
    if not set(point.speakers) <= {USER, kept.line.speaker}:
        return False
    if not kept.line.local_only and not local.isdisjoint(point.sources):
        return False
    words = folded(kept.words)
    return not words or f" {words} " in f" {folded(point.text)} "


def is_needed(said: Said) -> bool:
    """Tell whether a sentence of a message that nobody pinned must not be lost."""
    if said.is_code or said.line.pinned:
        return False
    return said.counts or said.decides or said.reminds


def _rows(line: Line) -> list[Kept]:
    """Return a pinned message row by row, with all its marks: it is not for us to tidy."""
    rows = [row.strip() for row in line.text.splitlines() if row.strip()]
    return [Kept(line, row, row, (line,)) for row in rows]


def _in_context(said: Sequence[Said], index: int) -> Kept:
    whole = in_context(said, index)
    return Kept(said[index].line, said[index].text, text_of(whole), tuple(one.line for one in whole))
