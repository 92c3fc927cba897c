"""Entities on the wire."""

from typing import Annotated

from pydantic import StringConstraints

from tertulia.entities.domain import EntityType
from tertulia.entities.finder import ENTITY_VALUE_MAX_CHARS
from tertulia.infra.http.schema import CursorPage, Schema, SingleLine, ValidUnicode

EntityValue = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=ENTITY_VALUE_MAX_CHARS),
    ValidUnicode,
    SingleLine,
]


class EntitySightingView(Schema):
    """A message in which an entity is mentioned, with the sentence around it in short."""

    message_id: str
    round_number: int
    label: str


class EntityView(Schema):
    """Something that was mentioned in a conversation."""

    id: str
    type: EntityType
    value: str
    normal: str
    first: EntitySightingView
    last: EntitySightingView
    mention_count: int
    is_edited: bool
    is_from_person: bool
    local_only: bool
    replaced_by: str | None
    former_values: list[str]


class EntityPage(CursorPage):
    """Some entities, the latest found first."""

    entities: list[EntityView]


class EntityChange(Schema):
    """What to change; a field that is left out stays as it is."""

    value: EntityValue | None = None
    type: EntityType | None = None
