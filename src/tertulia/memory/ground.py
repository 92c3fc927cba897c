"""Holding points to their sources: a model may name one message and tell what it read in another.

Who may read a point is decided by its sources, so a word that was said only in
a reply of another lane, or only to local models, brings that source with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertulia.memory.domain import USER, Line, Point, PointKind, point_from
from tertulia.memory.figures import all_figures, figures
from tertulia.memory.join import joined
from tertulia.retrieval.words import content_words


@dataclass(frozen=True, slots=True)
class Shown:
    """Something the model was shown, and where that comes from."""

    point: Point
    folded: str
    words: frozenset[str]
    local: bool


def ground(points: Iterable[Point], lines: Sequence[Line], earlier: Sequence[Point] = ()) -> list[Point]:
    """Return points with all they draw on among their sources, without those whose figures nobody said."""
    shown = [_of_line(line) for line in lines]
    # Who may read what stood in an earlier point is not known here, so that it always counts as a source.
    shown += [_shown(point, local=True) for point in earlier]
    return [found for point in points if (found := _grounded(point, shown)) is not None]


def _grounded(point: Point, shown: Sequence[Shown]) -> Point | None:
    numbers = figures(point.text)
    for word in dict.fromkeys((*numbers, *content_words(point.text))):
        saying = [one for one in shown if word in one.words]
        if not saying and word in numbers:
            # A port may have been said as the end of an address.
            saying = [one for one in shown if word in one.folded]
            if not saying:
                return None
        if saying and not any(_covers(point, one, shown) for one in saying):
            point = _with_source(point, saying[0])
    return point


def _covers(point: Point, one: Shown, shown: Sequence[Shown]) -> bool:
    """Tell whether everyone who may read a point may read this as well."""
    if set(one.point.sources) <= set(point.sources):
        return True
    if not set(one.point.speakers) <= {USER, *point.speakers}:
        return False
    return not one.local or any(
        other.local and not set(other.point.sources).isdisjoint(point.sources) for other in shown
    )


def _with_source(point: Point, one: Shown) -> Point:
    """Return a point that also names where this comes from; its own text stays."""
    both = joined(point, one.point)
    return Point(point.kind, point.text, both.sources, both.rounds, both.speakers)


def _of_line(line: Line) -> Shown:
    return _shown(point_from(PointKind.KEPT, line.text, line), local=line.local_only)


def _shown(point: Point, *, local: bool) -> Shown:
    words = frozenset((*all_figures(point.text), *content_words(point.text)))
    return Shown(point, point.text.casefold(), words, local)
