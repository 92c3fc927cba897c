"""Making points fit: what was said twice is said once, and what is worth least goes."""

from collections.abc import Collection, Sequence

from tertulia.memory.domain import Point
from tertulia.memory.point_authors import NO_AUTHORS, MessageAuthors
from tertulia.memory.point_deduplication import deduplicate_equal_points, deduplicate_points
from tertulia.memory.point_tokens import POINT_OVERHEAD_TOKENS, count_point_tokens
from tertulia.memory.point_worth import assess_points, order_by_worth

#: So many times the tokens there are, points are looked at closely.
PRESELECTED_TOKENS_FACTOR = 5


def condense_points(
    points: Sequence[Point],
    *,
    max_tokens: int,
    local: Collection[str] = (),
    authors: MessageAuthors = NO_AUTHORS,
) -> list[Point]:
    """Return the points of most worth within a number of tokens, in order.

    What was said in the `local` messages is never joined with what others said: it would be hidden with it.
    Nor is what different people said, where `authors` tells who did.
    """
    equal = deduplicate_equal_points(points, local=local, authors=authors)
    preselected = PRESELECTED_TOKENS_FACTOR * max_tokens
    likely = select_within(equal, max_tokens=preselected, longest=max_tokens, authors=authors)
    once = deduplicate_points(likely, local=local, authors=authors)
    return select_within(once, max_tokens=max_tokens, longest=max_tokens, authors=authors)


def select_within(
    points: Sequence[Point], *, max_tokens: int, longest: int, authors: MessageAuthors = NO_AUTHORS
) -> list[Point]:
    """Return the points of most worth within a number of tokens, in order, none longer than `longest`."""
    ordered = sort_by_round([point for point in points if count_point_tokens(point.text) <= longest])
    order = order_by_worth(ordered, assess_points(ordered, authors))
    return [ordered[index] for index in sorted(select_fitting(ordered, order, max_tokens))]


def select_fitting(points: Sequence[Point], order: Sequence[int], max_tokens: int) -> list[int]:
    """Return the places of the points that fit, the first in the order before the others."""
    chosen: list[int] = []
    for index in order:
        if max_tokens <= POINT_OVERHEAD_TOKENS:
            break
        if (price := count_point_tokens(points[index].text)) <= max_tokens:
            max_tokens -= price
            chosen.append(index)
    return chosen


def sort_by_round(points: Sequence[Point]) -> list[Point]:
    """Return points in the order in which they were said."""
    return sorted(points, key=lambda point: point.last_round)
