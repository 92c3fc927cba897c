"""The entities of a conversation as they hold on a branch: from the messages that count there."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from tertulia.conversations import marks
from tertulia.conversations.domain import Mark
from tertulia.conversations.message_visibility import Branch, find_hidden_messages
from tertulia.entities import store
from tertulia.entities.domain import Entity, EntitySighting, EntityType
from tertulia.entities.normal_forms import normalise_value
from tertulia.entities.prompt_choice import rank_entities
from tertulia.entities.store import StoredMention
from tertulia.infra.db import Tx

#: Entities that are considered for one prompt: several times as many as it has room for.
LIKELY_ENTITIES_MAX = 80


def list_for_prompt(
    tx: Tx, conversation_id: str, branch: Branch | None, *, question: str = ""
) -> list[Entity]:
    """Return the entities that hold on a branch and serve a question most; corrected values are left out.

    Whether messages count takes long to find out: only those of likely entities are asked about.
    """
    mentions = store.list_mentions(tx, conversation_id)
    every = build_entities(mentions, conversation_id=conversation_id, hidden=(), local=())
    likely = {entity.id for entity in rank_entities(every, question)[:LIKELY_ENTITIES_MAX]}
    corrected = {mention.corrected_id for mention in mentions if mention.id in likely}
    near = [
        mention
        for mention in mentions
        if mention.id in likely or mention.id in corrected or mention.corrected_id in likely
    ]
    counting = read_entities(tx, near, conversation_id, branch=branch)
    return [entity for entity in counting if entity.replaced_by is None]


def list_entities(tx: Tx, conversation_id: str, *, branch: Branch | None = None) -> list[Entity]:
    """Return the entities of a branch, or of the one that is shown, the first mentioned first."""
    return read_entities(tx, store.list_mentions(tx, conversation_id), conversation_id, branch=branch)


def read_entities(
    tx: Tx, mentions: Sequence[StoredMention], conversation_id: str, *, branch: Branch | None
) -> list[Entity]:
    """Return the entities of mentions, as far as their messages count."""
    message_ids = sorted({mention.message_id for mention in mentions})
    hidden = find_hidden_messages(tx, message_ids, branch=branch) if message_ids else frozenset[str]()
    marked = marks.find_marks(tx, message_ids) if message_ids else {}
    local = {id_ for id_, own in marked.items() if Mark.LOCAL_ONLY in own}
    return build_entities(mentions, conversation_id=conversation_id, hidden=hidden, local=local)


def build_entities(
    mentions: Sequence[StoredMention],
    *,
    conversation_id: str,
    hidden: Collection[str],
    local: Collection[str],
) -> list[Entity]:
    """Return entities from their mentions, without those in hidden messages."""
    by_entity: dict[str, list[StoredMention]] = {}
    hidden_counts: dict[str, int] = {}
    for mention in mentions:
        if mention.message_id in hidden:
            hidden_counts[mention.id] = hidden_counts.get(mention.id, 0) + 1
        else:
            by_entity.setdefault(mention.id, []).append(mention)
    entities = {
        id_: build_entity(
            own, conversation_id=conversation_id, hidden_count=hidden_counts.get(id_, 0), local=local
        )
        for id_, own in by_entity.items()
    }
    visible = (mention for mention in mentions if mention.message_id not in hidden)
    return apply_corrections(entities, visible)


def build_entity(
    mentions: Sequence[StoredMention], *, conversation_id: str, hidden_count: int, local: Collection[str]
) -> Entity:
    """Return one entity; words for local models alone are told only where there are no others."""
    shared = [mention for mention in mentions if mention.message_id not in local]
    told = shared or mentions
    first, last = told[0], told[-1]
    edited = last.edited_value
    said = dict.fromkeys(mention.value for mention in told if edited and not is_said_as_edited(mention))
    return Entity(
        id=last.id,
        conversation_id=conversation_id,
        type=last.type,
        value=last.value if edited is None else edited,
        normal=last.normal,
        first=EntitySighting(first.message_id, first.round_number, first.label),
        last=EntitySighting(last.message_id, last.round_number, last.label),
        mention_count=max(len(told), last.total - hidden_count - len(mentions) + len(told)),
        is_edited=edited is not None,
        is_from_person=any(mention.is_from_person for mention in told),
        local_only=not shared,
        former_values=tuple(said),
    )


def is_said_as_edited(mention: StoredMention) -> bool:
    """Tell whether words of a message say what a person gave to their entity by hand."""
    return normalise_value(mention.type, mention.value) == mention.normal


def apply_corrections(entities: dict[str, Entity], mentions: Iterable[StoredMention]) -> list[Entity]:
    """Return entities with those marked that were corrected, in the order in which that was said."""
    replaced_by: dict[str, str] = {}
    former = {id_: entity.former_values for id_, entity in entities.items()}
    for mention in mentions:
        if mention.corrected_id is None:
            continue
        # Who returns to an old value means it again.
        replaced_by.pop(mention.id, None)
        if (old := entities.get(mention.corrected_id)) is not None:
            replaced_by[old.id] = mention.id
            values = (*former[mention.id], *former[old.id], old.value)
            now = entities[mention.id].value
            former[mention.id] = tuple(dict.fromkeys(value for value in values if value != now))
    return [
        replace(entity, replaced_by=replaced_by.get(id_), former_values=former[id_])
        for id_, entity in entities.items()
    ]


def filter_types(entities: Iterable[Entity], types: Collection[EntityType]) -> list[Entity]:
    """Return the entities of some types; of all where none is named."""
    return [entity for entity in entities if not types or entity.type in types]
