"""Making points fit: what was said twice is said once, and what matters least goes."""

from collections.abc import Collection, Sequence
from functools import lru_cache

from tertulia.memory.cues import is_reminder
from tertulia.memory.domain import POINT_USER_SPEAKER, Point, PointKind
from tertulia.memory.figures import find_figures, has_weighty_figure
from tertulia.memory.point_deduplication import deduplicate_equal_points, deduplicate_points
from tertulia.memory.point_tokens import POINT_OVERHEAD_TOKENS, count_point_tokens, count_points_tokens
from tertulia.retrieval.index_words import content_words

#: What survives longest comes last.
POINT_KIND_RANKS = {
    PointKind.TOPIC: 0,
    PointKind.ENTITY: 1,
    PointKind.QUESTION: 2,
    PointKind.CREATED: 3,
    PointKind.KEPT: 3,
    PointKind.PREFERENCE: 3,
    PointKind.DECISION: 3,
}
POINT_RANK_MAX = 3
FIRM_POINT_KINDS = frozenset((PointKind.DECISION, PointKind.PREFERENCE))
#: So many times the tokens there are, points are looked at closely.
PRESELECTED_TOKENS_FACTOR = 5
#: A question is answered when a later point has this share of its words.
ANSWERED_WORDS_MIN_SHARE = 0.6


def condense_points(points: Sequence[Point], *, max_tokens: int, local: Collection[str] = ()) -> list[Point]:
    """Return the points that matter most within a number of tokens, in order.

    What was said in the `local` messages is never joined with what others said: it would be hidden with it.
    """
    likely = preselect_points(deduplicate_equal_points(points, local=local), max_tokens=max_tokens)
    once = sort_by_round(deduplicate_points(likely, local=local))
    answered = find_answered_questions(once)
    ranks = [point_importance(point, index, answered) for index, point in enumerate(once)]
    order = sorted(range(len(once)), key=lambda index: ranks[index], reverse=True)
    firm = select_fitting(once, [index for index in order if ranks[index][0] == POINT_RANK_MAX], max_tokens)
    left = max_tokens - count_points_tokens(once[index] for index in firm)
    rest = select_lesser_points(once, [index for index in order if ranks[index][0] < POINT_RANK_MAX], left)
    return [once[index] for index in sorted([*firm, *rest])]


def preselect_points(points: Sequence[Point], *, max_tokens: int) -> list[Point]:
    """Return the points that have a chance: many more than fit, not so many that joining them takes long."""
    ordered = sort_by_round([point for point in points if count_point_tokens(point.text) <= max_tokens])
    ranks = [point_importance(point, index, ()) for index, point in enumerate(ordered)]
    order = sorted(range(len(ordered)), key=lambda index: ranks[index], reverse=True)
    return [
        ordered[index]
        for index in sorted(select_fitting(ordered, order, PRESELECTED_TOKENS_FACTOR * max_tokens))
    ]


def select_lesser_points(points: Sequence[Point], order: Sequence[int], max_tokens: int) -> list[int]:
    """Return the places of lesser points that fit; kept lines take half of the room if others want it."""
    kept = [index for index in order if points[index].kind is PointKind.KEPT]
    others = [index for index in order if points[index].kind is not PointKind.KEPT]
    chosen = select_fitting(points, kept, max_tokens // 2)
    for more in (others, kept):
        left = max_tokens - count_points_tokens(points[index] for index in chosen)
        chosen += select_fitting(points, [index for index in more if index not in chosen], left)
    return chosen


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
    return sorted(points, key=lambda point: max(point.rounds, default=0))


def point_importance(point: Point, index: int, answered: Collection[int]) -> tuple[int, bool, bool, int]:
    """Return what decides which of two points stays; of equal ones the newer."""
    by_user = POINT_USER_SPEAKER in point.speakers
    rank = 0 if index in answered else point_rank(point, by_user=by_user)
    return rank, by_user and rank > 0, point.kind in FIRM_POINT_KINDS, index


def point_rank(point: Point, *, by_user: bool) -> int:
    """Return how long a point survives: what the person told, longer than what models said by the way."""
    rank = POINT_KIND_RANKS[point.kind]
    if point.kind in (PointKind.TOPIC, PointKind.ENTITY):
        if by_user and (find_figures(point.text) or is_reminder(point.text, by_user=True)):
            return POINT_RANK_MAX
        return 2 if (by_user and rank) or has_weighty_figure(point.text) else rank
    return 2 if point.kind is PointKind.KEPT and not by_user else rank


@lru_cache(4096)
def point_words(text: str) -> frozenset[str]:
    """Return the telling words of a point; the same points are looked at turn after turn."""
    return frozenset(content_words(text))


def find_answered_questions(points: Sequence[Point]) -> set[int]:
    """Return the places of questions of which a later point has most words."""
    words = [point_words(point.text) for point in points]
    return {
        index
        for index, point in enumerate(points)
        if point.kind is PointKind.QUESTION
        and any(
            len(words[index] & words[later]) >= ANSWERED_WORDS_MIN_SHARE * len(words[index])
            for later in range(index + 1, len(points))
            if points[later].kind is not PointKind.QUESTION
        )
    }
