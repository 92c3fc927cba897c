"""What can be done with memories: propose, approve, correct, put aside, take back, forget."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from tertulia.conversations.message_visibility import locate_messages
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import ulid_of
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.memories import memory_index, store
from tertulia.memories.domain import Memory, MemoryEvidence, MemoryStatus, NewMemory
from tertulia.memories.errors import MemoryUnfit
from tertulia.memories.events import publish_change
from tertulia.memories.preferences import read_preferences
from tertulia.memories.supersession import supersede_older, undo_supersession
from tertulia.projects import access as projects

#: Memories that one request may decide about.
DECIDED_MEMORIES_MAX = 500


def get(tx: Tx, memory_id: str) -> Memory:
    """Return a memory that the caller may see, or raise `NotFound`."""
    if memory := store.find(tx, memory_id):
        return memory
    raise NotFound("memory")


def create(tx: Tx, new: NewMemory, *, log: EventLog) -> Memory:
    """Store a memory: one that is active takes the place of older ones on its subject."""
    if new.project_id:
        projects.get(tx, new.project_id)
    memory_id = store.add(tx, new)
    if new.status is MemoryStatus.ACTIVE:
        activate(tx, memory_id)
    _publish(tx, is_shared=new.project_id is not None, log=log)
    return get(tx, memory_id)


def propose(
    tx: Tx, proposals: Sequence[NewMemory], *, log: EventLog, asks_always: bool = False
) -> list[Memory]:
    """Put proposals into the caller's inbox; those of types that they let be taken are active at once.

    With `asks_always` none is: what a model proposes while it reads files and pages is never taken unasked.
    """
    taken = [] if asks_always else read_preferences(tx).taken_types
    message_ids = {proposal.evidence.message_id for proposal in proposals if proposal.evidence}
    known = store.list_places_of_messages(tx, message_ids)
    # A conversation may have been deleted for good since it was read.
    there = {message.id for message in locate_messages(tx, message_ids)}
    contents: dict[str, Memory | None] = {}
    contents |= store.find_by_contents(tx, {proposal.content for proposal in proposals})
    made: list[str] = []
    for proposal in proposals:
        evidence = proposal.evidence
        if evidence is None or evidence.message_id not in there:
            continue
        if (evidence.message_id, evidence.start_char) in known:
            continue
        known.add((evidence.message_id, evidence.start_char))
        if proposal.content in contents and not _is_outdated(tx, same := contents[proposal.content]):
            _note_said_again(tx, same, evidence)
            continue
        is_taken = proposal.type in taken
        status = MemoryStatus.ACTIVE if is_taken else MemoryStatus.PROPOSED
        made.append(store.add(tx, replace(proposal, status=status)))
        if is_taken:
            activate(tx, made[-1])
        contents[proposal.content] = store.find(tx, made[-1])
    if made:
        _publish(tx, is_shared=False, log=log)
    return sorted(store.find_many(tx, made), key=lambda memory: memory.id)


def _is_outdated(tx: Tx, memory: Memory | None) -> bool:
    """Tell whether something took the place of a memory since it was read."""
    current = store.find(tx, memory.id) if memory else None
    return current is not None and current.status is MemoryStatus.SUPERSEDED


def _note_said_again(tx: Tx, memory: Memory | None, evidence: MemoryEvidence) -> None:
    """Let a proposal count as said when its person said the same last: what lies between is outdated then."""
    if memory is None or memory.status is not MemoryStatus.PROPOSED or memory.message_id is None:
        return
    said_at = (ulid_of(memory.message_id), memory.start_char)
    if said_at < (ulid_of(evidence.message_id), evidence.start_char):
        store.move_evidence(tx, memory.id, evidence)


def approve(tx: Tx, memory_ids: Collection[str], *, log: EventLog) -> list[Memory]:
    """Make proposals active, the oldest first; one that is active already stays so."""
    for memory in _find_all(tx, memory_ids):
        if memory.status in (MemoryStatus.PROPOSED, MemoryStatus.REJECTED):
            store.change(tx, memory.id, status=MemoryStatus.ACTIVE)
            activate(tx, memory.id)
        elif memory.status is not MemoryStatus.ACTIVE:
            raise MemoryUnfit("Only what waits in the inbox can be approved.")
    _publish(tx, is_shared=False, log=log)
    return _find_all(tx, memory_ids)


def reject(tx: Tx, memory_ids: Collection[str], *, log: EventLog) -> list[Memory]:
    """Turn proposals down, so that the same words are not proposed again."""
    for memory in _find_all(tx, memory_ids):
        if memory.status not in (MemoryStatus.PROPOSED, MemoryStatus.REJECTED):
            raise MemoryUnfit(
                "Only what waits in the inbox can be rejected. What is remembered can be deleted."
            )
        store.change(tx, memory.id, status=MemoryStatus.REJECTED)
    _publish(tx, is_shared=False, log=log)
    return _find_all(tx, memory_ids)


def change(tx: Tx, memory_id: str, values: JsonObject, *, log: EventLog) -> Memory:
    """Set fields of a memory; what an active one said before stays as its earlier version."""
    memory = get(tx, memory_id)
    values = _with_status(memory, values)
    if "project_id" in values:
        _check_movable(tx, memory)
        values = values | {"owner_id": None if values["project_id"] else tx.by.user_id}
        if values["project_id"]:
            projects.get(tx, values["project_id"])
    is_corrected = values.get("content", memory.content) != memory.content
    if is_corrected and memory.status is not MemoryStatus.PROPOSED:
        version = store.add_version(tx, memory)
        values = values | {"supersedes": version, "review_reason": ""}
    store.change(tx, memory.id, **values)
    changed = get(tx, memory.id)
    if changed.status is MemoryStatus.ACTIVE and (
        is_corrected or "status" in values or "project_id" in values
    ):
        activate(tx, memory.id)
    else:
        memory_index.index_memory(tx, memory.id)
    _publish(tx, is_shared=None in (memory.owner_id, changed.owner_id), log=log)
    return get(tx, memory.id)


def confirm(tx: Tx, memory_id: str, *, log: EventLog) -> Memory:
    """Let nothing ask any more to look at a memory again: it still holds, and counts as used now."""
    memory = get(tx, memory_id)
    if memory.status not in (MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED):
        raise MemoryUnfit("Only what is remembered can be confirmed.")
    store.change(tx, memory.id, review_reason="", last_used_at=now())
    _publish(tx, is_shared=memory.owner_id is None, log=log)
    return get(tx, memory.id)


def undo(tx: Tx, memory_id: str, *, log: EventLog) -> Memory:
    """Let what a memory took the place of hold again, and return that."""
    memory = get(tx, memory_id)
    if memory.status is not MemoryStatus.ACTIVE or not store.list_superseded_by(tx, memory.id):
        raise MemoryUnfit("Only what holds now, and has taken the place of something, can be undone.")
    restored = undo_supersession(tx, memory)
    _publish(tx, is_shared=memory.owner_id is None, log=log)
    return get(tx, restored.id)


def delete(tx: Tx, memory_ids: Collection[str], *, log: EventLog) -> None:
    """Delete memories with every trace of them."""
    memories = _find_all(tx, memory_ids)
    store.delete(tx, [memory.id for memory in memories])
    _publish(tx, is_shared=any(memory.owner_id is None for memory in memories), log=log)


def activate(tx: Tx, memory_id: str) -> None:
    """Have an active memory found, and take the place of older ones on its subject."""
    supersede_older(tx, get(tx, memory_id))
    memory_index.index_memory(tx, memory_id)


def _with_status(memory: Memory, values: JsonObject) -> JsonObject:
    """Return values with the status that `archived` asks for; only what is remembered can be archived."""
    if "archived" not in values:
        return values
    rest = {name: value for name, value in values.items() if name != "archived"}
    if memory.status not in (MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED):
        raise MemoryUnfit("Only what is remembered can be archived.")
    return rest | {"status": MemoryStatus.ARCHIVED if values["archived"] else MemoryStatus.ACTIVE}


def _check_movable(tx: Tx, memory: Memory) -> None:
    """Raise unless the caller may say whose a memory is: a proposal is theirs, a project's its author's."""
    if memory.status not in (MemoryStatus.ACTIVE, MemoryStatus.ARCHIVED):
        raise MemoryUnfit("Approve it first; then say whose it is.")
    if memory.owner_id is None and memory.created_by != tx.by.user_id:
        raise MemoryUnfit("Only whoever wrote a project's memory can say whose it is.")


def _find_all(tx: Tx, memory_ids: Collection[str]) -> list[Memory]:
    """Return memories, the oldest first; raise where one of them cannot be seen."""
    found = store.find_many(tx, memory_ids)
    if len(found) < len(set(memory_ids)):
        raise NotFound("memory")
    return sorted(found, key=lambda memory: memory.id)


def _publish(tx: Tx, *, is_shared: bool, log: EventLog) -> None:
    publish_change(tx, waiting=store.count_waiting(tx), is_shared=is_shared, log=log)
