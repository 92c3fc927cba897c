"""Choosing what was named in a conversation: what the question needs of what no round of the prompt shows."""

from collections.abc import Collection, Sequence

from tertulia.context.prompt_plan import Item, Pointer, SectionKind, WhyNot
from tertulia.context.selection_state import SEPARATOR_TOKENS, SelectionState
from tertulia.entities.domain import Entity
from tertulia.entities.prompt_choice import describe_entity, find_needed, rank_entities
from tertulia.models.prompt_frames import escape_frame_tags

#: Tokens that what was named in earlier rounds may take, and its share of the room that is left for it.
ENTITIES_MAX_TOKENS = 300
ENTITIES_MAX_SHARE = 0.25
#: And those of them that a question asks for, before the points of the summary: these tell more.
NEEDED_ENTITIES_MAX_TOKENS = 120


def entity_line(entity: Entity) -> str:
    """Return an entity as a prompt tells it."""
    return f"- {escape_frame_tags(describe_entity(entity))}"


def to_entity_item(entity: Entity) -> Item:
    """Return an entity as an item of a receipt."""
    pointer = Pointer(message_ids=[entity.last.message_id], round_number=entity.last.round_number)
    return Item(f"entity:{entity.id}", entity.value, 0, pointer, entity.local_only, entity_line(entity))


def is_told_by(entity: Entity, message_ids: Collection[str]) -> bool:
    """Tell whether one of these messages tells an entity; what a person wrote by hand stands in none."""
    is_named = entity.first.message_id in message_ids or entity.last.message_id in message_ids
    return is_named and not entity.is_edited


class EntitySelector:
    """Takes the entities of earlier rounds that a question needs, as many as fit."""

    def __init__(self, state: SelectionState) -> None:
        self._state = state
        self._left: list[Entity] = []

    def take_needed(self) -> None:
        """Take the few that a question asks for by type and in its words, before points take the room."""
        shown = self._state.messages_shown()
        unseen = [entity for entity in self._state.inputs.entities if not is_told_by(entity, shown)]
        needed = find_needed(unseen, self._state.inputs.now.question)
        self._left = rank_entities(unseen, self._state.inputs.now.question)
        self._take(needed, max_tokens=NEEDED_ENTITIES_MAX_TOKENS)

    def take_others(self) -> None:
        """Take others into what points and passages have left."""
        self._take(self._left, max_tokens=ENTITIES_MAX_TOKENS)
        if self._left:
            title = f"{len(self._left)} more that were named in earlier rounds"
            self._state.leave_out(SectionKind.ENTITIES, Item("entities:rest", title, 0), WhyNot.SHARE)

    def _take(self, entities: Sequence[Entity], *, max_tokens: int) -> None:
        state, taken = self._state, self._state.selection.entities
        frame = 0 if taken else state.frame_tokens(SectionKind.ENTITIES)
        left = min(max_tokens, int(ENTITIES_MAX_SHARE * min(state.room, state.added))) - frame
        begun = len(taken)
        for entity in entities:
            tokens = state.counter.text(entity_line(entity)) + SEPARATOR_TOKENS
            if tokens <= left:
                left -= tokens
                taken.append(entity)
                state.room, state.added = state.room - tokens, state.added - tokens
        if len(taken) > begun:
            state.room, state.added = state.room - frame, state.added - frame
        chosen = set(map(id, taken))
        self._left = [entity for entity in self._left if id(entity) not in chosen]
