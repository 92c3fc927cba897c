"""Saying once what was said twice."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from tertulia.memory.domain import Point, PointKind

#: Of two kinds for the same words the later one stays.
ORDER = (
    PointKind.TOPIC,
    PointKind.ENTITY,
    PointKind.QUESTION,
    PointKind.KEPT,
    PointKind.CREATED,
    PointKind.PREFERENCE,
    PointKind.DECISION,
)
Readers = tuple[frozenset[str], bool]
MARKS = ".,;:!?…\"'“”()"


def join(points: Sequence[Point], *, local: Collection[str] = ()) -> list[Point]:
    """Return points with those joined of which one says all that the other does, to the same people."""
    groups: dict[Readers, list[Point]] = {}
    for point in points:
        _join_into(groups.setdefault(readers(point, local), []), point)
    return [point for group in groups.values() for point in group]


def join_equal(points: Sequence[Point], *, local: Collection[str] = ()) -> list[Point]:
    """Return points with those joined that say the same to the same people: quick, for very many of them."""
    once: dict[tuple[Readers, str], Point] = {}
    for point in points:
        key = readers(point, local), folded(point.text)
        once[key] = joined(once[key], point) if key in once else point
    return list(once.values())


def readers(point: Point, local: Collection[str]) -> Readers:
    """Return what decides who may read a point: who said it, and whether to local models alone."""
    return frozenset(point.speakers), any(source in local for source in point.sources)


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
    text = max((one, other), key=lambda point: len(folded(point.text))).text
    kind = max((one, other), key=lambda point: ORDER.index(point.kind)).kind
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
