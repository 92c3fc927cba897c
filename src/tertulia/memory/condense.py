"""Making points fit: what was said twice is said once, and what matters least goes."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from tertulia.memory.domain import USER, Point, PointKind
from tertulia.memory.figures import figures
from tertulia.memory.measure import AROUND, cost
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
FIRM = frozenset((PointKind.DECISION, PointKind.PREFERENCE))
MARKS = ".,;:!?…\"'“”()"
#: A question is answered when a later point has this share of its words.
ANSWERED = 0.6


def condense(points: Sequence[Point], *, most_tokens: int, local: Collection[str] = ()) -> list[Point]:
    """Return the points that matter most within a number of tokens, in order.

    What was said in the `local` messages is never joined with what others said: it would be hidden with it.
    """
    joined = in_order(join(points, local=local))
    answered = answered_questions(joined)
    room, chosen = most_tokens, list[int]()
    for index in sorted(
        range(len(joined)), key=lambda one: importance(joined[one], one, answered), reverse=True
    ):
        if room <= AROUND:
            break
        if (price := cost(joined[index].text)) <= room:
            room -= price
            chosen.append(index)
    return [joined[index] for index in sorted(chosen)]


def in_order(points: Sequence[Point]) -> list[Point]:
    """Return points in the order in which they were said."""
    return sorted(points, key=lambda point: max(point.rounds, default=0))


def importance(point: Point, index: int, answered: Collection[int]) -> tuple[int, bool, bool, int]:
    """Return what decides which of two points stays; of equal ones the newer."""
    if index in answered:
        return 0, False, False, index
    by_user = USER in point.speakers
    rank = RANKS[point.kind]
    if point.kind is not PointKind.QUESTION and rank < 3 and figures(point.text):
        rank = 3 if by_user else 2
    return rank, by_user, point.kind in FIRM, index


def answered_questions(points: Sequence[Point]) -> set[int]:
    """Return the places of questions of which a later point has most words."""
    words = [frozenset(content_words(point.text)) for point in points]
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


def join(points: Sequence[Point], *, local: Collection[str] = ()) -> list[Point]:
    """Return points with those joined of which one says all that the other does, to the same people."""
    groups: dict[tuple[frozenset[str], bool], list[Point]] = {}
    for point in points:
        hidden = any(source in local for source in point.sources)
        _join_into(groups.setdefault((frozenset(point.speakers), hidden), []), point)
    return [point for group in groups.values() for point in group]


def _join_into(group: list[Point], point: Point) -> None:
    """Add a point to those of the same people: into the first that says it, or with all that it says."""
    for place, other in enumerate(group):
        if says(other, point):
            group[place] = joined(other, point)
            return
    for other in [other for other in group if says(point, other)]:
        group.remove(other)
        point = joined(other, point)
    group.append(point)


def says(one: Point, other: Point) -> bool:
    """Tell whether the text of one point holds all of another's, between words."""
    longer, shorter = folded(one.text), folded(other.text)
    return bool(shorter) and f" {shorter} " in f" {longer} "


@lru_cache(4096)
def folded(text: str) -> str:
    """Return a text as it is compared: in small letters, without the marks around its words."""
    return " ".join(filter(None, (word.strip(MARKS) for word in text.casefold().split())))


def joined(one: Point, other: Point) -> Point:
    """Return two points as one: the longer text, the weightier kind, all sources in order."""
    text = max((one, other), key=lambda point: len(point.text)).text
    kind = max((one, other), key=lambda point: RANKS[point.kind]).kind
    known = {
        source: (number, speaker)
        for point in (one, other)
        for source, number, speaker in zip(point.sources, point.rounds, point.speakers, strict=True)
    }
    ordered = sorted(known.items(), key=lambda item: item[1][0])
    return replace(
        one,
        kind=kind,
        text=text,
        sources=[source for source, _ in ordered],
        rounds=[number for _, (number, _) in ordered],
        speakers=[speaker for _, (_, speaker) in ordered],
    )
