"""Whether a summary still holds what must not be lost: pinned lines, decisions and figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tertulia.memory.domain import USER, Line, Point, PointKind, point_from
from tertulia.memory.figures import figures
from tertulia.memory.said import Said, all_said, in_context, text_of
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
    #: The messages its text stands in: its own, and the question where it says little without it.
    lines: tuple[Line, ...]


def must_keep(lines: Sequence[Line]) -> list[Kept]:
    """Return what must not be lost: pinned lines, decisions, what was asked to be remembered, figures."""
    said = all_said(lines)
    needed = [_in_context(said, index) for index, one in enumerate(said) if is_needed(one)]
    pinned = [kept for line in lines if line.pinned for kept in _rows(line)]
    place = {line.id: index for index, line in enumerate(lines)}
    return sorted([*pinned, *needed], key=lambda kept: place[kept.line.id])


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
    return [point_from(PointKind.KEPT, kept.text, *kept.lines) for kept in once.values()]


def recovers(point: Point, kept: Kept, local: set[str]) -> bool:
    """Tell whether a point says what a line said, and to all who may see that line."""
    if not set(point.speakers) <= {USER, kept.line.speaker}:
        return False
    if not kept.line.local_only and not local.isdisjoint(point.sources):
        return False
    if kept.figures:
        return kept.figures <= set(figures(point.text))
    return len(kept.words & set(content_words(point.text))) >= ENOUGH * len(kept.words)


def is_needed(said: Said) -> bool:
    """Tell whether a sentence of a message that nobody pinned must not be lost."""
    if said.is_code or said.line.pinned:
        return False
    return said.counts or said.decides or said.reminds


def _rows(line: Line) -> list[Kept]:
    """Return a pinned message row by row, with all its marks: it is not for us to tidy."""
    return [_kept(row.strip(), line, (line,)) for row in line.text.splitlines() if row.strip()]


def _in_context(said: Sequence[Said], index: int) -> Kept:
    whole = in_context(said, index)
    kept = _kept(said[index].text, said[index].line, tuple(one.line for one in whole))
    return replace(kept, text=text_of(whole))


def _kept(text: str, line: Line, lines: tuple[Line, ...]) -> Kept:
    return Kept(line, text, frozenset(figures(text)), frozenset(content_words(text)), lines)
