"""Holding points to their sources: a model may name one message and tell what it read in another.

Who may read a point is decided by its sources, so a word that was said only in
a reply of another lane, or only to local models, brings that source with it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tertulia.memory.domain import POINT_USER_SPEAKER, Point, PointKind, SourceMessage, build_point
from tertulia.memory.figures import find_figures, find_figures_uncached
from tertulia.memory.point_deduplication import combine_points
from tertulia.retrieval.index_words import content_words


@dataclass(frozen=True, slots=True)
class ShownText:
    """Something the model was shown, and where that comes from."""

    point: Point
    folded: str
    words: frozenset[str]
    is_local_only: bool


def attribute_sources(
    points: Iterable[Point], messages: Sequence[SourceMessage], earlier: Sequence[Point] = ()
) -> list[Point]:
    """Return points with all they draw on among their sources, without those whose figures nobody said."""
    shown = [_message_text(line) for line in messages]
    # Who may read what stood in an earlier point is not known here, so that it always counts as a source.
    shown += [_shown_text(point, local=True) for point in earlier]
    return [found for point in points if (found := _attribute_point(point, shown)) is not None]


def _attribute_point(point: Point, shown: Sequence[ShownText]) -> Point | None:
    numbers = find_figures(point.text)
    for word in dict.fromkeys((*numbers, *content_words(point.text))):
        saying = [shown_text for shown_text in shown if word in shown_text.words]
        if not saying and word in numbers:
            # A port may have been said as the end of an address.
            saying = [shown_text for shown_text in shown if word in shown_text.folded]
            if not saying:
                return None
        if saying and not any(_is_covered(point, shown_text, shown) for shown_text in saying):
            point = _with_source(point, saying[0])
    return point


def _is_covered(point: Point, text: ShownText, shown: Sequence[ShownText]) -> bool:
    """Tell whether everyone who may read a point may read this as well."""
    if set(text.point.sources) <= set(point.sources):
        return True
    if not set(text.point.speakers) <= {POINT_USER_SPEAKER, *point.speakers}:
        return False
    return not text.is_local_only or any(
        other.is_local_only and not set(other.point.sources).isdisjoint(point.sources) for other in shown
    )


def _with_source(point: Point, text: ShownText) -> Point:
    """Return a point that also names where this comes from; its own text stays."""
    both = combine_points(point, text.point)
    return Point(point.kind, point.text, both.sources, both.rounds, both.speakers)


def _message_text(message: SourceMessage) -> ShownText:
    return _shown_text(build_point(PointKind.KEPT, message.text, message), local=message.local_only)


def _shown_text(point: Point, *, local: bool) -> ShownText:
    words = frozenset((*find_figures_uncached(point.text), *content_words(point.text)))
    return ShownText(point, point.text.casefold(), words, local)
