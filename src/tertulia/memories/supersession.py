"""Supersession: a new statement takes the place of the old one on its subject, which stays as history."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.infra.db import Tx
from tertulia.memories import memory_index, store
from tertulia.memories.domain import Memory, MemoryStatus
from tertulia.memories.linked_memories import subject_words
from tertulia.memories.subjects import lookup_words, replaces
from tertulia.memory.figures import find_figures
from tertulia.memory.names import find_names

REVIEW_REASON_TEMPLATE = "It names {name}, and what you said of that has changed."
#: One statement takes the place of so many others at most: one that seems to mean more is of another matter.
SUPERSEDED_AT_ONCE_MAX = 10


def supersede_older(tx: Tx, memory: Memory) -> None:
    """Let an active memory take the place of those on its subject; what was said later than it stays."""
    words = lookup_words(memory.content)
    store.set_words(tx, memory.id, words | subject_words(memory.content))
    same_owner = store.list_with_words(tx, words, owner_id=memory.owner_id, project_id=memory.project_id)
    others = [other for other in same_owner if other.id != memory.id and contradict(memory, other)]
    later = list_later(tx, memory, others)
    newer = (other for other in later if replaces(other.content, memory.content))
    # What cannot be seen, since its conversation is deleted, takes no place of another.
    if newest := next((other for other in newer if store.find(tx, other.id)), None):
        supersede(tx, memory, by=newest)
        return
    outdated = [other for other in others if other not in later and replaces(memory.content, other.content)]
    if len(outdated) <= SUPERSEDED_AT_ONCE_MAX:
        for other in outdated:
            supersede(tx, other, by=memory)


def contradict(first: Memory, second: Memory) -> bool:
    """Tell whether one of two memories takes the place of the other, whichever was said later."""
    return replaces(first.content, second.content) or replaces(second.content, first.content)


def list_later(tx: Tx, memory: Memory, others: Sequence[Memory]) -> list[Memory]:
    """Return those of some memories that were said later than another, the latest first."""
    if not others:
        return []
    corrections = store.find_corrections(tx, [memory.id, *(other.id for other in others)])
    said = {known.id: known.said_key(corrections.get(known.id)) for known in (memory, *others)}
    later = [other for other in others if said[other.id] > said[memory.id]]
    return sorted(later, key=lambda other: said[other.id], reverse=True)


def supersede(tx: Tx, old: Memory, *, by: Memory) -> None:
    """Let one memory take the place of another, and flag what depends on the other."""
    store.change(tx, old.id, status=MemoryStatus.SUPERSEDED, superseded_by=by.id)
    store.change(tx, by.id, supersedes=by.supersedes or old.id, pinned=by.pinned or old.pinned)
    memory_index.remove_memory(tx, old.id)
    flag_dependents(tx, old, by=by)


def flag_dependents(tx: Tx, old: Memory, *, by: Memory) -> None:
    """Have memories looked at again that name what the old one named and the new one does not."""
    gone = distinctive_words(old.content) - distinctive_words(by.content)
    if not gone:
        return
    near = store.list_with_words(
        tx, lookup_words(" ".join(sorted(gone))), owner_id=old.owner_id, project_id=old.project_id
    )
    for other in near:
        named = gone & distinctive_words(other.content)
        if named and other.id not in (old.id, by.id):
            store.change(tx, other.id, review_reason=REVIEW_REASON_TEMPLATE.format(name=min(named)))


def distinctive_words(text: str) -> frozenset[str]:
    """Return the names and figures of a text."""
    return frozenset((*find_names(text), *find_figures(text)))


def undo_supersession(tx: Tx, memory: Memory) -> Memory:
    """Let what a memory took the place of hold again, and return that, or itself as it was before."""
    replaced = store.list_superseded_by(tx, memory.id)
    versions = [old for old in replaced if old.is_version]
    last = max(versions, key=lambda old: old.id, default=None)
    restored = [
        old for old in replaced if not old.is_version and (last is None or old.changed_at >= last.changed_at)
    ]
    if last is None:
        store.change(tx, memory.id, status=MemoryStatus.ARCHIVED, supersedes=None)
        memory_index.remove_memory(tx, memory.id)
        return _restore(tx, restored)
    for old in restored:
        _reactivate(tx, old)
    store.change(tx, last.id, superseded_by=None)
    store.change(tx, memory.id, content=last.content, supersedes=last.supersedes)
    store.delete(tx, [last.id])
    # Something said later than these words may hold by now.
    supersede_older(tx, replace(memory, content=last.content, supersedes=last.supersedes))
    memory_index.index_memory(tx, memory.id)
    return memory


def _restore(tx: Tx, memories: Sequence[Memory]) -> Memory:
    """Let memories hold again, of those on the same the newest, and return the last that does."""
    for old in sorted(memories, key=lambda old: old.id):
        _reactivate(tx, old)
        supersede_older(tx, replace(old, status=MemoryStatus.ACTIVE, superseded_by=None))
        memory_index.index_memory(tx, old.id)
    current = store.find_many(tx, [old.id for old in memories])
    held = [old for old in current if old.status is MemoryStatus.ACTIVE]
    return max(held or memories, key=lambda old: old.id)


def _reactivate(tx: Tx, old: Memory) -> None:
    store.change(tx, old.id, status=MemoryStatus.ACTIVE, superseded_by=None)
    memory_index.index_memory(tx, old.id)
