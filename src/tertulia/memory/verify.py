"""Whether a summary still holds what must not be lost: pinned lines, decisions and figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertulia.memory.domain import USER, Line, Point, PointKind, point_from
from tertulia.memory.figures import figures
from tertulia.memory.salience import Said, in_context, said_in
from tertulia.retrieval.words import content_words

#: A line without figures is still there when a point has this share of its words.
ENOUGH = 0.6


@dataclass(frozen=True, slots=True)
class Kept:
    """A line that must be recoverable from a summary: all its figures, or else most of its words."""

    line: Line
    text: str
    figures: frozenset[str]
    words: frozenset[str]


def must_keep(lines: Sequence[Line]) -> list[Kept]:
    """Return what must not be lost: pinned lines, decisions, what was asked to be remembered, figures."""
    return [kept for line in lines for kept in _of_line(line)]


def missing(points: Sequence[Point], lines: Sequence[Line]) -> list[Kept]:
    """Return what cannot be recovered from any one point."""
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
    return [point_from(PointKind.KEPT, kept.text, kept.line) for kept in once.values()]


def recovers(point: Point, kept: Kept, local: set[str]) -> bool:
    """Tell whether a point says what a line said, and to all who may see that line."""
    if not set(point.speakers) <= {USER, kept.line.speaker}:
        return False
    if not kept.line.local_only and not local.isdisjoint(point.sources):
        return False
    if kept.figures:
        return kept.figures <= set(figures(point.text))
    return len(kept.words & set(content_words(point.text))) >= ENOUGH * len(kept.words)


def _of_line(line: Line) -> list[Kept]:
    if line.pinned:
        # Row by row and with all its marks: what someone pinned is not for us to tidy.
        return [_kept(line, row.strip()) for row in line.text.splitlines() if row.strip()]
    said = said_in(line)
    return [_kept(line, in_context(said, index)) for index, one in enumerate(said) if is_needed(one)]


def is_needed(said: Said) -> bool:
    """Tell whether a sentence of a message that nobody pinned must not be lost."""
    if said.is_code:
        return False
    return said.counts or said.decides or said.reminds


def _kept(line: Line, text: str) -> Kept:
    return Kept(line, text, frozenset(figures(text)), frozenset(content_words(text)))
