"""Choosing what a prompt shows of the conversation: pinned messages, recent rounds, points of the summary."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tertulia.context import plan_items, prompts
from tertulia.context.domain import PastRound, PinnedMessage
from tertulia.context.point_relevance import normalise_whitespace
from tertulia.context.prompt_plan import SectionKind, WhyNot
from tertulia.context.recent_rounds import (
    RenderedRound,
    RoundSelection,
    recent_rounds_of,
    render_round,
    select_rounds,
)
from tertulia.context.selection_state import SEPARATOR_TOKENS, SelectionState
from tertulia.context.summary_points import PointSelector
from tertulia.conversations.reversal_sentences import asks_for_history
from tertulia.memory.domain import Point
from tertulia.memory.later_words import has_later_words
from tertulia.memory.point_worth import Worth, assess_points

#: Where room is short, recent rounds leave this share of it to points, if there are any.
POINTS_CLAIM_SHARE = 0.4
#: What points of little worth may take that the question is not about, however much room there is.
LESSER_POINTS_MAX_SHARE = 0.25
LESSER_POINTS_MAX_TOKENS = 6_000


class RoundSelector:
    """Takes pinned messages, recent rounds and points into a prompt as far as they fit."""

    def __init__(self, state: SelectionState, *, room_for_past: int) -> None:
        self._state = state
        self._inputs = state.inputs
        self._selection = state.selection
        self._points = PointSelector(
            self._points_of_level(),
            state.counter,
            state.inputs.now.question,
            [recalled_passage.passage.source_id for recalled_passage in state.inputs.memory.found],
            state.inputs.memory.found_points,
            max_tokens=state.added,
            lesser_max_tokens=min(LESSER_POINTS_MAX_TOKENS, int(room_for_past * LESSER_POINTS_MAX_SHARE)),
        )

    def tokens_wanted(self) -> int:
        """Return the tokens of all rounds, pinned messages and points that are worth showing."""
        rounds = [self._render(past).item.tokens for past in self._recent()]
        pinned = list(map(self._pinned_tokens, self._inputs.pinned))
        frame = self._state.frame_tokens(SectionKind.PINNED) if pinned else 0
        return sum([*rounds, *pinned]) + frame + self._points.tokens_beside(set(), self._points_claim())

    def take_pinned(self) -> None:
        """Take the pinned messages that no recent round holds."""
        recent = frozenset[str]().union(*(past.message_ids for past in self._recent()))
        self._quote_pinned([message for message in self._inputs.pinned if message.id not in recent])

    def take_rounds(self) -> None:
        """Take recent rounds beside the points that there will be: fewer points, where rounds show them."""
        past = self._recent()
        window = list(map(self._render, past))
        quoted = {pinned_message.id for pinned_message in self._inputs.pinned} - {
            id_ for past_round in past for id_ in past_round.message_ids
        }
        for_points = self._points.tokens_beside(self._state.messages_shown(), self._points_claim())
        first = self._choose_rounds(window, for_points, quoted)
        shown = self._state.messages_shown() | message_ids_of(first)
        for_points = min(for_points, self._points.tokens_beside(shown, for_points))
        chosen = self._choose_rounds(window, for_points, quoted)
        self._state.take_rounds_tokens(sum(rendered_round.item.tokens for rendered_round in chosen.rounds))
        self._selection.rounds = chosen.rounds
        self._selection.pinned = [
            pinned_message
            for pinned_message in self._selection.pinned
            if pinned_message.id not in message_ids_of(chosen)
        ]
        for item, reason in chosen.left:
            self._state.leave_out(SectionKind.ROUNDS, item, reason)

    def take_points(self) -> None:
        """Take the points that nothing else in the prompt shows."""
        wanted = self._points.not_shown_elsewhere(self._state.messages_shown())
        self._points.max_tokens = self._state.added
        kept = self._points.select_best(wanted, self._state.room)
        self._selection.points = kept
        self._state.room -= self._points.tokens(kept)
        self._state.added -= self._points.tokens(kept)
        left = Counter({WhyNot.LEVEL: len(self._inputs.points) - len(self._points.points)})
        if missing := len(wanted) - len(kept):
            left[self._why_not_more_points(wanted, kept)] += missing
        for reason, count in left.items():
            if count:
                self._state.leave_out(SectionKind.SUMMARY, plan_items.of_points(count, reason), reason)

    def drop_points_found_too(self) -> None:
        """Let go of points whose words stand in a passage of the same message."""
        passages = {
            recalled_passage.passage.source_id: normalise_whitespace(recalled_passage.text)
            for recalled_passage in self._selection.found
        }

        def is_quoted(point: Point) -> bool:
            return passages.keys() >= set(point.sources) and all(
                normalise_whitespace(point.text) in passages[source] for source in point.sources
            )

        self._selection.points = [point for point in self._selection.points if not is_quoted(point)]

    def _points_of_level(self) -> list[Point]:
        """Return the points that the level shows."""
        if not self._state.depth.key_points_only:
            return list(self._inputs.points)
        worths = zip(self._inputs.points, assess_points(self._inputs.points), strict=True)
        wants_history = asks_for_history(self._inputs.now.question)
        return [
            point
            for point, worth in worths
            if worth >= Worth.REFERENCE or (wants_history and has_later_words(point.text))
        ]

    def _points_claim(self) -> int:
        """Return the room that recent rounds leave to points if those need it."""
        return int(self._state.room * POINTS_CLAIM_SHARE)

    def _recent(self) -> list[PastRound]:
        return recent_rounds_of(self._inputs, self._state.depth)

    def _render(self, past: PastRound) -> RenderedRound:
        return render_round(
            past, self._inputs, has_vision=self._state.has_vision, counter=self._state.counter
        )

    def _pinned_tokens(self, message: PinnedMessage) -> int:
        return self._state.counter.text(prompts.pinned_message(message)) + SEPARATOR_TOKENS

    def _quote_pinned(self, wanted: Sequence[PinnedMessage]) -> None:
        """Quote pinned messages before the rounds; the newest have first claim on the room."""
        kept = list(self._selection.pinned)
        for pinned_message in reversed(wanted):
            tokens = self._pinned_tokens(pinned_message)
            framed = tokens + (0 if kept else self._state.frame_tokens(SectionKind.PINNED))
            if framed > self._state.room:
                item = replace(plan_items.of_pinned(pinned_message), tokens=tokens)
                self._state.leave_out(SectionKind.PINNED, item, WhyNot.NO_ROOM)
            else:
                self._state.room -= framed
                kept.append(pinned_message)
        self._selection.pinned = [
            pinned_message for pinned_message in self._inputs.pinned if pinned_message in kept
        ]

    def _choose_rounds(
        self, window: Sequence[RenderedRound], kept_free: int, quoted: set[str]
    ) -> RoundSelection:
        """Choose rounds; a pinned message of one that has no room is quoted before them."""
        while True:
            room = max(0, self._state.room - kept_free)
            chosen = select_rounds(window, room, counter=self._state.counter)
            shown = message_ids_of(chosen) | quoted
            lost = [message for message in self._inputs.pinned if message.id not in shown]
            if not lost:
                return chosen
            self._quote_pinned(lost)
            quoted |= {pinned_message.id for pinned_message in lost}

    def _why_not_more_points(self, wanted: Sequence[Point], kept: Sequence[Point]) -> WhyNot:
        """Return which limit the points met: the level, the share of lesser ones, or the room left."""
        if self._state.depth.level_tokens is not None:
            return WhyNot.LEVEL
        in_share = self._points.select_best(wanted, self._points.max_tokens)
        return WhyNot.NO_ROOM if len(in_share) > len(kept) else WhyNot.SHARE


def message_ids_of(chosen: RoundSelection) -> set[str]:
    """Return the messages that rounds show word for word."""
    return {id_ for rendered_round in chosen.rounds for id_ in rendered_round.message_ids}
