"""Choosing what goes into a prompt: pure, deterministic, and never more than the budget.

First comes what every prompt must have: the system prompt and the question.
What is left is given, in this order, to the lines on the conversation, the files the question names, pinned
messages, files that are always in context, recent rounds (the newest first,
while some room is kept for points), the points of the summary that
those rounds do not show themselves, and at last the passages that were found. So
when room runs out, passages go first, the worst before the best; then old rounds.

Shares are of what the system prompt leaves, not of what the question leaves, so
that a longer question does not change what stands before it.
"""

from collections.abc import Sequence

from tertulia.context.conversation_note import note_items, note_text
from tertulia.context.domain import PromptInputs
from tertulia.context.entity_selection import EntitySelector
from tertulia.context.known_facts import MEMORY_BUDGET_TOKENS, number_fact, to_item
from tertulia.context.passage_selection import FILES_MAX_SHARE, PassageSelector
from tertulia.context.prompt_depth import PromptDepth
from tertulia.context.prompt_plan import Item, Pointer, SectionKind, WhyNot
from tertulia.context.recent_rounds import count_message_tokens
from tertulia.context.round_messages import final_message_names, final_messages
from tertulia.context.round_selection import RoundSelector
from tertulia.context.selection_state import SEPARATOR_TOKENS, PromptSelection, SelectionState
from tertulia.context.system_prompt import system_items
from tertulia.context.token_budget import PromptPart, QuestionTooLong, TokenBudget
from tertulia.models.calls import PromptMessage
from tertulia.models.domain import Ability, Model
from tertulia.models.tokens import TokenCounter


class PromptSelector:
    """Fits inputs, without what this lane may not be shown, into a token budget.

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
        self._inputs = inputs
        self._model = model
        self._budget = budget
        self._counter = counter
        self._spare = spare
        self._state = SelectionState(
            inputs,
            depth,
            counter,
            has_vision=Ability.VISION in model.abilities,
            room=budget.prompt_tokens - counter.overhead(),
            added=budget.prompt_tokens,
        )
        self._selection = self._state.selection
        self._selection.final_messages = final_messages(inputs, has_vision=self._state.has_vision)
        self._choose_system()
        self._system_tokens = sum(
            counter.text(item.text) + SEPARATOR_TOKENS for item in self._selection.system
        )
        #: What the system prompt leaves: the same from question to question.
        self._base = max(0, self._state.room - self._system_tokens)
        self._passages = PassageSelector(self._state)
        self._entities = EntitySelector(self._state)
        self._rounds = RoundSelector(self._state, room_for_past=self._base)

    def select(self) -> PromptSelection:
        """Return what goes into the prompt."""
        self._take_required()
        self._take_note()
        self._take_pictures()
        self._passages.take_named_files(self._rounds.tokens_wanted)
        self._rounds.take_pinned()
        self._take_known_facts()
        self._passages.take_always_files(max(0, self._base - self._spare))
        self._rounds.take_rounds()
        self._entities.take_needed()
        self._rounds.take_points()
        self._passages.note_search_gaps()
        self._passages.take_found_passages()
        self._rounds.drop_points_found_too()
        self._entities.take_others()
        self._passages.number_passages()
        return self._selection

    def question_too_long(self, tokens: int, limit: int) -> QuestionTooLong:
        """Return what is wrong when what must be there does not fit: the largest part of it is named."""
        system = [
            PromptPart(lowercase_first(item.title), self._counter.text(item.text))
            for item in self._selection.system
        ]
        said = map(self._counter.message, self._selection.final_messages)
        parts = [*system, *map(PromptPart, final_message_names(self._inputs), said)]
        return QuestionTooLong(
            tokens=tokens,
            limit=limit,
            model=self._model.title,
            is_window=self._budget.is_window_limited,
            largest=max(parts, key=lambda part: part.tokens),
        )

    def _choose_system(self) -> None:
        for item in system_items(self._inputs, self._model):
            if item.id in self._inputs.leave_out:
                self._state.leave_out(SectionKind.SYSTEM, item, WhyNot.ASKED)
            else:
                self._selection.system.append(item)

    def _take_required(self) -> None:
        needed = self._system_tokens + self._final_tokens()
        if needed > self._state.room:
            raise self.question_too_long(needed, self._budget.prompt_tokens)
        self._state.take_required_tokens(needed, spare=self._spare)

    def _take_note(self) -> None:
        """Take what is told of the conversation, line by line as far as it fits."""
        for item in note_items(self._inputs):
            kept = [*self._selection.note, item]
            tokens = self._note_tokens(kept) - self._note_tokens(self._selection.note)
            if item.id in self._inputs.leave_out:
                self._state.leave_out(SectionKind.CONVERSATION, item, WhyNot.ASKED)
            elif tokens > self._state.room:
                self._state.leave_out(SectionKind.CONVERSATION, item, WhyNot.NO_ROOM)
            else:
                self._state.room -= tokens
                self._selection.note = kept

    def _take_known_facts(self) -> None:
        """Take what is known of the person, in its order, as far as its budget reaches."""
        frame = self._state.frame_tokens(SectionKind.MEMORY) if self._inputs.known else 0
        left = min(MEMORY_BUDGET_TOKENS, self._state.room) - frame
        for number, known in enumerate(self._inputs.known, 1):
            fact = number_fact(known, number)
            tokens = self._counter.text(fact.text) + SEPARATOR_TOKENS
            if tokens > left:
                reason = WhyNot.SHARE if tokens <= self._state.room - frame else WhyNot.NO_ROOM
                self._state.leave_out(SectionKind.MEMORY, to_item(fact), reason)
                continue
            left -= tokens
            self._state.room -= tokens
            self._selection.known.append(fact)
        if self._selection.known:
            self._state.room -= frame

    def _note_tokens(self, items: Sequence[Item]) -> int:
        return self._counter.message(PromptMessage("user", note_text(items))) if items else 0

    def _take_pictures(self) -> None:
        """Take the pictures among the files at hand with the question, as many as fit."""
        pictures = self._inputs.memory.images
        bare = self._final_tokens()
        for count in range(len(pictures), 0, -1):
            said = final_messages(self._inputs, pictures[:count], has_vision=self._state.has_vision)
            tokens = count_message_tokens(said, counter=self._counter) - bare
            if tokens <= self._state.room * FILES_MAX_SHARE:
                self._state.room -= tokens
                self._selection.final_messages, self._selection.pictures = said, count
                break
        if left := len(pictures) - self._selection.pictures:
            self._state.leave_out(SectionKind.QUESTION, pictures_left_out(left), WhyNot.NO_ROOM)

    def _final_tokens(self) -> int:
        return count_message_tokens(self._selection.final_messages, counter=self._counter)


def pictures_left_out(count: int) -> Item:
    """Return the pictures for which there was no room, as one item."""
    return Item(id="pictures:rest", title=f"{count} pictures of the project", tokens=0, pointer=Pointer())


def lowercase_first(title: str) -> str:
    """Return a title as it stands within a sentence."""
    return title[:1].lower() + title[1:]
