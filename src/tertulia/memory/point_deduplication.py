"""Saying once what was said twice."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from functools import lru_cache

from tertulia.memory.domain import Point, PointKind
from tertulia.memory.later_words import statement_of
from tertulia.memory.point_authors import NO_AUTHORS, MessageAuthors, authors_of

#: Of two kinds for the same words the later one stays.
POINT_KIND_PRECEDENCE = (
    PointKind.TOPIC,
    PointKind.ENTITY,
    PointKind.QUESTION,
    PointKind.KEPT,
    PointKind.CREATED,
    PointKind.COMMITMENT,
    PointKind.PREFERENCE,
    PointKind.DECISION,
)
PointGroupKey = tuple[frozenset[str], bool, frozenset[str]]
PUNCTUATION_CHARS = ".,;:!?…\"'“”()"


class PointGroup:
    """Points that the same people may read, none of which says all that another does.

    They are looked up by their words: comparing each with each takes long where they are many.
    """

    def __init__(self) -> None:
        self._points: dict[int, Point] = {}
        self._by_word: defaultdict[str, set[int]] = defaultdict(set)
        self._by_first_word: defaultdict[str, set[int]] = defaultdict(set)
        self._added = 0

    @property
    def points(self) -> list[Point]:
        """Return the points in the order in which they came."""
        return list(self._points.values())

    def add(self, point: Point) -> None:
        """Add a point that says something of its own."""
        words = fold_text(point.text).split()
        self._points[self._added] = point
        for word in words:
            self._by_word[word].add(self._added)
        if words:
            self._by_first_word[words[0]].add(self._added)
        self._added += 1

    def combine(self, point: Point) -> None:
        """Add a point: into the first that says it, or with all that it says."""
        words = fold_text(point.text).split()
        rarest = min((self._by_word[word] for word in words), key=len, default=set[int]())
        for place in sorted(rarest & self._points.keys()):
            if includes_text(self._points[place], point):
                self._points[place] = combine_points(self._points[place], point)
                return
        among = {place for word in words for place in self._by_first_word[word]}
        for place in sorted(among & self._points.keys()):
            if includes_text(point, self._points[place]):
                point = combine_points(self._points.pop(place), point)
        self.add(point)


def deduplicate_points(
    points: Sequence[Point], *, local: Collection[str] = (), authors: MessageAuthors = NO_AUTHORS
) -> list[Point]:
    """Return points with those joined of which one says all that the other does, to the same people.

    Those that are stored were held against each other before.
    """
    groups: defaultdict[PointGroupKey, PointGroup] = defaultdict(PointGroup)
    for point in points:
        if point.id:
            groups[group_key(point, local, authors)].add(point)
    for point in points:
        if not point.id:
            groups[group_key(point, local, authors)].combine(point)
    return [point for group in groups.values() for point in group.points]


def deduplicate_equal_points(
    points: Sequence[Point], *, local: Collection[str] = (), authors: MessageAuthors = NO_AUTHORS
) -> list[Point]:
    """Return points with those joined that say the same to the same people: quick, for very many of them."""
    once: dict[tuple[PointGroupKey, str], Point] = {}
    for point in points:
        key = group_key(point, local, authors), fold_text(point.text)
        once[key] = combine_points(once[key], point) if key in once else point
    return list(once.values())


def group_key(point: Point, local: Collection[str], authors: MessageAuthors) -> PointGroupKey:
    """Return what decides who may read a point, and whose words it is: only such points are joined."""
    is_local = any(source in local for source in point.sources)
    return frozenset(point.speakers), is_local, authors_of(point, authors)


def includes_text(point: Point, other: Point) -> bool:
    """Tell whether one point says all that another does, between words; not in what took it back."""
    longer, shorter = fold_text(statement_of(point.text)), fold_text(statement_of(other.text))
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
    both = Point(
        kind=kind,
        text=text,
        sources=[source for source, _ in ordered],
        rounds=[number for _, (number, _) in ordered],
        speakers=[speaker for _, (_, speaker) in ordered],
    )
    # One of them that says it all stays as it is stored.
    return first if both == first else other if both == other else both
