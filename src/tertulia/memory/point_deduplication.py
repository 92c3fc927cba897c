"""Saying once what was said twice."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import lru_cache

from tertulia.memory.domain import Point, PointKind

#: Of two kinds for the same words the later one stays.
POINT_KIND_PRECEDENCE = (
    PointKind.TOPIC,
    PointKind.ENTITY,
    PointKind.QUESTION,
    PointKind.KEPT,
    PointKind.CREATED,
    PointKind.PREFERENCE,
    PointKind.DECISION,
)
PointReaders = tuple[frozenset[str], bool]
PUNCTUATION_CHARS = ".,;:!?…\"'“”()"


def deduplicate_points(points: Sequence[Point], *, local: Collection[str] = ()) -> list[Point]:
    """Return points with those joined of which one says all that the other does, to the same people."""
    groups: dict[PointReaders, list[Point]] = {}
    for point in points:
        _add_or_combine(groups.setdefault(point_readers(point, local), []), point)
    return [point for group in groups.values() for point in group]


def deduplicate_equal_points(points: Sequence[Point], *, local: Collection[str] = ()) -> list[Point]:
    """Return points with those joined that say the same to the same people: quick, for very many of them."""
    once: dict[tuple[PointReaders, str], Point] = {}
    for point in points:
        key = point_readers(point, local), fold_text(point.text)
        once[key] = combine_points(once[key], point) if key in once else point
    return list(once.values())


def point_readers(point: Point, local: Collection[str]) -> PointReaders:
    """Return what decides who may read a point: who said it, and whether to local models alone."""
    return frozenset(point.speakers), any(source in local for source in point.sources)


def _add_or_combine(group: list[Point], point: Point) -> None:
    """Add a point to those of the same people: into the first that says it, or with all that it says."""
    for place, other in enumerate(group):
        if includes_text(other, point):
            group[place] = combine_points(other, point)
            return
    for other in [other for other in group if includes_text(point, other)]:
        group.remove(other)
        point = combine_points(other, point)
    group.append(point)


def includes_text(point: Point, other: Point) -> bool:
    """Tell whether the text of one point holds all of another's, between words."""
    longer, shorter = fold_text(point.text), fold_text(other.text)
    return bool(shorter) and f" {shorter} " in f" {longer} "


@lru_cache(4096)
def fold_text(text: str) -> str:
    """Return a text as it is compared: in small letters, without the marks around its words."""
    return " ".join(filter(None, (word.strip(PUNCTUATION_CHARS) for word in text.casefold().split())))


def combine_points(first: Point, other: Point) -> Point:
    """Return two points as one: the longer text, the weightier kind, all sources in order."""
    text = max((first, other), key=lambda point: len(fold_text(point.text))).text
    kind = max((first, other), key=lambda point: POINT_KIND_PRECEDENCE.index(point.kind)).kind
    known = {
        source: (number, speaker)
        for point in (first, other)
        for source, number, speaker in zip(point.sources, point.rounds, point.speakers, strict=True)
    }
    ordered = sorted(known.items(), key=lambda item: item[1][0])
    return replace(
        first,
        kind=kind,
        text=text,
        sources=[source for source, _ in ordered],
        rounds=[number for _, (number, _) in ordered],
        speakers=[speaker for _, (_, speaker) in ordered],
    )
