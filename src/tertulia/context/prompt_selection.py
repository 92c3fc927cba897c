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

from tertulia.context import plan_items, prompts
from tertulia.context.domain import PinnedMessage, PromptInputs, RecalledPassage
from tertulia.context.file_truncation import truncate_to_tokens
from tertulia.context.prompt_depth import PromptDepth
from tertulia.context.prompt_plan import Item, LeftOut, Pointer, SectionKind, WhyNot
from tertulia.context.recent_rounds import (
    RenderedRound,
    RoundSelection,
    count_message_tokens,
    recent_rounds_of,
    render_round,
    select_rounds,
)
from tertulia.context.round_messages import final_message_names, final_messages
from tertulia.context.summary_points import PointSelector
from tertulia.context.system_prompt import system_items
from tertulia.context.token_budget import PromptPart, QuestionTooLong, TokenBudget
from tertulia.memory.domain import Point
from tertulia.models.calls import PromptMessage
from tertulia.models.domain import Ability, Model
from tertulia.models.tokens import TokenCounter

#: The summary may take this share of the room for the past.
SUMMARY_MAX_SHARE = 0.25
#: Files that are always in context take at most this share of the room, and so do those that are named
#: where something else needs the rest.
FILES_MAX_SHARE = 0.5
#: What the blank lines take that stand between the parts of a list.
SEPARATOR_TOKENS = 2


@dataclass(slots=True)
class PromptSelection:
    """What goes into a prompt, in the order of its sections."""

    system: list[Item]
    always: list[RecalledPassage] = field(default_factory=list[RecalledPassage])
    pinned: list[PinnedMessage] = field(default_factory=list[PinnedMessage])
    points: list[Point] = field(default_factory=list[Point])
    rounds: list[RenderedRound] = field(default_factory=list[RenderedRound])
    named: list[RecalledPassage] = field(default_factory=list[RecalledPassage])
    found: list[RecalledPassage] = field(default_factory=list[RecalledPassage])
    final_messages: list[PromptMessage] = field(default_factory=list[PromptMessage])
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])
    #: How many pictures of files come with the question.
    pictures: int = 0

    @property
    def is_bare(self) -> bool:
        """Tell whether there is nothing in it that could be left out."""
        added = self.always or self.pinned or self.points or self.rounds or self.named or self.found
        return not added and not self.pictures


class PromptSelector:
    """Fits one scene, of which a guard has taken what this lane may not hear, into a budget.

    `spare` tokens are kept free of all that need not be: texts that are joined may count more than alone.
    """

    def __init__(
        self,
        inputs: PromptInputs,
        model: Model,
        *,
        depth: PromptDepth,
        budget: TokenBudget,
        counter: TokenCounter,
        spare: int = 0,
    ) -> None:
        self.inputs = inputs
        self.model = model
        self.depth = depth
        self.budget = budget
        self.counter = counter
        self.spare = spare
        self.has_vision = Ability.VISION in model.abilities
        self.room: int = budget.prompt_tokens - counter.overhead()
        self.added: int = (
            depth.added_max_tokens if depth.added_max_tokens is not None else budget.prompt_tokens
        )
        self.selection = PromptSelection(
            [], final_messages=final_messages(inputs, has_vision=self.has_vision)
        )
        self._choose_system()
        self.system = sum(counter.text(item.text) + SEPARATOR_TOKENS for item in self.selection.system)
        #: What the system prompt leaves: the same from question to question.
        self.base = max(0, self.room - self.system)
        most = min(int(self.base * SUMMARY_MAX_SHARE), self.added) if depth.summary else 0
        self.points = PointSelector(inputs.points, counter, most)

    def select(self) -> PromptSelection:
        """Return what goes into the prompt."""
        self._take_required()
        self._take_pictures()
        self._take_named_files()
        recent = frozenset[str]().union(
            *(past.message_ids for past in recent_rounds_of(self.inputs, self.depth))
        )
        self._take_pinned(
            [pinned_message for pinned_message in self.inputs.pinned if pinned_message.id not in recent]
        )
        self._take_always_files()
        self._take_rounds()
        self._take_points()
        self._take_found_passages()
        self._drop_points_found_too()
        self._number_passages()
        return self.selection

    def question_too_long(self, tokens: int, limit: int) -> QuestionTooLong:
        """Return what is wrong when what must be there does not fit: the largest part of it is named."""
        system = [
            PromptPart(lowercase_first(item.title), self.counter.text(item.text))
            for item in self.selection.system
        ]
        said = map(self.counter.message, self.selection.final_messages)
        parts = [*system, *map(PromptPart, final_message_names(self.inputs), said)]
        return QuestionTooLong(
            tokens=tokens,
            limit=limit,
            model=self.model.title,
            is_window=self.budget.is_window_limited,
            largest=max(parts, key=lambda part: part.tokens),
        )

    def _choose_system(self) -> None:
        for item in system_items(self.inputs, self.model):
            if item.id in self.inputs.leave_out:
                self._leave_out(SectionKind.SYSTEM, item, WhyNot.ASKED)
            else:
                self.selection.system.append(item)

    def _take_required(self) -> None:
        needed = self.system + count_message_tokens(self.selection.final_messages, counter=self.counter)
        if needed > self.room:
            raise self.question_too_long(needed, self.budget.prompt_tokens)
        self.room = max(0, self.room - needed - self.spare)

    def _take_pictures(self) -> None:
        """Take the pictures among the files at hand with the question, as many as fit."""
        pictures = self.inputs.memory.images
        bare = count_message_tokens(self.selection.final_messages, counter=self.counter)
        for count in range(len(pictures), 0, -1):
            said = final_messages(self.inputs, pictures[:count], has_vision=self.has_vision)
            tokens = count_message_tokens(said, counter=self.counter) - bare
            if tokens <= self.room * FILES_MAX_SHARE:
                self.room -= tokens
                self.selection.final_messages, self.selection.pictures = said, count
                break
        if left := len(pictures) - self.selection.pictures:
            self._leave_out(SectionKind.QUESTION, pictures_left_out(left), WhyNot.NO_ROOM)

    def _take_named_files(self) -> None:
        left = self._room_for_named()
        for recalled_passage in self.inputs.memory.named:
            left -= self._take_file(
                recalled_passage, SectionKind.PASSAGES, self.selection.named, max_tokens=left
            )
        for absent in self.inputs.memory.absent:
            section = SectionKind.FILES if absent.always else SectionKind.PASSAGES
            self._leave_out(section, plan_items.of_absent(absent), absent.reason)

    def _room_for_named(self) -> int:
        """Return what named files may take: their share, or all that nothing else of worth would use."""
        share = int(self.room * FILES_MAX_SHARE)
        if sum(map(self._passage_tokens, self.inputs.memory.named)) <= share:
            return share
        return max(
            share, self.room - self._frame_tokens(SectionKind.PASSAGES) - self._tokens_wanted_besides()
        )

    def _tokens_wanted_besides(self) -> int:
        """Return the tokens of all that is worth more than passages which were only found."""
        rounds = [
            render_round(past, self.inputs, has_vision=self.has_vision, counter=self.counter).item.tokens
            for past in recent_rounds_of(self.inputs, self.depth)
        ]
        pinned = [
            self.counter.text(prompts.pinned_message(pinned_message)) + SEPARATOR_TOKENS
            for pinned_message in self.inputs.pinned
        ]
        always = list(map(self._passage_tokens, self.inputs.memory.always))
        frames = [
            *([self._frame_tokens(SectionKind.PINNED)] if pinned else []),
            *([self._frame_tokens(SectionKind.FILES)] if always else []),
        ]
        return sum([*rounds, *pinned, *always, *frames]) + self.points.tokens_beside(set(), self.room)

    def _take_always_files(self) -> None:
        left = int(max(0, self.base - self.spare) * FILES_MAX_SHARE)
        named = {recalled_passage.passage.source_id for recalled_passage in self.selection.named}
        for recalled_passage in self.inputs.memory.always:
            if recalled_passage.passage.source_id in named:
                self._leave_out(
                    SectionKind.FILES, plan_items.of_recalled(recalled_passage), WhyNot.SHOWN_ALREADY
                )
            else:
                left -= self._take_file(
                    recalled_passage, SectionKind.FILES, self.selection.always, max_tokens=left
                )

    def _take_file(
        self, one: RecalledPassage, section: SectionKind, taken: list[RecalledPassage], *, max_tokens: int
    ) -> int:
        """Take a file that comes with the question, as many of its lines as fit; return what it takes."""
        frame = 0 if self._has_frame(section) else self._frame_tokens(section)
        room = min(max_tokens, self.room - frame)
        kept = truncate_to_tokens(one, room, self._passage_tokens) if one.is_included_file else one
        tokens = self._take_passage(kept or one, section, taken, max_tokens=max_tokens)
        if kept and kept.goes_on:
            self._leave_out(section, plan_items.of_rest(kept), WhyNot.REST)
        return tokens

    def _take_passage(
        self, one: RecalledPassage, section: SectionKind, taken: list[RecalledPassage], *, max_tokens: int
    ) -> int:
        """Take a passage if it fits, whole, and return what it takes by itself."""
        tokens = self._passage_tokens(one)
        framed = tokens + (0 if self._has_frame(section) else self._frame_tokens(section))
        if tokens > max_tokens or framed > self.room:
            reason = WhyNot.NO_ROOM if framed > self.room else WhyNot.SHARE
            self._leave_out(section, replace(plan_items.of_recalled(one), tokens=tokens), reason)
            return 0
        self.room -= framed
        taken.append(one)
        return tokens

    def _has_frame(self, section: SectionKind) -> bool:
        found = self.selection.named or self.selection.found
        return bool(self.selection.always if section is SectionKind.FILES else found)

    def _passage_tokens(self, one: RecalledPassage) -> int:
        return self.counter.text(prompts.passage_or_pointer(one)) + SEPARATOR_TOKENS

    def _to_pointer(self, one: RecalledPassage) -> RecalledPassage:
        """Return a passage that search found as it is shown: a model that can read files is pointed to it."""
        is_pointer = self.depth.pointers and prompts.is_file(one)
        return replace(one, passage=replace(one.passage, is_pointer=is_pointer))

    def _frame_tokens(self, section: SectionKind) -> int:
        """Return what the frame around a section takes."""
        frames = {
            SectionKind.FILES: prompts.always_files([]),
            SectionKind.PINNED: prompts.pinned([]),
            SectionKind.PASSAGES: prompts.passages([], pointers=self.depth.pointers),
        }
        return self.counter.message(PromptMessage("user", frames[section]))

    def _take_pinned(self, wanted: Sequence[PinnedMessage]) -> None:
        """Take pinned messages; the newest have first claim on the room."""
        kept = list(self.selection.pinned)
        for pinned_message in reversed(wanted):
            tokens = self.counter.text(prompts.pinned_message(pinned_message)) + SEPARATOR_TOKENS
            framed = tokens + (0 if kept else self._frame_tokens(SectionKind.PINNED))
            if framed > self.room:
                self._leave_out(
                    SectionKind.PINNED,
                    replace(plan_items.of_pinned(pinned_message), tokens=tokens),
                    WhyNot.NO_ROOM,
                )
            else:
                self.room -= framed
                kept.append(pinned_message)
        self.selection.pinned = [
            pinned_message for pinned_message in self.inputs.pinned if pinned_message in kept
        ]

    def _take_rounds(self) -> None:
        """Take recent rounds beside the points that there will be: fewer points, where rounds show them."""
        past = recent_rounds_of(self.inputs, self.depth)
        window = [
            render_round(past_round, self.inputs, has_vision=self.has_vision, counter=self.counter)
            for past_round in past
        ]
        quoted = {pinned_message.id for pinned_message in self.inputs.pinned} - {
            id_ for past_round in past for id_ in past_round.message_ids
        }
        kept_free = self.points.tokens_beside(self._messages_shown(), self.room // 2)
        first = self._choose_rounds(window, kept_free, quoted)
        kept_free = min(
            kept_free, self.points.tokens_beside(self._messages_shown() | message_ids_of(first), kept_free)
        )
        chosen = self._choose_rounds(window, kept_free, quoted)
        self.room -= sum(rendered_round.item.tokens for rendered_round in chosen.rounds)
        self.selection.rounds = chosen.rounds
        self.selection.pinned = [
            pinned_message
            for pinned_message in self.selection.pinned
            if pinned_message.id not in message_ids_of(chosen)
        ]
        for item, reason in chosen.left:
            self._leave_out(SectionKind.ROUNDS, item, reason)

    def _choose_rounds(
        self, window: Sequence[RenderedRound], kept_free: int, quoted: set[str]
    ) -> RoundSelection:
        """Choose rounds; a pinned message of one that has no room is quoted before them."""
        while True:
            chosen = select_rounds(window, max(0, self.room - kept_free), counter=self.counter)
            shown = message_ids_of(chosen) | quoted
            lost = [pinned_message for pinned_message in self.inputs.pinned if pinned_message.id not in shown]
            if not lost:
                return chosen
            self._take_pinned(lost)
            quoted |= {pinned_message.id for pinned_message in lost}

    def _take_points(self) -> None:
        """Take the points that nothing else in the prompt shows."""
        wanted = self.points.not_shown_elsewhere(self._messages_shown())
        kept = self.points.select_best(wanted, self.room)
        self.selection.points = kept
        self.room -= self.points.tokens(kept)
        self.added -= self.points.tokens(kept)
        if left := len(wanted) - len(kept):
            reason = self._why_not_more_points(wanted, kept)
            self._leave_out(SectionKind.SUMMARY, plan_items.of_points(left, reason), reason)

    def _why_not_more_points(self, wanted: Sequence[Point], kept: Sequence[Point]) -> WhyNot:
        """Return which limit the points met: the level, their share of the prompt, or the room left."""
        if not self.depth.summary:
            return WhyNot.LEVEL
        in_share = self.points.select_best(wanted, self.points.max_tokens)
        return WhyNot.NO_ROOM if len(in_share) > len(kept) else WhyNot.SHARE

    def _take_found_passages(self) -> None:
        """Take the best passages that the prompt does not show already."""
        shown = self._messages_shown()
        left = min(self.inputs.memory.budget, self.added)
        for recalled_passage in map(self._to_pointer, self.inputs.memory.found):
            if not self.depth.passages:
                self._leave_out(SectionKind.PASSAGES, plan_items.of_recalled(recalled_passage), WhyNot.LEVEL)
            elif recalled_passage.passage.source_id in shown or self._shows_passage(recalled_passage):
                self._leave_out(
                    SectionKind.PASSAGES, plan_items.of_recalled(recalled_passage), WhyNot.SHOWN_ALREADY
                )
            else:
                left -= self._take_passage(
                    recalled_passage, SectionKind.PASSAGES, self.selection.found, max_tokens=left
                )

    def _shows_passage(self, one: RecalledPassage) -> bool:
        """Tell whether the prompt has a passage already, at the same place or with the same words."""
        files = [*self.selection.always, *self.selection.named]
        same = any(one.text == other.text for other in self.selection.found)
        return same or any(is_passage_within(one, other) for other in files)

    def _messages_shown(self) -> set[str]:
        """Return the messages that the prompt shows word for word."""
        shown = {pinned_message.id for pinned_message in self.selection.pinned}
        return shown.union(
            self.inputs.now.message_ids,
            *(rendered_round.message_ids for rendered_round in self.selection.rounds),
        )

    def _drop_points_found_too(self) -> None:
        """Let go of points whose words stand in a passage of the same message."""
        passages = {
            recalled_passage.passage.source_id: recalled_passage.text
            for recalled_passage in self.selection.found
        }

        def is_quoted(point: Point) -> bool:
            return all(
                normalise_whitespace(point.text) in normalise_whitespace(passages.get(source, ""))
                for source in point.sources
            )

        self.selection.points = [point for point in self.selection.points if not is_quoted(point)]

    def _number_passages(self) -> None:
        """Number all passages in the order in which they stand, so that they can be cited."""
        always = len(self.selection.always)
        self.selection.always = number_passages(self.selection.always, first=1)
        both = number_passages([*self.selection.named, *self.selection.found], first=always + 1)
        named = len(self.selection.named)
        self.selection.named, self.selection.found = both[:named], both[named:]

    def _leave_out(self, section: SectionKind, item: Item, reason: WhyNot) -> None:
        self.selection.left_out.append(LeftOut(section, item, reason))


def message_ids_of(chosen: RoundSelection) -> set[str]:
    """Return the messages that rounds show word for word."""
    return {id_ for rendered_round in chosen.rounds for id_ in rendered_round.message_ids}


def pictures_left_out(count: int) -> Item:
    """Return the pictures for which there was no room, as one item."""
    return Item(id="pictures:rest", title=f"{count} pictures of the project", tokens=0, pointer=Pointer())


def lowercase_first(title: str) -> str:
    """Return a title as it stands within a sentence."""
    return title[:1].lower() + title[1:]


def is_passage_within(one: RecalledPassage, other: RecalledPassage) -> bool:
    """Tell whether all of a passage stands in another of the same file: that may be cut."""
    mine, its = one.passage, other.passage
    same = mine.source_id == its.source_id
    return same and its.start_char <= mine.start_char and mine.end_char <= its.end_char


def number_passages(passages: Sequence[RecalledPassage], *, first: int) -> list[RecalledPassage]:
    """Return passages with numbers, beginning with `first`."""
    return [
        replace(one, passage=replace(one.passage, number=number))
        for number, one in enumerate(passages, start=first)
    ]


def normalise_whitespace(text: str) -> str:
    """Return a text without differences of white space."""
    return " ".join(text.split())
