"""Looking through what was said for entities, and changing them by hand."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial

from tertulia.accounts import users
from tertulia.conversations import said_messages
from tertulia.conversations.access import get_for_reading, get_for_writing
from tertulia.conversations.domain import USER_SPEAKER, Origin
from tertulia.conversations.said_messages import SaidMessage
from tertulia.core.errors import NotFound
from tertulia.core.principal import Principal
from tertulia.core.time_zones import day_in_zone, known_time_zone
from tertulia.entities import reader, store
from tertulia.entities.corrections import (
    CORRECTABLE_TYPES,
    CORRECTION_CUE_PATTERN,
    EarlierEntity,
    drop_old_values,
    find_corrections,
)
from tertulia.entities.domain import Entity, EntityMention, EntityType
from tertulia.entities.finder import ENTITIES_READ_MAX_CHARS, find_entities
from tertulia.entities.labels import label_mention
from tertulia.entities.store import MentionRecord
from tertulia.infra.db import Database, Tx

#: Messages that are looked through before what was found is stored: some milliseconds each.
READ_BATCH_MESSAGES = 10


@dataclass(frozen=True, slots=True)
class UnreadMessage:
    """A message that was not looked through yet, with the time zone of whoever asked in its round."""

    message: SaidMessage
    zone: str


async def read_new_messages(db: Database, conversation_id: str, *, by: Principal) -> None:
    """Look through what was said since the last time; nobody waits for this."""
    while True:
        try:
            unread = await db.read(partial(list_unread, conversation_id=conversation_id), by=by)
        except NotFound:
            return
        if not unread:
            return
        found = await asyncio.to_thread(find_in_messages, unread)
        await db.write(partial(record_batch, found=found), by=by)


def list_unread(tx: Tx, conversation_id: str) -> list[UnreadMessage]:
    """Return some messages that were not looked through; what programs say is theirs alone."""
    if get_for_reading(tx, conversation_id).origin is Origin.API:
        return []
    done = store.list_read_messages(tx, conversation_id)
    ids = [id_ for id_ in said_messages.list_message_ids(tx, conversation_id) if id_ not in done]
    messages = said_messages.read_said_messages(
        tx, ids[:READ_BATCH_MESSAGES], max_chars=ENTITIES_READ_MAX_CHARS
    )
    people = users.list_people(tx, {message.author_id for message in messages})
    zones = {person.id: known_time_zone(person.time_zone) for person in people}
    return [
        UnreadMessage(message, zones.get(message.author_id, known_time_zone(None))) for message in messages
    ]


def find_in_messages(unread: Sequence[UnreadMessage]) -> list[tuple[SaidMessage, list[EntityMention]]]:
    """Return what each message mentions."""
    return [
        (
            item.message,
            find_entities(
                item.message.content, said_on=day_in_zone(item.message.created_at, item.zone), zone=item.zone
            ),
        )
        for item in unread
    ]


def record_batch(tx: Tx, found: Sequence[tuple[SaidMessage, list[EntityMention]]]) -> None:
    """Store what messages mention, unless their conversation was deleted meanwhile."""
    existing = said_messages.read_said_messages(tx, [message.id for message, _ in found], max_chars=0)
    ids = {message.id for message in existing}
    for message, mentions in found:
        if message.id in ids:
            record_entities(tx, message, mentions)


def record_entities(tx: Tx, message: SaidMessage, mentions: Sequence[EntityMention]) -> None:
    """Store what a message mentions, once, and which earlier values a person corrects there."""
    if not store.mark_read(tx, message.id, message.conversation_id):
        return
    is_from_person = message.speaker == USER_SPEAKER
    earlier = list_correctable(tx, message, mentions) if is_from_person else []
    corrected = find_corrections(message.content, mentions, earlier)
    edited = store.map_edited(tx, message.conversation_id) if mentions else {}
    for mention in drop_old_values(message.content, mentions, corrected, earlier):
        store.add_mention(
            tx,
            MentionRecord(
                mention,
                message.id,
                message.conversation_id,
                message.round_number,
                is_from_person,
                label_mention(message.content, mention.start_char, mention.end_char),
                corrected.get(mention.start_char),
                edited.get((mention.type, mention.normal)),
            ),
        )


def list_correctable(tx: Tx, message: SaidMessage, mentions: Sequence[EntityMention]) -> list[EarlierEntity]:
    """Return the entities that a message may correct; none where its words correct nothing."""
    types = {mention.type for mention in mentions} & CORRECTABLE_TYPES
    if not types or CORRECTION_CUE_PATTERN.search(message.content) is None:
        return []
    return store.list_earlier(tx, message.conversation_id, types)


def list_readable(tx: Tx, conversation_id: str, *, types: Collection[EntityType]) -> list[Entity]:
    """Return the entities of a conversation that the caller may see, the latest found first."""
    conversation = get_for_reading(tx, conversation_id)
    found = reader.filter_types(reader.list_entities(tx, conversation.id), types)
    return sorted(found, key=lambda entity: entity.id, reverse=True)


def get_entity(tx: Tx, conversation_id: str, entity_id: str) -> Entity:
    """Return an entity of a conversation, or raise `NotFound`."""
    found = (entity for entity in reader.list_entities(tx, conversation_id) if entity.id == entity_id)
    if entity := next(found, None):
        return entity
    raise NotFound("entity")


def edit_entity(
    tx: Tx, conversation_id: str, entity_id: str, *, value: str | None, type_: EntityType | None
) -> Entity:
    """Let what a person writes hold for an entity, whatever is found later."""
    get_for_writing(tx, conversation_id)
    entity = get_entity(tx, conversation_id, entity_id)
    store.edit_entity(
        tx, entity_id, type_=type_ or entity.type, value=entity.value if value is None else value
    )
    return get_entity(tx, conversation_id, entity_id)


def hide_entity(tx: Tx, conversation_id: str, entity_id: str) -> None:
    """Hide an entity from its conversation for good."""
    get_for_writing(tx, conversation_id)
    store.hide_entity(tx, get_entity(tx, conversation_id, entity_id).id)
