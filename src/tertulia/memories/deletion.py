"""Deleting a memory with an undo: gone for everybody at once, and back as it was within a short time."""

from tertulia.core.clock import now
from tertulia.infra import undo
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.undo import DeletionKind, PendingDeletion
from tertulia.memories import memory_index, service, store
from tertulia.memories.domain import MemoryStatus
from tertulia.memories.events import publish_change

MEMORY_DELETION_KIND = "memory"


def delete_with_undo(tx: Tx, memory_id: str, *, log: EventLog) -> PendingDeletion:
    """Delete a memory; whoever did can restore it for a short time."""
    memory = service.get(tx, memory_id)
    store.hide(tx, memory.id, deleted_at=now())
    memory_index.remove_memory(tx, memory.id)
    publish_change(tx, waiting=store.count_waiting(tx), is_shared=memory.owner_id is None, log=log)
    return undo.add(tx, MEMORY_DELETION_KIND, memory.id)


def deletion_kind(log: EventLog) -> DeletionKind:
    """Return how a memory is restored, and how it is deleted for good."""

    def restore(tx: Tx, deletion: PendingDeletion) -> None:
        store.hide(tx, deletion.subject_id, deleted_at=None)
        memory = service.get(tx, deletion.subject_id)
        if memory.status is MemoryStatus.ACTIVE:
            service.activate(tx, memory.id)
        publish_change(tx, waiting=store.count_waiting(tx), is_shared=memory.owner_id is None, log=log)

    def erase(tx: Tx, deletion: PendingDeletion) -> None:
        store.delete(tx, [deletion.subject_id])

    return DeletionKind(restore, erase)
