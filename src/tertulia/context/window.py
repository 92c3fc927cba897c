"""The recent rounds that a prompt shows word for word: which they are, and which of them fit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tertulia.context import items
from tertulia.context.depth import Depth
from tertulia.context.domain import PastRound, Scene
from tertulia.context.plan import Item, Pointer, WhyNot
from tertulia.context.saying import round_said
from tertulia.models.calls import Said
from tertulia.models.tokens import Counter


@dataclass(frozen=True, slots=True)
class Shown:
    """An earlier round as the lane hears it."""

    past: PastRound
    said: tuple[Said, ...]
    item: Item
    #: A line says that it was left out here.
    is_gap: bool = False

    @property
    def message_ids(self) -> frozenset[str]:
        """Return the messages that it shows word for word."""
        return frozenset() if self.is_gap else self.past.message_ids


@dataclass(slots=True)
class Chosen:
    """The rounds that fit, oldest first, the room that is left then, and what has none."""

    room: int
    rounds: list[Shown] = field(default_factory=list[Shown])
    left: list[tuple[Item, WhyNot]] = field(default_factory=list[tuple[Item, WhyNot]])


def window_of(scene: Scene, depth: Depth) -> list[PastRound]:
    """Return the rounds to show word for word; some leave at a time, so that its beginning stays."""
    before = scene.now.number - 1
    start = max(0, before - depth.rounds) // depth.step * depth.step
    return [past for past in scene.past if past.number > start]


def choose(window: Sequence[Shown], room: int, *, counter: Counter) -> Chosen:
    """Choose the newest rounds that fit; one that is too long by itself keeps no older one out."""
    chosen = Chosen(room)
    for position, shown in reversed(list(enumerate(window))):
        if shown.item.tokens <= chosen.room:
            chosen.room -= shown.item.tokens
            chosen.rounds.insert(0, shown)
        elif shown.item.tokens > room // 2:
            chosen.left.append((shown.item, WhyNot.TOO_LONG))
            mark_gap(chosen, shown, counter=counter)
        else:
            chosen.left += [(one.item, WhyNot.NO_ROOM) for one in window[: position + 1]]
            break
    return chosen


def mark_gap(chosen: Chosen, shown: Shown, *, counter: Counter) -> None:
    """Say in the place of a round that it is left out, if there is room for that."""
    gap = as_gap(shown, counter=counter)
    if gap.item.tokens <= chosen.room:
        chosen.room -= gap.item.tokens
        chosen.rounds.insert(0, gap)


def as_shown(past: PastRound, scene: Scene, *, sees: bool, counter: Counter) -> Shown:
    """Return a round as the lane hears it, with what it takes."""
    said = round_said(past, scene, sees=sees)
    return Shown(past, said, replace(items.of_round(past), tokens=tokens_of(said, counter=counter)))


def as_gap(shown: Shown, *, counter: Counter) -> Shown:
    """Return a line that stands in the place of a round that is too long."""
    past = shown.past
    text = f"[Round {past.number} is left out here: it has about {shown.item.tokens:,} tokens.]"
    said = (Said("user", text),)
    item = Item(
        id=f"gap:{past.id}",
        title=f"Round {past.number}, left out",
        tokens=tokens_of(said, counter=counter),
        pointer=Pointer(round_id=past.id, round_number=past.number),
        text=text,
    )
    return Shown(past, said, item, is_gap=True)


def tokens_of(said: Iterable[Said], *, counter: Counter) -> int:
    """Return what messages take at most."""
    return sum(map(counter.said, said))
