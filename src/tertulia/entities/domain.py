"""What was said in a conversation that has a name, a place, a day or a number."""

from dataclasses import dataclass
from enum import StrEnum


class EntityType(StrEnum):
    """What kind of thing is mentioned."""

    PERSON = "person"
    ORGANISATION = "organisation"
    ADDRESS = "address"
    PLACE = "place"
    PHONE = "phone"
    EMAIL = "email"
    LINK = "link"
    #: A day, a time, or both.
    DATE = "date"
    AMOUNT = "amount"
    IDENTIFIER = "identifier"
    PROJECT = "project"


@dataclass(frozen=True, slots=True)
class EntityMention:
    """One place in a text where something is mentioned: as said, and in the form by which it is compared."""

    type: EntityType
    value: str
    normal: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class EntitySighting:
    """A message in which an entity is mentioned, with the sentence around it in short."""

    message_id: str
    round_number: int
    label: str


@dataclass(frozen=True, slots=True)
class Entity:
    """Something that was mentioned in a conversation, where first and last, and what it was before."""

    id: str
    conversation_id: str
    type: EntityType
    #: As it was last said, or as a person wrote it.
    value: str
    normal: str
    first: EntitySighting
    last: EntitySighting
    mention_count: int
    is_edited: bool = False
    #: Whether a person said it, and not models alone.
    is_from_person: bool = False
    #: It was said only where local models alone may read.
    local_only: bool = False
    #: The entity that holds instead.
    replaced_by: str | None = None
    #: What held before, oldest first.
    former_values: tuple[str, ...] = ()
