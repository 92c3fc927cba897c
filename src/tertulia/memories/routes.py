"""Memories over HTTP: only those whose they are see them."""

from typing import Annotated

from fastapi import Query

from tertulia.conversations.access import find_visible_titles
from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Db, Log
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import omit_unset
from tertulia.infra.undo.schemas import DeletionView
from tertulia.memories import preferences, service, store
from tertulia.memories.deletion import delete_with_undo
from tertulia.memories.domain import MADE_BY_PERSON, Memory, MemoryStatus, MemoryType, NewMemory
from tertulia.memories.evidence import verify_quote
from tertulia.memories.preferences import MemoryPreferences
from tertulia.memories.schemas import (
    MemoryChange,
    MemoryDecision,
    MemoryList,
    MemoryPage,
    MemoryPreferencesView,
    MemoryView,
    NewMemoryBody,
)
from tertulia.memories.store import MemoryFilter

router = Router(prefix="/api", tags=["memories"])

ShortFilter = Annotated[str, Query(max_length=200)]


def to_views(tx: Tx, memories: list[Memory]) -> list[MemoryView]:
    """Show memories; where the caller may not open what one quotes, without that."""
    quoted = {memory.conversation_id for memory in memories if memory.conversation_id}
    visible = find_visible_titles(tx, quoted) if quoted else {}
    return [MemoryView.of(memory, shows_evidence=memory.conversation_id in visible) for memory in memories]


@router.get("/memories")
async def list_memories(
    me: Me,
    db: Db,
    types: Annotated[list[MemoryType] | None, Query(alias="type")] = None,
    status: Annotated[list[MemoryStatus] | None, Query()] = None,
    category: ShortFilter = "",
    pinned: bool | None = None,
    project_id: ShortFilter = "",
    conversation_id: ShortFilter = "",
    text: ShortFilter = "",
    needs_review: bool | None = None,
    after: Annotated[str, Query(max_length=60)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> MemoryPage:
    """List your memories and those of projects, newest first: the active ones, unless you ask for others."""
    wanted = MemoryFilter(
        statuses=status or (MemoryStatus.ACTIVE,),
        types=types or (),
        category=category,
        pinned=pinned,
        project_id=project_id,
        conversation_id=conversation_id,
        text=text,
        needs_review=needs_review,
    )

    def read(tx: Tx) -> MemoryPage:
        found = store.list_page(tx, wanted, after=after, limit=limit + 1)
        more = found[limit - 1].id if len(found) > limit else None
        return MemoryPage(memories=to_views(tx, found[:limit]), waiting=store.count_waiting(tx), next=more)

    return await db.read(read, by=me)


@router.post("/memories", status_code=201)
async def create_memory(body: NewMemoryBody, me: Member, db: Db, log: Log) -> MemoryView:
    """Remember something that you write: it takes the place of what it contradicts."""

    def write(tx: Tx) -> MemoryView:
        quoted = verify_quote(tx, body.evidence.message_id, body.evidence.quote) if body.evidence else None
        new = NewMemory(
            type=body.type,
            content=body.content,
            made_by=MADE_BY_PERSON,
            status=MemoryStatus.ACTIVE,
            project_id=body.project_id,
            category=body.category,
            confidence=body.confidence,
            pinned=body.pinned,
            local_only=body.local_only or (quoted is not None and quoted[1].local_only),
            evidence=quoted[0] if quoted else None,
        )
        return to_views(tx, [service.create(tx, new, log=log)])[0]

    return await db.write(write, by=me)


@router.get("/memories/preferences")
async def get_memory_preferences(me: Me, db: Db) -> MemoryPreferencesView:
    """Return which types are taken without asking, and whether conversations at rest are looked through."""
    return MemoryPreferencesView.model_validate(await db.read(preferences.read_preferences, by=me))


@router.put("/memories/preferences")
async def set_memory_preferences(body: MemoryPreferencesView, me: Member, db: Db) -> MemoryPreferencesView:
    """Say which types may be taken without asking; fields that are left out stay as they are."""

    def write(tx: Tx) -> MemoryPreferences:
        known = MemoryPreferencesView.model_validate(preferences.read_preferences(tx))
        chosen = MemoryPreferences(**known.model_copy(update=omit_unset(body)).model_dump())
        preferences.write_preferences(tx, chosen)
        return preferences.read_preferences(tx)

    return MemoryPreferencesView.model_validate(await db.write(write, by=me))


@router.post("/memories/approve")
async def approve_memories(body: MemoryDecision, me: Member, db: Db, log: Log) -> MemoryList:
    """Approve proposals: from then on they are remembered. To approve one twice changes nothing."""
    return await db.write(
        lambda tx: MemoryList(memories=to_views(tx, service.approve(tx, body.ids, log=log))), by=me
    )


@router.post("/memories/reject")
async def reject_memories(body: MemoryDecision, me: Member, db: Db, log: Log) -> MemoryList:
    """Turn proposals down; the same words are not proposed again."""
    return await db.write(
        lambda tx: MemoryList(memories=to_views(tx, service.reject(tx, body.ids, log=log))), by=me
    )


@router.get("/memories/{memory_id}")
async def get_memory(memory_id: str, me: Me, db: Db) -> MemoryView:
    """Return a memory."""
    return await db.read(lambda tx: to_views(tx, [service.get(tx, memory_id)])[0], by=me)


@router.put("/memories/{memory_id}")
async def change_memory(memory_id: str, body: MemoryChange, me: Member, db: Db, log: Log) -> MemoryView:
    """Change a memory; fields that are left out stay as they are, and what it said before is kept."""
    values = omit_unset(body)
    return await db.write(lambda tx: to_views(tx, [service.change(tx, memory_id, values, log=log)])[0], by=me)


@router.post("/memories/{memory_id}/confirm")
async def confirm_memory(memory_id: str, me: Member, db: Db, log: Log) -> MemoryView:
    """Say that a memory still holds: its `review_reason` is cleared, and it counts as used now."""
    return await db.write(lambda tx: to_views(tx, [service.confirm(tx, memory_id, log=log)])[0], by=me)


@router.post("/memories/{memory_id}/undo")
async def undo_supersession(memory_id: str, me: Member, db: Db, log: Log) -> MemoryView:
    """Let what this memory took the place of hold again, and return that."""
    return await db.write(lambda tx: to_views(tx, [service.undo(tx, memory_id, log=log)])[0], by=me)


@router.post("/memories/{memory_id}/deletion", status_code=201)
async def delete_memory_with_undo(memory_id: str, me: Member, db: Db, log: Log) -> DeletionView:
    """Forget something, with a short time in which you can restore it."""
    deletion = await db.write(lambda tx: delete_with_undo(tx, memory_id, log=log), by=me)
    return DeletionView.model_validate(deletion)


@router.delete("/memories/{memory_id}", status_code=204)
async def delete_memory(memory_id: str, me: Member, db: Db, log: Log) -> None:
    """Forget something with every trace of it."""
    await db.write(lambda tx: service.delete(tx, [memory_id], log=log), by=me)
