"""Making points fit: what was said twice is said once, and what matters least goes."""

from collections.abc import Collection, Sequence
from functools import lru_cache

from tertulia.memory.cues import reminds
from tertulia.memory.domain import USER, Point, PointKind
from tertulia.memory.figures import figures, is_weighty
from tertulia.memory.join import join, join_equal
from tertulia.memory.measure import AROUND, cost, total
from tertulia.retrieval.words import content_words

#: What survives longest comes last.
RANKS = {
    PointKind.TOPIC: 0,
    PointKind.ENTITY: 1,
    PointKind.QUESTION: 2,
    PointKind.CREATED: 3,
    PointKind.KEPT: 3,
    PointKind.PREFERENCE: 3,
    PointKind.DECISION: 3,
}
FIRMEST = 3
FIRM = frozenset((PointKind.DECISION, PointKind.PREFERENCE))
#: So many times the tokens there are, points are looked at closely.
WITHIN_REACH = 5
#: A question is answered when a later point has this share of its words.
ANSWERED = 0.6


def condense(points: Sequence[Point], *, most_tokens: int, local: Collection[str] = ()) -> list[Point]:
    """Return the points that matter most within a number of tokens, in order.

    What was said in the `local` messages is never joined with what others said: it would be hidden with it.
    """
    likely = within_reach(join_equal(points, local=local), most_tokens=most_tokens)
    once = in_order(join(likely, local=local))
    answered = answered_questions(once)
    ranks = [importance(point, index, answered) for index, point in enumerate(once)]
    order = sorted(range(len(once)), key=lambda index: ranks[index], reverse=True)
    firm = fill(once, [index for index in order if ranks[index][0] == FIRMEST], most_tokens)
    left = most_tokens - total(once[index] for index in firm)
    rest = shared_out(once, [index for index in order if ranks[index][0] < FIRMEST], left)
    return [once[index] for index in sorted([*firm, *rest])]


def within_reach(points: Sequence[Point], *, most_tokens: int) -> list[Point]:
    """Return the points that have a chance: many more than fit, not so many that joining them takes long."""
    ordered = in_order([point for point in points if cost(point.text) <= most_tokens])
    ranks = [importance(point, index, ()) for index, point in enumerate(ordered)]
    order = sorted(range(len(ordered)), key=lambda index: ranks[index], reverse=True)
    return [ordered[index] for index in sorted(fill(ordered, order, WITHIN_REACH * most_tokens))]


def shared_out(points: Sequence[Point], order: Sequence[int], room: int) -> list[int]:
    """Return the places of lesser points that fit; kept lines take half of the room if others want it."""
    kept = [index for index in order if points[index].kind is PointKind.KEPT]
    others = [index for index in order if points[index].kind is not PointKind.KEPT]
    chosen = fill(points, kept, room // 2)
    for more in (others, kept):
        left = room - total(points[index] for index in chosen)
        chosen += fill(points, [index for index in more if index not in chosen], left)
    return chosen


def fill(points: Sequence[Point], order: Sequence[int], room: int) -> list[int]:
    """Return the places of the points that fit, the first in the order before the others."""
    chosen: list[int] = []
    for index in order:
        if room <= AROUND:
            break
        if (price := cost(points[index].text)) <= room:
            room -= price
            chosen.append(index)
    return chosen


def in_order(points: Sequence[Point]) -> list[Point]:
    """Return points in the order in which they were said."""
    return sorted(points, key=lambda point: max(point.rounds, default=0))


def importance(point: Point, index: int, answered: Collection[int]) -> tuple[int, bool, bool, int]:
    """Return what decides which of two points stays; of equal ones the newer."""
    by_user = USER in point.speakers
    rank = 0 if index in answered else rank_of(point, by_user=by_user)
    return rank, by_user and rank > 0, point.kind in FIRM, index


def rank_of(point: Point, *, by_user: bool) -> int:
    """Return how long a point survives: what the person told, longer than what models said by the way."""
    rank = RANKS[point.kind]
    if point.kind in (PointKind.TOPIC, PointKind.ENTITY):
        if by_user and (figures(point.text) or reminds(point.text, by_user=True)):
            return FIRMEST
        return 2 if (by_user and rank) or is_weighty(point.text) else rank
    return 2 if point.kind is PointKind.KEPT and not by_user else rank


@lru_cache(4096)
def words_of(text: str) -> frozenset[str]:
    """Return the telling words of a point; the same points are looked at turn after turn."""
    return frozenset(content_words(text))


def answered_questions(points: Sequence[Point]) -> set[int]:
    """Return the places of questions of which a later point has most words."""
    words = [words_of(point.text) for point in points]
    return {
        index
        for index, point in enumerate(points)
        if point.kind is PointKind.QUESTION
        and any(
            len(words[index] & words[later]) >= ANSWERED * len(words[index])
            for later in range(index + 1, len(points))
            if points[later].kind is not PointKind.QUESTION
        )
    }
