"""The recent rounds that a prompt shows word for word: which they are, and which of them fit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tertulia.context import plan_items
from tertulia.context.domain import PastRound, PromptInputs
from tertulia.context.prompt_depth import PromptDepth
from tertulia.context.prompt_plan import Item, Pointer, WhyNot
from tertulia.context.round_messages import past_round_messages
from tertulia.conversations.reversal_sentences import find_reversals
from tertulia.models.calls import PromptMessage
from tertulia.models.tokens import TokenCounter


@dataclass(frozen=True, slots=True)
class RenderedRound:
    """An earlier round as the lane hears it."""

    past: PastRound
    said: tuple[PromptMessage, ...]
    item: Item
    #: A line says that it was left out here.
    is_gap: bool = False

    @property
    def message_ids(self) -> frozenset[str]:
        """Return the messages that it shows word for word."""
        return frozenset() if self.is_gap else self.past.message_ids


@dataclass(slots=True)
class RoundSelection:
    """The rounds that fit, oldest first, the room that is left then, and what has none."""

    room: int
    rounds: list[RenderedRound] = field(default_factory=list[RenderedRound])
    left: list[tuple[Item, WhyNot]] = field(default_factory=list[tuple[Item, WhyNot]])


def recent_rounds_of(inputs: PromptInputs, depth: PromptDepth) -> list[PastRound]:
    """Return the rounds to show word for word; some leave at a time, so that its beginning stays."""
    before = inputs.now.number - 1
    start = max(0, before - depth.rounds) // depth.rounds_dropped_at_once * depth.rounds_dropped_at_once
    return [past for past in inputs.past if past.number > start]


def select_rounds(window: Sequence[RenderedRound], room: int, *, counter: TokenCounter) -> RoundSelection:
    """Choose the newest rounds that fit; one that is too long by itself keeps no older one out."""
    chosen = RoundSelection(room)
    for position, shown in reversed(list(enumerate(window))):
        if shown.item.tokens <= chosen.room:
            chosen.room -= shown.item.tokens
            chosen.rounds.insert(0, shown)
        elif shown.item.tokens > room // 2:
            chosen.left.append((shown.item, WhyNot.TOO_LONG))
            add_gap_line(chosen, shown, counter=counter)
        else:
            chosen.left += [
                (rendered_round.item, WhyNot.NO_ROOM) for rendered_round in window[: position + 1]
            ]
            break
    return chosen


def add_gap_line(chosen: RoundSelection, shown: RenderedRound, *, counter: TokenCounter) -> None:
    """Say in the place of a round that it is left out, if there is room for that."""
    gap = render_gap(shown, counter=counter)
    if gap.item.tokens <= chosen.room:
        chosen.room -= gap.item.tokens
        chosen.rounds.insert(0, gap)


def render_round(
    past: PastRound, inputs: PromptInputs, *, has_vision: bool, counter: TokenCounter
) -> RenderedRound:
    """Return a round as the lane hears it, with what it takes."""
    said = past_round_messages(past, inputs, has_vision=has_vision)
    return RenderedRound(
        past, said, replace(plan_items.of_round(past), tokens=count_message_tokens(said, counter=counter))
    )


def render_gap(shown: RenderedRound, *, counter: TokenCounter) -> RenderedRound:
    """Return a line that stands in the place of a round that is too long."""
    past = shown.past
    text = f"[Round {past.number} is left out here: it has about {shown.item.tokens:,} tokens.]"
    if taken_back := find_reversals(past.question):
        text += f" It says: {' '.join(taken_back)}"
    said = (PromptMessage("user", text),)
    item = Item(
        id=f"gap:{past.id}",
        title=f"Round {past.number}, left out",
        tokens=count_message_tokens(said, counter=counter),
        pointer=Pointer(round_id=past.id, round_number=past.number),
        text=text,
    )
    return RenderedRound(past, said, item, is_gap=True)


def count_message_tokens(said: Iterable[PromptMessage], *, counter: TokenCounter) -> int:
    """Return what messages take at most."""
    return sum(map(counter.message, said))
