"""Memories in search: what is active is found by its owner, or by all where it is a project's."""

from tertulia.core.errors import NotFound
from tertulia.infra.db import Database, Tx
from tertulia.memories import store
from tertulia.memories.domain import Memory, MemoryStatus
from tertulia.retrieval import sources
from tertulia.retrieval.indexer import ReadSource, SourceText, principal_for
from tertulia.retrieval.sources import IndexedSource, NewSource, SourceKind


def index_memory(tx: Tx, memory_id: str) -> None:
    """Have a memory found if it is active, and not otherwise."""
    memory = store.find(tx, memory_id)
    if memory is None or memory.status is not MemoryStatus.ACTIVE:
        remove_memory(tx, memory_id)
        return
    sources.queue_source(
        tx,
        NewSource(
            kind=SourceKind.MEMORY,
            source_id=memory.id,
            project_id=memory.project_id,
            owner_id=memory.owner_id,
            local_only=memory.local_only,
            said_at=memory.created_at,
        ),
    )


def remove_memory(tx: Tx, memory_id: str) -> None:
    """Let a memory be found no more."""
    sources.remove_sources(tx, SourceKind.MEMORY, [memory_id])


def build_memory_reader(db: Database) -> ReadSource:
    """Return what reads memories that are to be found."""

    async def read_memory(source: IndexedSource) -> SourceText:
        memory = await db.read(lambda tx: store.find(tx, source.source_id), by=principal_for(source))
        if memory is None or memory.status is not MemoryStatus.ACTIVE:
            raise NotFound("memory")
        return SourceText(iter((render_memory(memory),)), "markdown")

    return read_memory


def render_memory(memory: Memory) -> str:
    """Return a memory as the text by which it is found."""
    return memory.content
