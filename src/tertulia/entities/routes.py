"""Entities over HTTP: what was mentioned in a conversation."""

from typing import Annotated

from fastapi import Query

from tertulia.entities import service
from tertulia.entities.domain import Entity, EntityType
from tertulia.entities.schemas import EntityChange, EntityPage, EntityView
from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router

router = Router(prefix="/api", tags=["entities"])


@router.get("/conversations/{conversation_id}/entities")
async def list_entities(
    conversation_id: str,
    me: Me,
    db: Db,
    types: Annotated[list[EntityType] | None, Query(alias="type")] = None,
    after: Annotated[str, Query(max_length=60)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> EntityPage:
    """List what was mentioned on the branch that is shown, the latest found first."""

    def read(tx: Tx) -> list[Entity]:
        return service.list_readable(tx, conversation_id, types=types or ())

    found = [entity for entity in await db.read(read, by=me) if not after or entity.id < after]
    more = found[limit - 1].id if len(found) > limit else None
    return EntityPage(entities=[EntityView.model_validate(entity) for entity in found[:limit]], next=more)


@router.put("/conversations/{conversation_id}/entities/{entity_id}")
async def change_entity(
    conversation_id: str, entity_id: str, body: EntityChange, me: Member, db: Db
) -> EntityView:
    """Change an entity by hand; that holds whatever is found later."""
    changed = await db.write(
        lambda tx: service.edit_entity(tx, conversation_id, entity_id, value=body.value, type_=body.type),
        by=me,
    )
    return EntityView.model_validate(changed)


@router.delete("/conversations/{conversation_id}/entities/{entity_id}", status_code=204)
async def delete_entity(conversation_id: str, entity_id: str, me: Member, db: Db) -> None:
    """Hide an entity from its conversation for good, also when it is mentioned again."""
    await db.write(lambda tx: service.hide_entity(tx, conversation_id, entity_id), by=me)
