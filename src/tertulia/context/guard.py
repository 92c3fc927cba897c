"""The one place that keeps from a model what it may not be shown, whatever it would have fitted into.

A scene goes in with everything that was gathered and comes out with what this
lane may hear: nothing for local models goes to one that runs elsewhere, nothing
of other lanes where each hears only its own, nothing that a person left out.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tertulia.context import items
from tertulia.context.domain import PastReply, PastRound, Pinned, Recalled, Scene, Shelf
from tertulia.context.plan import Item, LeftOut, SectionKind, WhyNot
from tertulia.conversations.domain import USER, Policy, ReplyKind, speaker_of
from tertulia.core.errors import NotAllowed
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
class Guard:
    """Admits what one lane may be shown, and notes what it turns away."""

    scene: Scene
    model: Model
    turned_away: list[LeftOut] = field(default_factory=list[LeftOut])
    #: Messages that only local models may see, by whatever way they come.
    local: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        answered = (past.message_ids for past in self.scene.past if past.local_only)
        self.local = self.scene.local_messages.union(*answered) - {""}

    def admitted(self) -> Scene:
        """Return the scene with all that may be shown."""
        scene = self.scene
        if not self.may_see(local_only=scene.now.local_only or scene.begun_id in self.local):
            raise OnlyForLocalModels(self.model.title)
        return replace(
            scene,
            past=tuple(kept for one in scene.past if (kept := self._round(one))),
            now=replace(scene.now, replies=self._replies(scene.now)),
            pinned=self._pinned(),
            points=self._points(),
            local_messages=self.local,
            shelf=self._shelf(),
            memory=replace(
                scene.memory,
                always=self._recalled(scene.memory.always, SectionKind.FILES),
                named=self._recalled(scene.memory.named, SectionKind.PASSAGES),
                found=self._recalled(self._found_only(), SectionKind.PASSAGES),
            ),
        )

    def may_see(self, *, local_only: bool) -> bool:
        """Tell whether the model may see a thing: this is the line that nothing local crosses."""
        return self.model.local or not local_only

    def _round(self, past: PastRound) -> PastRound | None:
        """Return a round with what of it may be shown; None when its question may not."""
        if reason := self._why_not(
            items.of_round(past).id, local_only=past.local_only, ids=[past.question_id]
        ):
            self._turn_away(SectionKind.ROUNDS, items.of_round(past), reason)
            return None
        return replace(past, replies=self._replies(past))

    def _replies(self, past: PastRound) -> tuple[PastReply, ...]:
        def why_not(reply: PastReply) -> WhyNot | None:
            own = reply.lane == self.scene.lane and reply.kind is ReplyKind.ANSWER
            reads_all = self.scene.kind is not ReplyKind.ANSWER and past is self.scene.now
            if self.scene.policy is Policy.OWN and not own and not reads_all:
                return WhyNot.OTHER_LANE
            return self._why_not(items.of_reply(past, reply).id, local_only=reply.local_only, ids=[reply.id])

        return self._each(past.replies, SectionKind.ROUNDS, lambda one: items.of_reply(past, one), why_not)

    def _pinned(self) -> tuple[Pinned, ...]:
        known = [replace(one, local_only=one.local_only or one.id in self.local) for one in self.scene.pinned]
        return self._each(known, SectionKind.PINNED, items.of_pinned, self._why_not_pinned)

    def _why_not_pinned(self, pinned: Pinned) -> WhyNot | None:
        if self.scene.policy is Policy.OWN and pinned.speaker not in (USER, self.scene.lane):
            return WhyNot.OTHER_LANE
        return self._why_not(items.of_pinned(pinned).id, local_only=pinned.local_only, ids=[pinned.id])

    def _points(self) -> tuple[Point, ...]:
        """Return the points that may be shown; they come from messages, and follow what holds for those."""
        reasons = [self._why_not_point(point) for point in self.scene.points]
        for reason, count in Counter(filter(None, reasons)).items():
            self._turn_away(SectionKind.SUMMARY, items.of_points(count, reason), reason)
        return tuple(
            point for point, reason in zip(self.scene.points, reasons, strict=True) if reason is None
        )

    def _why_not_point(self, point: Point) -> WhyNot | None:
        if not self.scene.passed_over.isdisjoint(point.sources):
            return WhyNot.PASSED_OVER
        if self.scene.policy is Policy.OWN and not set(point.speakers) <= {USER, self.scene.lane}:
            return WhyNot.OTHER_LANE
        return self._why_not(items.SUMMARY_ID, local_only=False, ids=point.sources)

    def _shelf(self) -> Shelf:
        """Return the list without files for local models: a reply to one with them could not be shared."""
        listed = tuple(one for one in self.scene.shelf.listed if not one.local_only)
        hidden = len(self.scene.shelf.listed) - len(listed)
        tools = tuple(one for one in self.scene.shelf.tools if not one.local_only)
        return replace(self.scene.shelf, listed=listed, count=self.scene.shelf.count - hidden, tools=tools)

    def _recalled(self, found: Iterable[Recalled], section: SectionKind) -> tuple[Recalled, ...]:
        def why_not(one: Recalled) -> WhyNot | None:
            if self.scene.policy is Policy.OWN and not self._is_own(one):
                return WhyNot.OTHER_LANE
            return self._why_not(
                items.of_recalled(one).id, local_only=one.local_only, ids=[one.passage.source_id]
            )

        known = [
            replace(one, local_only=one.local_only or one.passage.source_id in self.local) for one in found
        ]
        return self._each(known, section, items.of_recalled, why_not)

    def _found_only(self) -> list[Recalled]:
        """Return what was found; what the question names as well is one thing, and told of once."""
        named = {items.of_recalled(one).id for one in self.scene.memory.named}
        return [one for one in self.scene.memory.found if items.of_recalled(one).id not in named]

    def _is_own(self, one: Recalled) -> bool:
        """Tell whether a passage is no other model's: a file's, the person's, or this lane's."""
        speaker = one.passage.speaker
        if speaker in ("", USER):
            return True
        return one.lane == self.scene.lane if one.lane else speaker == speaker_of(self.scene.model)

    def _why_not(self, item_id: str, *, local_only: bool, ids: Collection[str]) -> WhyNot | None:
        if not self.may_see(local_only=local_only or not self.local.isdisjoint(ids)):
            return WhyNot.LOCAL_ONLY
        if not self.scene.excluded.isdisjoint(ids):
            return WhyNot.EXCLUDED
        if item_id in self.scene.leave_out:
            return WhyNot.ASKED
        return None if self.scene.asked_out.isdisjoint(ids) else WhyNot.ALONG

    def _each(
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
                self._turn_away(section, as_item(thing), reason)
            else:
                kept.append(thing)
        return tuple(kept)

    def _turn_away(self, section: SectionKind, item: Item, reason: WhyNot) -> None:
        self.turned_away.append(LeftOut(section, item, reason))
