"""The one place that keeps from a model what it may not be shown, whatever it would have fitted into.

`PromptInputs` go in with everything that was gathered and come out with what this
lane may be shown: nothing for local models goes to one that runs elsewhere, nothing
of other lanes where each is shown only its own, nothing that a person left out.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tertulia.context import plan_items
from tertulia.context.domain import (
    AbsentFile,
    FileList,
    PastReply,
    PastRound,
    PinnedMessage,
    PromptInputs,
    RecalledPassage,
    TitleFacts,
)
from tertulia.context.known_facts import KnownFact, to_item
from tertulia.context.prompt_plan import Item, LeftOut, SectionKind, WhyNot
from tertulia.conversations.conversation_labels import ConversationLabel
from tertulia.conversations.domain import USER_SPEAKER, Policy, ReplyKind, speaker_of
from tertulia.core.errors import NotAllowed
from tertulia.entities.domain import Entity
from tertulia.memory.domain import Point
from tertulia.models.domain import Model

T = TypeVar("T")


class OnlyForLocalModels(NotAllowed):
    """A question that is for local models alone was asked of one that runs elsewhere."""

    code = "only_for_local_models"

    def __init__(self, model: str) -> None:
        super().__init__(
            f"This message is for local models alone, and {model} runs elsewhere. Ask a local one."
        )


@dataclass(slots=True)
class VisibilityFilter:
    """Admits what one lane may be shown, and notes what it turns away."""

    inputs: PromptInputs
    model: Model
    left_out: list[LeftOut] = field(default_factory=list[LeftOut])
    #: Messages that only local models may see, by whatever way they come.
    local: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        answered = (past.message_ids for past in self.inputs.past if past.local_only)
        self.local = self.inputs.local_messages.union(*answered) - {""}

    def apply(self) -> PromptInputs:
        """Return the inputs with all that may be shown."""
        inputs = self.inputs
        if not self.can_see(local_only=inputs.now.local_only or inputs.begun_id in self.local):
            raise OnlyForLocalModels(self.model.title)
        return replace(
            inputs,
            past=tuple(kept for past_round in inputs.past if (kept := self._filter_round(past_round))),
            now=replace(inputs.now, replies=self._filter_replies(inputs.now)),
            facts=replace(inputs.facts, title=self._filter_title()),
            pinned=self._filter_pinned(),
            known=self._filter_known(),
            entities=self._filter_entities(),
            points=self._filter_points(),
            local_messages=self.local,
            file_list=self._filter_file_list(),
            memory=replace(
                inputs.memory,
                always=self._filter_passages(inputs.memory.always, SectionKind.FILES),
                named=self._filter_passages(inputs.memory.named, SectionKind.PASSAGES),
                found=self._filter_passages(self._found_only(), SectionKind.PASSAGES),
                absent=self._filter_absent(),
            ),
        )

    def can_see(self, *, local_only: bool) -> bool:
        """Tell whether the model may see a thing: this is the line that nothing local crosses."""
        return self.model.local or not local_only

    def _filter_round(self, past: PastRound) -> PastRound | None:
        """Return a round with what of it may be shown; None when its question may not."""
        if reason := self._why_not(
            plan_items.of_round(past).id, local_only=past.local_only, ids=[past.question_id]
        ):
            self._leave_out(SectionKind.ROUNDS, plan_items.of_round(past), reason)
            return None
        return replace(past, replies=self._filter_replies(past))

    def _filter_replies(self, past: PastRound) -> tuple[PastReply, ...]:
        def why_not(reply: PastReply) -> WhyNot | None:
            own = reply.lane == self.inputs.lane and reply.kind is ReplyKind.ANSWER
            reads_all = self.inputs.kind is not ReplyKind.ANSWER and past is self.inputs.now
            if self.inputs.policy is Policy.OWN and not own and not reads_all:
                return WhyNot.OTHER_LANE
            return self._why_not(
                plan_items.of_reply(past, reply).id, local_only=reply.local_only, ids=[reply.id]
            )

        return self._filter_each(
            past.replies, SectionKind.ROUNDS, lambda reply: plan_items.of_reply(past, reply), why_not
        )

    def _filter_pinned(self) -> tuple[PinnedMessage, ...]:
        known = [
            replace(pinned_message, local_only=pinned_message.local_only or pinned_message.id in self.local)
            for pinned_message in self.inputs.pinned
        ]
        return self._filter_each(known, SectionKind.PINNED, plan_items.of_pinned, self._why_not_pinned)

    def _why_not_pinned(self, pinned: PinnedMessage) -> WhyNot | None:
        if self.inputs.policy is Policy.OWN and pinned.speaker not in (USER_SPEAKER, self.inputs.lane):
            return WhyNot.OTHER_LANE
        return self._why_not(plan_items.of_pinned(pinned).id, local_only=pinned.local_only, ids=[pinned.id])

    def _filter_entities(self) -> tuple[Entity, ...]:
        """Return what may be told of what was named: it follows what holds for the messages that name it."""

        def may_tell(entity: Entity) -> bool:
            if self.inputs.policy is Policy.OWN and not entity.is_from_person:
                return False
            sources = {entity.first.message_id, entity.last.message_id}
            reason = self._why_not(f"entity:{entity.id}", local_only=entity.local_only, ids=sources)
            return reason is None and self.inputs.passed_over.isdisjoint(sources)

        return tuple(filter(may_tell, self.inputs.entities))

    def _filter_known(self) -> tuple[KnownFact, ...]:
        """Return what may be told of the person."""

        def why_not(fact: KnownFact) -> WhyNot | None:
            return self._why_not(fact.id, local_only=fact.local_only, ids=())

        return self._filter_each(self.inputs.known, SectionKind.MEMORY, to_item, why_not)

    def _filter_points(self) -> tuple[Point, ...]:
        """Return the points that may be shown; they come from messages, and follow what holds for those."""
        reasons = [self._why_not_point(point) for point in self.inputs.points]
        for reason, count in Counter(filter(None, reasons)).items():
            self._leave_out(SectionKind.SUMMARY, plan_items.of_points(count, reason), reason)
        return tuple(
            point for point, reason in zip(self.inputs.points, reasons, strict=True) if reason is None
        )

    def _why_not_point(self, point: Point) -> WhyNot | None:
        return self._why_not_made_of(plan_items.SUMMARY_ID, point.sources, point.speakers)

    def _filter_title(self) -> TitleFacts:
        """Return the title, which follows what holds for the messages that it was made of.

        No model is told one that was made of what is for local models: its replies could not be shared. In
        the first round it says nothing that the question does not, unless what others reply to it just now.
        """
        title = self.inputs.facts.title
        if self.inputs.now.question_id in title.sources:
            return TitleFacts()
        reason = self._why_not_made_of(plan_items.TITLE_ITEM.id, title.sources, title.speakers)
        if title.text and reason:
            self._leave_out(SectionKind.CONVERSATION, plan_items.TITLE_ITEM, reason)
        is_local = not self.local.isdisjoint(title.sources)
        return TitleFacts() if reason or is_local else title

    def _why_not_made_of(
        self, item_id: str, sources: Collection[str], speakers: Collection[str]
    ) -> WhyNot | None:
        """Return what speaks against something that was made of messages: the same as against one of them."""
        if not self.inputs.passed_over.isdisjoint(sources):
            return WhyNot.PASSED_OVER
        if self.inputs.policy is Policy.OWN and not set(speakers) <= {USER_SPEAKER, self.inputs.lane}:
            return WhyNot.OTHER_LANE
        return self._why_not(item_id, local_only=False, ids=sources)

    def _filter_file_list(self) -> FileList:
        """Return the list without files for local models: a reply to one with them could not be shared."""
        listed = tuple(
            listed_file for listed_file in self.inputs.file_list.listed if not listed_file.local_only
        )
        hidden = len(self.inputs.file_list.listed) - len(listed)
        tools = tuple(tool for tool in self.inputs.file_list.tools if not tool.local_only)
        return replace(
            self.inputs.file_list, listed=listed, count=self.inputs.file_list.count - hidden, tools=tools
        )

    def _filter_passages(
        self, found: Iterable[RecalledPassage], section: SectionKind
    ) -> tuple[RecalledPassage, ...]:
        def why_not(one: RecalledPassage) -> WhyNot | None:
            if self.inputs.policy is Policy.OWN and not self._is_own(one):
                return WhyNot.OTHER_LANE
            return self._why_not(
                plan_items.of_recalled(one).id, local_only=one.local_only, ids=[one.passage.source_id]
            )

        known = [
            replace(
                recalled_passage,
                local_only=recalled_passage.local_only or recalled_passage.passage.source_id in self.local,
                conversation=self._filter_label(recalled_passage.conversation),
            )
            for recalled_passage in found
        ]
        return self._filter_each(known, section, plan_items.of_recalled, why_not)

    def _filter_absent(self) -> tuple[AbsentFile, ...]:
        """Return the absent files that may be named to this model."""

        def why_not(file: AbsentFile) -> WhyNot | None:
            return None if self.can_see(local_only=file.local_only) else WhyNot.LOCAL_ONLY

        return self._filter_each(
            self.inputs.memory.absent, SectionKind.PASSAGES, plan_items.of_absent, why_not
        )

    def _filter_label(self, label: ConversationLabel | None) -> ConversationLabel | None:
        """Return what a conversation is called, unless these are words that the lane is not to be shown."""
        hidden = self.inputs.excluded | self.inputs.asked_out
        return None if label is None or label.message_id in hidden else label

    def _found_only(self) -> list[RecalledPassage]:
        """Return what was found; what the question names as well is one thing, and told of once."""
        named = {plan_items.of_recalled(recalled_passage).id for recalled_passage in self.inputs.memory.named}
        return [
            recalled_passage
            for recalled_passage in self.inputs.memory.found
            if plan_items.of_recalled(recalled_passage).id not in named
        ]

    def _is_own(self, one: RecalledPassage) -> bool:
        """Tell whether a passage is no other model's: a file's, the person's, or this lane's."""
        speaker = one.passage.speaker
        if speaker in ("", USER_SPEAKER):
            return True
        return one.lane == self.inputs.lane if one.lane else speaker == speaker_of(self.inputs.model)

    def _why_not(self, item_id: str, *, local_only: bool, ids: Collection[str]) -> WhyNot | None:
        if not self.can_see(local_only=local_only or not self.local.isdisjoint(ids)):
            return WhyNot.LOCAL_ONLY
        if not self.inputs.excluded.isdisjoint(ids):
            return WhyNot.EXCLUDED
        if item_id in self.inputs.leave_out:
            return WhyNot.ASKED
        return None if self.inputs.asked_out.isdisjoint(ids) else WhyNot.ALONG

    def _filter_each(
        self,
        things: Iterable[T],
        section: SectionKind,
        as_item: Callable[[T], Item],
        why_not: Callable[[T], WhyNot | None],
    ) -> tuple[T, ...]:
        """Return the things that nothing speaks against, and note the others."""
        kept: list[T] = []
        for thing in things:
            if reason := why_not(thing):
                self._leave_out(section, as_item(thing), reason)
            else:
                kept.append(thing)
        return tuple(kept)

    def _leave_out(self, section: SectionKind, item: Item, reason: WhyNot) -> None:
        self.left_out.append(LeftOut(section, item, reason))
