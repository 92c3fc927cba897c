"""Which points of a summary a prompt shows: those that nothing else in it shows, as far as there is room.

A statement of the person comes with what they said later on the same matter, or not at all.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from tertulia.context import prompts
from tertulia.context.point_relevance import order_by_relevance
from tertulia.memory.domain import Point
from tertulia.memory.point_worth import Worth, assess_points, order_by_worth, series_of
from tertulia.memory.same_matter import find_later_statements, with_later_statements
from tertulia.models.calls import PromptMessage
from tertulia.models.tokens import TokenCounter

#: When not all points fit, those that the question is about have this share of the room first.
RELEVANT_POINTS_SHARE = 1 / 3
#: Of points that differ in their figures alone, so many are what a question is about.
RELEVANT_SERIES_POINTS_MAX = 3


@dataclass(slots=True)
class PointSelector:
    """The points that a lane may be shown, each counted once."""

    points: Sequence[Point]
    counter: TokenCounter
    question: str
    #: Messages, and texts that tell points, which search found for the question, the best first.
    found: Sequence[str]
    found_points: Sequence[str]
    #: Tokens that they may take at most, and those of them that are of little worth.
    max_tokens: int
    lesser_max_tokens: int
    #: What stands around points, with all headings that they may need.
    frame_tokens: int = field(init=False)
    _line_tokens: dict[int, int] = field(init=False)
    _relevant: list[Point] | None = None
    _worthy: list[Point] | None = None
    _lesser: frozenset[int] | None = None
    _worths: list[Worth] | None = None
    _groups: dict[int, list[Point]] | None = None

    def __post_init__(self) -> None:
        self.frame_tokens = self.counter.message(PromptMessage("user", prompts.summary_frame(self.points)))
        self._line_tokens = {
            id(point): self.counter.text(prompts.point_line(point)) + 1 for point in self.points
        }

    def not_shown_elsewhere(self, shown: Collection[str]) -> list[Point]:
        """Return the points that are not all in messages which are shown themselves."""
        known = set(shown)
        return [point for point in self.points if not known.issuperset(point.sources)]

    def select_best(self, points: Sequence[Point], room: int) -> list[Point]:
        """Return the points that the question is about and those of most worth, as far as they fit."""
        room = min(room, self.max_tokens) - self.frame_tokens
        if sum(map(self._line, points)) <= min(room, self.lesser_max_tokens):
            return list(points)
        relevant = self._take(self._by_relevance(), points, int(room * RELEVANT_POINTS_SHARE))
        room -= sum(map(self._line, relevant))
        worthy = self._take(self._by_worth(), points, room, taken=relevant)
        chosen = {id(point) for point in (*relevant, *worthy)}
        return [point for point in points if id(point) in chosen]

    def tokens(self, points: Sequence[Point]) -> int:
        """Return what points take, with all that stands around them."""
        return sum(map(self._line, points)) + self.frame_tokens if points else 0

    def tokens_beside(self, shown: Collection[str], room: int) -> int:
        """Return what points would take in some room, beside messages that are shown themselves."""
        return self.tokens(self.select_best(self.not_shown_elsewhere(shown), room))

    def _take(
        self, order: Iterable[Point], points: Iterable[Point], room: int, *, taken: Sequence[Point] = ()
    ) -> list[Point]:
        """Return the first of some points that fit; of lesser ones not too many, beside those taken."""
        wanted = {id(point) for point in points} - {id(point) for point in taken}
        lesser, groups = self._find_lesser(), self._find_groups()
        lesser_room = self.lesser_max_tokens - sum(
            self._line(point) for point in taken if id(point) in lesser
        )
        fitting: list[Point] = []
        for point in order:
            key = id(point)
            if key not in wanted:
                continue
            told = [other for other in groups[key] if id(other) in wanted] if key in groups else [point]
            tokens = sum(map(self._line, told))
            if tokens > room or (key in lesser and tokens > lesser_room):
                continue
            room -= tokens
            lesser_room -= tokens if key in lesser else 0
            wanted.difference_update(map(id, told))
            fitting += told
        return fitting

    def _find_groups(self) -> dict[int, list[Point]]:
        """Return points with what was said later on their matter, by their ids, found out once for all."""
        if self._groups is None:
            later = find_later_statements(self.points)
            self._groups = {
                id(self.points[place]): [self.points[told] for told in with_later_statements(place, later)]
                for place in later
            }
        return self._groups

    def _by_relevance(self) -> list[Point]:
        """Return the points that the question is about, found out once and only if it must be."""
        if self._relevant is None:
            order = order_by_relevance(
                self.points, self.question, self.found, self.found_points, lesser=self._find_lesser()
            )
            self._relevant = first_of_each_series([self.points[place] for place in order])
        return self._relevant

    def _by_worth(self) -> list[Point]:
        """Return the points, the one of most worth first, found out once and only if it must be."""
        if self._worthy is None:
            self._worthy = [self.points[place] for place in order_by_worth(self.points, self._assess())]
        return self._worthy

    def _find_lesser(self) -> frozenset[int]:
        """Return which points are neither looked up again nor binding, found out once."""
        if self._lesser is None:
            worths = zip(self.points, self._assess(), strict=True)
            self._lesser = frozenset(id(point) for point, worth in worths if worth < Worth.REFERENCE)
        return self._lesser

    def _assess(self) -> list[Worth]:
        if self._worths is None:
            self._worths = assess_points(self.points)
        return self._worths

    def _line(self, point: Point) -> int:
        return self._line_tokens[id(point)]


def first_of_each_series(points: Sequence[Point]) -> list[Point]:
    """Return points in their order, of each series only the first few: the others say nothing else."""
    told: Counter[frozenset[str]] = Counter()
    kept: list[Point] = []
    for point in points:
        series = series_of(point.text)
        told[series] += 1
        if told[series] <= RELEVANT_SERIES_POINTS_MAX:
            kept.append(point)
    return kept
