"""Choosing what goes into a prompt: pure, deterministic, and never more than the budget.

First comes what every prompt must have: the system prompt and the question.
What is left is given, in this order, to the files the question names, pinned
messages, files that are always in context, recent rounds (the newest first,
while room for the summary is kept), the points of the summary that those rounds
do not show themselves, and at last the passages that were found. So when room
runs out, passages go first, the worst before the best; then old rounds.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tertulia.context import items, prompts
from tertulia.context.budget import Budget, QuestionTooLong
from tertulia.context.depth import Depth
from tertulia.context.domain import PastRound, Pinned, Recalled, Scene
from tertulia.context.plan import Item, LeftOut, Pointer, Reason, SectionKind
from tertulia.context.saying import ending, round_said
from tertulia.context.system import system_items
from tertulia.memory.domain import Point
from tertulia.models.calls import Said
from tertulia.models.domain import Model
from tertulia.models.tokens import Counter

#: The summary may take this share of the room for the past.
SUMMARY_SHARE = 0.25
#: A file that is always in context takes at most this share of the room.
FILE_SHARE = 0.5
#: What tags, numbers and blank lines around a framed list take.
FRAME = 12


@dataclass(frozen=True, slots=True)
class Shown:
    """An earlier round as the lane hears it."""

    past: PastRound
    said: tuple[Said, ...]
    item: Item


@dataclass(slots=True)
class Fitted:
    """What goes into a prompt, in the order of its sections."""

    system: list[Item]
    always: list[Recalled] = field(default_factory=list[Recalled])
    pinned: list[Pinned] = field(default_factory=list[Pinned])
    points: list[Point] = field(default_factory=list[Point])
    rounds: list[Shown] = field(default_factory=list[Shown])
    named: list[Recalled] = field(default_factory=list[Recalled])
    found: list[Recalled] = field(default_factory=list[Recalled])
    ending: list[Said] = field(default_factory=list[Said])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])


class Fitting:
    """Fits one scene, of which a guard has taken what this lane may not hear, into a budget."""

    def __init__(self, scene: Scene, model: Model, *, depth: Depth, budget: Budget, counter: Counter) -> None:
        self.scene = scene
        self.model = model
        self.depth = depth
        self.budget = budget
        self.counter = counter
        self.room = budget.prompt - counter.around()
        self.added = depth.added if depth.added is not None else budget.prompt
        self.fitted = Fitted(system_items(scene, model), ending=ending(scene))

    def fit(self) -> Fitted:
        """Return what goes into the prompt."""
        self._take_what_must_be()
        self._take_named()
        self._take_pinned()
        self._take_always()
        self._take_rounds()
        self._take_points()
        self._take_found()
        self._drop_points_found_too()
        self._number()
        return self.fitted

    def _take_what_must_be(self) -> None:
        needed = sum(self.counter.text(item.text) + 2 for item in self.fitted.system)
        needed += sum(map(self.counter.said, self.fitted.ending))
        if needed > self.room:
            raise QuestionTooLong(
                tokens=needed,
                limit=self.budget.prompt,
                model=self.model.title,
                is_window=self.budget.prompt == self.budget.readable,
            )
        self.room -= needed

    def _take_named(self) -> None:
        for one in self.scene.memory.named:
            self._take_passage(one, SectionKind.PASSAGES, self.fitted.named, most=self.room)

    def _take_always(self) -> None:
        most = int(self.room * FILE_SHARE)
        named = {one.passage.source_id for one in self.fitted.named}
        for one in self.scene.memory.always:
            if one.passage.source_id in named:
                self._leave(SectionKind.FILES, items.of_recalled(one), Reason.SHOWN_ALREADY)
            else:
                self._take_passage(one, SectionKind.FILES, self.fitted.always, most=min(most, self.room))

    def _take_passage(self, one: Recalled, section: SectionKind, taken: list[Recalled], *, most: int) -> bool:
        """Take a passage if it fits, whole."""
        tokens = self._passage_tokens(one) + (0 if taken else self._about(section))
        if tokens > most:
            self._leave(section, replace(items.of_recalled(one), tokens=tokens), Reason.NO_ROOM)
            return False
        self.room -= tokens
        taken.append(one)
        return True

    def _passage_tokens(self, one: Recalled) -> int:
        return self.counter.text(self._passage_text(one)) + 2

    def _passage_text(self, one: Recalled) -> str:
        if self.depth.pointers and prompts.is_file(one) and one not in self.scene.memory.always:
            return prompts.pointer(one)
        return prompts.passage(one)

    def _about(self, section: SectionKind) -> int:
        """Return what the frame around a section takes."""
        names = {SectionKind.FILES: "files", SectionKind.PINNED: "pinned", SectionKind.SUMMARY: "summary"}
        name = names.get(section, "pointers" if self.depth.pointers else "passages")
        return self.counter.text(prompts.text(name)) + FRAME

    def _take_pinned(self) -> None:
        """Take pinned messages that no recent round shows; the newest have first claim on the room."""
        recent = frozenset[str]().union(*(past.message_ids for past in self._window()))
        kept: list[Pinned] = []
        for one in reversed(self.scene.pinned):
            item = items.of_pinned(one)
            if one.id in recent:
                continue
            tokens = self.counter.text(prompts.pinned([one])) + 2
            if tokens > self.room:
                self._leave(SectionKind.PINNED, replace(item, tokens=tokens), Reason.NO_ROOM)
            else:
                self.room -= tokens
                kept.append(one)
        self.fitted.pinned = kept[::-1]

    def _window(self) -> list[PastRound]:
        """Return the rounds to show word for word; they leave a few at a time, so that its beginning stays."""
        before = self.scene.now.number - 1
        start = max(0, before - self.depth.rounds) // self.depth.step * self.depth.step
        return [past for past in self.scene.past if past.number > start]

    def _take_rounds(self) -> None:
        window = self._window()
        reserved = self._reserved()
        room = self.room - reserved
        total = room
        taken: list[Shown] = []
        for position, past in enumerate(reversed(window)):
            shown = self._shown(past)
            if shown.item.tokens <= room:
                room -= shown.item.tokens
                taken.append(shown)
            elif shown.item.tokens > total // 2:
                room -= self._mark_gap(shown, taken, room)
            else:
                for left in window[: len(window) - position]:
                    self._leave(SectionKind.ROUNDS, self._shown(left).item, Reason.NO_ROOM)
                break
        self.fitted.rounds = taken[::-1]
        self.room = room + reserved

    def _shown(self, past: PastRound) -> Shown:
        said = round_said(past, self.scene)
        tokens = sum(map(self.counter.said, said))
        return Shown(past, said, replace(items.of_round(past), tokens=tokens))

    def _mark_gap(self, shown: Shown, taken: list[Shown], room: int) -> int:
        """Leave out a round that is too long by itself, and say so in its place if there is room."""
        self._leave(SectionKind.ROUNDS, shown.item, Reason.TOO_LONG)
        said = Said("user", gap(shown))
        tokens = self.counter.said(said)
        if tokens > room:
            return 0
        empty = replace(shown.past, replies=(), question_id="", local_only=False)
        item = replace(
            items.of_round(empty),
            id=f"gap:{empty.id}",
            title=f"Round {empty.number}, left out",
            tokens=tokens,
        )
        taken.append(Shown(empty, (said,), item))
        return tokens

    def _reserved(self) -> int:
        """Return the room that is kept for the summary while rounds are chosen."""
        if not self.depth.summary or not self.scene.points:
            return 0
        wanted = sum(map(self._point_tokens, self.scene.points)) + self._about(SectionKind.SUMMARY)
        return min(wanted, int(self.room * SUMMARY_SHARE), self.added)

    def _point_tokens(self, point: Point) -> int:
        return self.counter.text(prompts.point_line(point)) + 1

    def _take_points(self) -> None:
        """Take the points that nothing else in the prompt shows, the newest first, in their order."""
        if not self.depth.summary:
            return
        shown = self._messages_shown()
        wanted = [point for point in self.scene.points if not shown.issuperset(point.sources)]
        most = min(self.added, self.room, max(int(self.room * SUMMARY_SHARE), self._reserved()))
        room = most - self._about(SectionKind.SUMMARY)
        kept: list[Point] = []
        for point in reversed(wanted):
            tokens = self._point_tokens(point)
            if tokens <= room:
                room -= tokens
                kept.append(point)
        if kept:
            self.fitted.points = kept[::-1]
            used = sum(map(self._point_tokens, kept)) + self._about(SectionKind.SUMMARY)
            self.room -= used
            self.added -= used
        if len(kept) < len(wanted):
            self._leave(SectionKind.SUMMARY, points_left(len(wanted) - len(kept)), Reason.NO_ROOM)

    def _take_found(self) -> None:
        """Take the best passages that the prompt does not show already."""
        if not self.depth.passages:
            return
        shown = self._messages_shown()
        left = min(self.scene.memory.budget, self.added)
        for one in self.scene.memory.found:
            if one.passage.source_id in shown or self._has(one):
                self._leave(SectionKind.PASSAGES, items.of_recalled(one), Reason.SHOWN_ALREADY)
            else:
                before = self.room
                self._take_passage(one, SectionKind.PASSAGES, self.fitted.found, most=min(left, self.room))
                left -= before - self.room
        self.added -= sum(map(self._passage_tokens, self.fitted.found))

    def _has(self, one: Recalled) -> bool:
        """Tell whether the prompt has a passage already, at the same place or with the same words."""
        files = [*self.fitted.always, *self.fitted.named]
        same = any(one.text == other.text for other in self.fitted.found)
        return same or any(overlaps(one, other) for other in files)

    def _messages_shown(self) -> set[str]:
        """Return the messages that the prompt shows word for word."""
        shown = {one.id for one in self.fitted.pinned}
        for one in self.fitted.rounds:
            if not one.item.id.startswith("gap:"):
                shown |= one.past.message_ids
        return shown

    def _drop_points_found_too(self) -> None:
        """Let go of points whose words stand in a passage of the same message."""
        passages = {one.passage.source_id: one.text for one in self.fitted.found}

        def is_quoted(point: Point) -> bool:
            return all(plain(point.text) in plain(passages.get(source, "")) for source in point.sources)

        self.fitted.points = [point for point in self.fitted.points if not is_quoted(point)]

    def _number(self) -> None:
        """Number all passages in the order in which they stand, so that they can be cited."""
        always = len(self.fitted.always)
        self.fitted.always = numbered(self.fitted.always, first=1)
        both = numbered([*self.fitted.named, *self.fitted.found], first=always + 1)
        named = len(self.fitted.named)
        self.fitted.named, self.fitted.found = both[:named], both[named:]

    def _leave(self, section: SectionKind, item: Item, reason: Reason) -> None:
        self.fitted.left_out.append(LeftOut(section, item, reason))


def gap(shown: Shown) -> str:
    """Return what stands in the place of a round that is too long."""
    return f"[Round {shown.past.number} is left out here: it has about {shown.item.tokens:,} tokens.]"


def points_left(count: int) -> Item:
    """Return the points for which there was no room, as one item."""
    return Item(id="summary:rest", title=f"{count} older points of the summary", tokens=0, pointer=Pointer())


def overlaps(one: Recalled, other: Recalled) -> bool:
    """Tell whether two passages show the same part of the same file."""
    mine, its = one.passage, other.passage
    same = mine.source_id == its.source_id
    return same and mine.start_char < its.end_char and its.start_char < mine.end_char


def numbered(passages: Sequence[Recalled], *, first: int) -> list[Recalled]:
    """Return passages with numbers, beginning with `first`."""
    return [
        replace(one, passage=replace(one.passage, number=number))
        for number, one in enumerate(passages, start=first)
    ]


def plain(text: str) -> str:
    """Return a text without differences of white space."""
    return " ".join(text.split())
