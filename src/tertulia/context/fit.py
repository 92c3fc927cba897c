"""Choosing what goes into a prompt: pure, deterministic, and never more than the budget.

First comes what every prompt must have: the system prompt and the question.
What is left is given, in this order, to the files the question names, pinned
messages, files that are always in context, recent rounds (the newest first,
while room for the summary is kept), the points of the summary that those rounds
do not show themselves, and at last the passages that were found. So when room
runs out, passages go first, the worst before the best; then old rounds.

Shares are of what the system prompt leaves, not of what the question leaves, so
that a longer question does not change what stands before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tertulia.context import items, prompts
from tertulia.context.beginning import beginning_of
from tertulia.context.budget import Budget, Part, QuestionTooLong
from tertulia.context.depth import Depth
from tertulia.context.domain import Pinned, Recalled, Scene
from tertulia.context.plan import Item, LeftOut, Pointer, SectionKind, WhyNot
from tertulia.context.points import Points
from tertulia.context.saying import ending, ending_names
from tertulia.context.system import system_items
from tertulia.context.window import Chosen, Shown, as_shown, choose, tokens_of, window_of
from tertulia.memory.domain import Point
from tertulia.models.calls import Said
from tertulia.models.domain import Ability, Model
from tertulia.models.tokens import Counter

#: The summary may take this share of the room for the past.
SUMMARY_SHARE = 0.25
#: Files that are always in context take at most this share of the room, and so do those that are named
#: where something else needs the rest.
FILE_SHARE = 0.5
#: What the blank lines take that stand between the parts of a list.
BETWEEN = 2


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
    #: How many pictures of files come with the question.
    pictures: int = 0

    @property
    def is_bare(self) -> bool:
        """Tell whether there is nothing in it that could be left out."""
        added = self.always or self.pinned or self.points or self.rounds or self.named or self.found
        return not added and not self.pictures


class Fitting:
    """Fits one scene, of which a guard has taken what this lane may not hear, into a budget.

    `spare` tokens are kept free of all that need not be: texts that are joined may count more than alone.
    """

    def __init__(
        self, scene: Scene, model: Model, *, depth: Depth, budget: Budget, counter: Counter, spare: int = 0
    ) -> None:
        self.scene = scene
        self.model = model
        self.depth = depth
        self.budget = budget
        self.counter = counter
        self.spare = spare
        self.sees = Ability.VISION in model.abilities
        self.room: int = budget.prompt - counter.around()
        self.added: int = depth.added if depth.added is not None else budget.prompt
        self.fitted = Fitted([], ending=ending(scene, sees=self.sees))
        self._choose_system()
        self.system = sum(counter.text(item.text) + BETWEEN for item in self.fitted.system)
        #: What the system prompt leaves: the same from question to question.
        self.base = max(0, self.room - self.system)
        most = min(int(self.base * SUMMARY_SHARE), self.added) if depth.summary else 0
        self.points = Points(scene.points, counter, most)

    def fit(self) -> Fitted:
        """Return what goes into the prompt."""
        self._take_what_must_be()
        self._take_pictures()
        self._take_named()
        recent = frozenset[str]().union(*(past.message_ids for past in window_of(self.scene, self.depth)))
        self._take_pinned([one for one in self.scene.pinned if one.id not in recent])
        self._take_always()
        self._take_rounds()
        self._take_points()
        self._take_found()
        self._drop_points_found_too()
        self._number()
        return self.fitted

    def too_long(self, tokens: int, limit: int) -> QuestionTooLong:
        """Return what is wrong when what must be there does not fit: the largest part of it is named."""
        system = [Part(title_within(one.title), self.counter.text(one.text)) for one in self.fitted.system]
        said = map(self.counter.said, self.fitted.ending)
        parts = [*system, *map(Part, ending_names(self.scene), said)]
        return QuestionTooLong(
            tokens=tokens,
            limit=limit,
            model=self.model.title,
            is_window=self.budget.is_window,
            largest=max(parts, key=lambda part: part.tokens),
        )

    def _choose_system(self) -> None:
        for item in system_items(self.scene, self.model):
            if item.id in self.scene.leave_out:
                self._leave(SectionKind.SYSTEM, item, WhyNot.ASKED)
            else:
                self.fitted.system.append(item)

    def _take_what_must_be(self) -> None:
        needed = self.system + tokens_of(self.fitted.ending, counter=self.counter)
        if needed > self.room:
            raise self.too_long(needed, self.budget.prompt)
        self.room = max(0, self.room - needed - self.spare)

    def _take_pictures(self) -> None:
        """Take the pictures among the files at hand with the question, as many as fit."""
        pictures = self.scene.memory.images
        bare = tokens_of(self.fitted.ending, counter=self.counter)
        for count in range(len(pictures), 0, -1):
            said = ending(self.scene, pictures[:count], sees=self.sees)
            tokens = tokens_of(said, counter=self.counter) - bare
            if tokens <= self.room * FILE_SHARE:
                self.room -= tokens
                self.fitted.ending, self.fitted.pictures = said, count
                break
        if left := len(pictures) - self.fitted.pictures:
            self._leave(SectionKind.QUESTION, pictures_left(left), WhyNot.NO_ROOM)

    def _take_named(self) -> None:
        left = self._room_for_named()
        for one in self.scene.memory.named:
            left -= self._take_file(one, SectionKind.PASSAGES, self.fitted.named, most=left)
        for absent in self.scene.memory.absent:
            section = SectionKind.FILES if absent.always else SectionKind.PASSAGES
            self._leave(section, items.of_absent(absent), absent.reason)

    def _room_for_named(self) -> int:
        """Return what named files may take: their share, or all that nothing else of worth would use."""
        share = int(self.room * FILE_SHARE)
        if sum(map(self._passage_tokens, self.scene.memory.named)) <= share:
            return share
        return max(share, self.room - self._about(SectionKind.PASSAGES) - self._wanted_besides())

    def _wanted_besides(self) -> int:
        """Return the tokens of all that is worth more than passages which were only found."""
        rounds = [
            as_shown(past, self.scene, sees=self.sees, counter=self.counter).item.tokens
            for past in window_of(self.scene, self.depth)
        ]
        pinned = [self.counter.text(prompts.message(one)) + BETWEEN for one in self.scene.pinned]
        always = list(map(self._passage_tokens, self.scene.memory.always))
        frames = [
            *([self._about(SectionKind.PINNED)] if pinned else []),
            *([self._about(SectionKind.FILES)] if always else []),
        ]
        return sum([*rounds, *pinned, *always, *frames]) + self.points.beside(set(), self.room)

    def _take_always(self) -> None:
        left = int(max(0, self.base - self.spare) * FILE_SHARE)
        named = {one.passage.source_id for one in self.fitted.named}
        for one in self.scene.memory.always:
            if one.passage.source_id in named:
                self._leave(SectionKind.FILES, items.of_recalled(one), WhyNot.SHOWN_ALREADY)
            else:
                left -= self._take_file(one, SectionKind.FILES, self.fitted.always, most=left)

    def _take_file(self, one: Recalled, section: SectionKind, taken: list[Recalled], *, most: int) -> int:
        """Take a file that comes with the question, as many of its lines as fit; return what it takes."""
        frame = 0 if self._has_frame(section) else self._about(section)
        room = min(most, self.room - frame)
        kept = beginning_of(one, room, self._passage_tokens) if one.at_hand else one
        tokens = self._take_passage(kept or one, section, taken, most=most)
        if kept and kept.goes_on:
            self._leave(section, items.of_rest(kept), WhyNot.REST)
        return tokens

    def _take_passage(self, one: Recalled, section: SectionKind, taken: list[Recalled], *, most: int) -> int:
        """Take a passage if it fits, whole, and return what it takes by itself."""
        tokens = self._passage_tokens(one)
        framed = tokens + (0 if self._has_frame(section) else self._about(section))
        if tokens > most or framed > self.room:
            reason = WhyNot.NO_ROOM if framed > self.room else WhyNot.SHARE
            self._leave(section, replace(items.of_recalled(one), tokens=tokens), reason)
            return 0
        self.room -= framed
        taken.append(one)
        return tokens

    def _has_frame(self, section: SectionKind) -> bool:
        found = self.fitted.named or self.fitted.found
        return bool(self.fitted.always if section is SectionKind.FILES else found)

    def _passage_tokens(self, one: Recalled) -> int:
        return self.counter.text(prompts.shown(one)) + BETWEEN

    def _as_found(self, one: Recalled) -> Recalled:
        """Return a passage that search found as it is shown: a model that can read files is pointed to it."""
        is_pointer = self.depth.pointers and prompts.is_file(one)
        return replace(one, passage=replace(one.passage, is_pointer=is_pointer))

    def _about(self, section: SectionKind) -> int:
        """Return what the frame around a section takes."""
        frames = {
            SectionKind.FILES: prompts.always([]),
            SectionKind.PINNED: prompts.pinned([]),
            SectionKind.PASSAGES: prompts.passages([], pointers=self.depth.pointers),
        }
        return self.counter.said(Said("user", frames[section]))

    def _take_pinned(self, wanted: Sequence[Pinned]) -> None:
        """Take pinned messages; the newest have first claim on the room."""
        kept = list(self.fitted.pinned)
        for one in reversed(wanted):
            tokens = self.counter.text(prompts.message(one)) + BETWEEN
            framed = tokens + (0 if kept else self._about(SectionKind.PINNED))
            if framed > self.room:
                self._leave(SectionKind.PINNED, replace(items.of_pinned(one), tokens=tokens), WhyNot.NO_ROOM)
            else:
                self.room -= framed
                kept.append(one)
        self.fitted.pinned = [one for one in self.scene.pinned if one in kept]

    def _take_rounds(self) -> None:
        """Take recent rounds beside the points that there will be: fewer points, where rounds show them."""
        past = window_of(self.scene, self.depth)
        window = [as_shown(one, self.scene, sees=self.sees, counter=self.counter) for one in past]
        quoted = {one.id for one in self.scene.pinned} - {id_ for one in past for id_ in one.message_ids}
        kept_free = self.points.beside(self._messages_shown(), self.room // 2)
        first = self._choose_rounds(window, kept_free, quoted)
        kept_free = min(kept_free, self.points.beside(self._messages_shown() | ids_of(first), kept_free))
        chosen = self._choose_rounds(window, kept_free, quoted)
        self.room -= sum(one.item.tokens for one in chosen.rounds)
        self.fitted.rounds = chosen.rounds
        self.fitted.pinned = [one for one in self.fitted.pinned if one.id not in ids_of(chosen)]
        for item, reason in chosen.left:
            self._leave(SectionKind.ROUNDS, item, reason)

    def _choose_rounds(self, window: Sequence[Shown], kept_free: int, quoted: set[str]) -> Chosen:
        """Choose rounds; a pinned message of one that has no room is quoted before them."""
        while True:
            chosen = choose(window, max(0, self.room - kept_free), counter=self.counter)
            shown = ids_of(chosen) | quoted
            lost = [one for one in self.scene.pinned if one.id not in shown]
            if not lost:
                return chosen
            self._take_pinned(lost)
            quoted |= {one.id for one in lost}

    def _take_points(self) -> None:
        """Take the points that nothing else in the prompt shows."""
        wanted = self.points.wanted(self._messages_shown())
        kept = self.points.best(wanted, self.room)
        self.fitted.points = kept
        self.room -= self.points.tokens(kept)
        self.added -= self.points.tokens(kept)
        if left := len(wanted) - len(kept):
            reason = WhyNot.NO_ROOM if self.depth.summary else WhyNot.LEVEL
            self._leave(SectionKind.SUMMARY, items.of_points(left, reason), reason)

    def _take_found(self) -> None:
        """Take the best passages that the prompt does not show already."""
        shown = self._messages_shown()
        left = min(self.scene.memory.budget, self.added)
        for one in map(self._as_found, self.scene.memory.found):
            if not self.depth.passages:
                self._leave(SectionKind.PASSAGES, items.of_recalled(one), WhyNot.LEVEL)
            elif one.passage.source_id in shown or self._has(one):
                self._leave(SectionKind.PASSAGES, items.of_recalled(one), WhyNot.SHOWN_ALREADY)
            else:
                left -= self._take_passage(one, SectionKind.PASSAGES, self.fitted.found, most=left)

    def _has(self, one: Recalled) -> bool:
        """Tell whether the prompt has a passage already, at the same place or with the same words."""
        files = [*self.fitted.always, *self.fitted.named]
        same = any(one.text == other.text for other in self.fitted.found)
        return same or any(is_within(one, other) for other in files)

    def _messages_shown(self) -> set[str]:
        """Return the messages that the prompt shows word for word."""
        shown = {one.id for one in self.fitted.pinned}
        return shown.union(self.scene.now.message_ids, *(one.message_ids for one in self.fitted.rounds))

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

    def _leave(self, section: SectionKind, item: Item, reason: WhyNot) -> None:
        self.fitted.left_out.append(LeftOut(section, item, reason))


def ids_of(chosen: Chosen) -> set[str]:
    """Return the messages that rounds show word for word."""
    return {id_ for one in chosen.rounds for id_ in one.message_ids}


def pictures_left(count: int) -> Item:
    """Return the pictures for which there was no room, as one item."""
    return Item(id="pictures:rest", title=f"{count} pictures of the project", tokens=0, pointer=Pointer())


def title_within(title: str) -> str:
    """Return a title as it stands within a sentence."""
    return title[:1].lower() + title[1:]


def is_within(one: Recalled, other: Recalled) -> bool:
    """Tell whether all of a passage stands in another of the same file: that may be cut."""
    mine, its = one.passage, other.passage
    same = mine.source_id == its.source_id
    return same and its.start_char <= mine.start_char and mine.end_char <= its.end_char


def numbered(passages: Sequence[Recalled], *, first: int) -> list[Recalled]:
    """Return passages with numbers, beginning with `first`."""
    return [
        replace(one, passage=replace(one.passage, number=number))
        for number, one in enumerate(passages, start=first)
    ]


def plain(text: str) -> str:
    """Return a text without differences of white space."""
    return " ".join(text.split())
