"""Which points of a summary a prompt shows: those that nothing else in it shows, as far as there is room."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from tertulia.context import prompts
from tertulia.context.point_relevance import order_by_relevance
from tertulia.memory.domain import Point
from tertulia.memory.point_worth import Worth, assess_points, order_by_worth
from tertulia.models.calls import PromptMessage
from tertulia.models.tokens import TokenCounter

#: When not all points fit, those that the question is about have this share of the room first.
RELEVANT_POINTS_SHARE = 1 / 3


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
        lesser = self._find_lesser()
        lesser_room = self.lesser_max_tokens - sum(
            self._line(point) for point in taken if id(point) in lesser
        )
        fitting: list[Point] = []
        for point in order:
            tokens = self._line(point)
            if id(point) not in wanted or tokens > room or (id(point) in lesser and tokens > lesser_room):
                continue
            room -= tokens
            lesser_room -= tokens if id(point) in lesser else 0
            fitting.append(point)
        return fitting

    def _by_relevance(self) -> list[Point]:
        """Return the points that the question is about, found out once and only if it must be."""
        if self._relevant is None:
            order = order_by_relevance(self.points, self.question, self.found, self.found_points)
            self._relevant = [self.points[place] for place in order]
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
