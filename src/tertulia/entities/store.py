"""Entities in the database."""

from collections.abc import Collection
from dataclasses import dataclass

from tertulia.core.ids import new_id
from tertulia.entities.corrections import EarlierEntity
from tertulia.entities.domain import EntityMention, EntityType
from tertulia.entities.normal_forms import normalise_value
from tertulia.infra.db import Tx

#: Of each entity so many of its first and of its last mentions are read: enough to pass over hidden ones.
FIRST_MENTIONS_READ_MAX = 3
LAST_MENTIONS_READ_MAX = 5


@dataclass(frozen=True, slots=True)
class StoredMention:
    """One mention of an entity, with what is stored of the entity itself."""

    id: str
    found_type: EntityType
    found_normal: str
    edited_type: EntityType | None
    edited_value: str | None
    message_id: str
    start_char: int
    round_number: int
    is_from_person: bool
    value: str
    label: str
    corrected_id: str | None
    total: int

    @property
    def type(self) -> EntityType:
        """The type that holds: what a person chose, or what was found."""
        return self.edited_type or self.found_type

    @property
    def normal(self) -> str:
        """The form by which the value that holds is compared."""
        return (
            self.found_normal if self.edited_value is None else normalise_value(self.type, self.edited_value)
        )


@dataclass(frozen=True, slots=True)
class EditedEntity:
    """An entity whose value a person wrote."""

    id: str
    edited_type: EntityType
    edited_value: str


@dataclass(frozen=True, slots=True)
class MentionRecord:
    """A mention to be stored, with the message that it stands in."""

    mention: EntityMention
    message_id: str
    conversation_id: str
    round_number: int
    is_from_person: bool
    label: str
    corrected_id: str | None = None
    #: The entity that has this value by hand, and would not be known by what is found.
    entity_id: str | None = None


def list_read_messages(tx: Tx, conversation_id: str) -> frozenset[str]:
    """Return the messages of a conversation that were looked through."""
    sql = "SELECT message_id FROM entity_reads WHERE conversation_id = :id AND workspace_id = :workspace"
    return frozenset(tx.column(sql, id=conversation_id))


def mark_read(tx: Tx, message_id: str, conversation_id: str) -> bool:
    """Note that a message was looked through; False where it was before."""
    sql = """INSERT INTO entity_reads (message_id, workspace_id, conversation_id)
        VALUES (:message, :workspace, :conversation) ON CONFLICT (message_id) DO NOTHING"""
    return bool(tx.change(sql, message=message_id, conversation=conversation_id))


def add_mention(tx: Tx, record: MentionRecord) -> str:
    """Store a mention under the entity of its form, and return that entity's id."""
    entity_id = record.entity_id or get_or_add_entity(tx, record.conversation_id, record.mention)
    tx.run(
        """INSERT INTO entity_mentions (message_id, start_char, end_char, workspace_id, conversation_id,
             entity_id, round_number, is_from_person, value, label, corrected_id)
           VALUES (:message, :start, :end, :workspace, :conversation, :entity, :round_number,
             :is_from_person, :value, :label, :corrected)
           ON CONFLICT (message_id, start_char) DO NOTHING""",
        message=record.message_id,
        start=record.mention.start_char,
        end=record.mention.end_char,
        conversation=record.conversation_id,
        entity=entity_id,
        round_number=record.round_number,
        is_from_person=record.is_from_person,
        value=record.mention.value,
        label=record.label,
        corrected=record.corrected_id,
    )
    return entity_id


def get_or_add_entity(tx: Tx, conversation_id: str, mention: EntityMention) -> str:
    """Return the id of the entity of a form, which is added where it is new."""
    tx.run(
        """INSERT INTO entities (id, workspace_id, conversation_id, found_type, found_normal)
           VALUES (:id, :workspace, :conversation, :type, :normal)
           ON CONFLICT (conversation_id, found_type, found_normal) DO NOTHING""",
        id=new_id("ent"),
        conversation=conversation_id,
        type=mention.type,
        normal=mention.normal,
    )
    return tx.value(
        """SELECT id FROM entities WHERE conversation_id = :conversation AND found_type = :type
           AND found_normal = :normal AND workspace_id = :workspace""",
        conversation=conversation_id,
        type=mention.type,
        normal=mention.normal,
    )


def map_edited(tx: Tx, conversation_id: str) -> dict[tuple[EntityType, str], str]:
    """Return the entities to which a person gave a value, by its type and form."""
    edited = tx.all(
        EditedEntity,
        """SELECT id, edited_type, edited_value FROM entities WHERE conversation_id = :conversation
           AND edited_value IS NOT NULL AND workspace_id = :workspace""",
        conversation=conversation_id,
    )
    return {
        (entity.edited_type, normalise_value(entity.edited_type, entity.edited_value)): entity.id
        for entity in edited
    }


def list_earlier(tx: Tx, conversation_id: str, types: Collection[EntityType]) -> list[EarlierEntity]:
    """Return the entities of some kinds that a person mentioned, each as said last, oldest first."""
    latest: dict[str, EarlierEntity] = {}
    for mention in list_mentions(tx, conversation_id):
        if mention.is_from_person and mention.type in types:
            latest.pop(mention.id, None)
            value = mention.value if mention.edited_value is None else mention.edited_value
            latest[mention.id] = EarlierEntity(mention.id, mention.type, mention.normal, value, mention.label)
    return list(latest.values())


def list_mentions(tx: Tx, conversation_id: str) -> list[StoredMention]:
    """Return the first and last mentions of each entity that is not hidden, in the order of the messages."""
    return tx.all(
        StoredMention,
        """SELECT e.id, e.found_type, e.found_normal, e.edited_type, e.edited_value, m.message_id,
             m.start_char, m.round_number, m.is_from_person, m.value, m.label, m.corrected_id, m.total
           FROM (SELECT o.*,
               row_number() OVER (PARTITION BY entity_id ORDER BY message_id, start_char) AS from_first,
               row_number() OVER (PARTITION BY entity_id
                 ORDER BY message_id DESC, start_char DESC) AS from_last,
               count(*) OVER (PARTITION BY entity_id) AS total
             FROM entity_mentions AS o
             WHERE o.conversation_id = :conversation AND o.workspace_id = :workspace) AS m
           JOIN entities AS e ON e.id = m.entity_id
           WHERE e.is_hidden = 0 AND e.workspace_id = :workspace AND (m.from_first <= :first
             OR m.from_last <= :last OR m.corrected_id IS NOT NULL)
           ORDER BY m.message_id, m.start_char""",
        conversation=conversation_id,
        first=FIRST_MENTIONS_READ_MAX,
        last=LAST_MENTIONS_READ_MAX,
    )


def edit_entity(tx: Tx, entity_id: str, *, type_: EntityType, value: str) -> None:
    """Let what a person writes hold for an entity from now on."""
    sql = """UPDATE entities SET edited_type = :type, edited_value = :value
        WHERE id = :id AND workspace_id = :workspace"""
    tx.run(sql, id=entity_id, type=type_, value=value)


def hide_entity(tx: Tx, entity_id: str) -> None:
    """Hide an entity for good, also when it is mentioned again."""
    sql = "UPDATE entities SET is_hidden = 1 WHERE id = :id AND workspace_id = :workspace"
    tx.run(sql, id=entity_id)
