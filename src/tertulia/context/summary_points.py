"""Which points of a summary a prompt shows: those that nothing else in it shows, as far as they fit."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from tertulia.context import prompts
from tertulia.memory.condensation import find_answered_questions, point_importance
from tertulia.memory.domain import Point
from tertulia.models.calls import PromptMessage
from tertulia.models.tokens import TokenCounter


@dataclass(slots=True)
class PointSelector:
    """The points that a lane may be shown, each counted once."""

    points: Sequence[Point]
    counter: TokenCounter
    #: Tokens that they may take at most.
    max_tokens: int
    #: What stands around points, with all headings that they may need.
    frame_tokens: int = field(init=False)
    _line_tokens: dict[int, int] = field(init=False)
    _ranks: dict[int, int] = field(default_factory=dict[int, int])

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
        """Return the points that matter most and fit, in their order."""
        room = min(room, self.max_tokens) - self.frame_tokens
        if sum(map(self._line, points)) <= room:
            return list(points)
        ranks = self._rank_points()
        order = sorted(range(len(points)), key=lambda index: ranks[id(points[index])], reverse=True)
        kept: list[int] = []
        for index in order:
            tokens = self._line(points[index])
            if tokens <= room:
                room -= tokens
                kept.append(index)
        return [points[index] for index in sorted(kept)]

    def tokens(self, points: Sequence[Point]) -> int:
        """Return what points take, with all that stands around them."""
        return sum(map(self._line, points)) + self.frame_tokens if points else 0

    def tokens_beside(self, shown: Collection[str], room: int) -> int:
        """Return what points would take in some room, beside messages that are shown themselves."""
        return self.tokens(self.select_best(self.not_shown_elsewhere(shown), room))

    def _rank_points(self) -> dict[int, int]:
        """Return how much each point matters against the others, found out once and only if it must be."""
        if not self._ranks:
            answered = find_answered_questions(self.points)
            places = range(len(self.points))
            order = sorted(places, key=lambda place: point_importance(self.points[place], place, answered))
            self._ranks = {id(self.points[place]): rank for rank, place in enumerate(order)}
        return self._ranks

    def _line(self, point: Point) -> int:
        return self._line_tokens[id(point)]
