"""The memories that a prompt may tell: pinned ones, then what a question needs, then the newest in use."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tertulia.conversations import marks
from tertulia.conversations.domain import Mark
from tertulia.infra.db import Tx
from tertulia.memories import store
from tertulia.memories.domain import Memory, MemoryStatus
from tertulia.memories.linked_memories import list_linked, list_named
from tertulia.memories.store import MemoryFilter

#: So often something may have changed again.
SUPERSESSIONS_FOLLOWED_MAX = 20
#: Memories that are considered for one prompt, by why they are: short ones fill the budget with so many.
PINNED_MEMORIES_MAX = 50
RECENT_MEMORIES_MAX = 80
#: Of what a question needs, so many come before what these lead to.
DIRECT_MEMORIES_MAX = 12


@dataclass(frozen=True, slots=True)
class RememberedChange:
    """What is remembered in the place of words of a message."""

    message_id: str
    quote: str
    memory: Memory


def has_memories(tx: Tx) -> bool:
    """Tell whether the caller has anything that is remembered."""
    return bool(store.list_page(tx, MemoryFilter(), after="", limit=1))


def list_for_prompt(
    tx: Tx, *, project_id: str | None, found: Sequence[str], question: str = ""
) -> list[Memory]:
    """Return what may be told in a project: the caller's own and the project's, what matters most first."""
    recent = store.list_in_use(tx, project_id=project_id, limit=RECENT_MEMORIES_MAX)
    if not recent:  # then there is none that may be told
        return []
    pinned = _list_pinned(tx, project_id)
    by_id = {memory.id: memory for memory in store.find_many(tx, found)}
    asked = [by_id[memory_id] for memory_id in found if memory_id in by_id]
    first, rest = asked[:DIRECT_MEMORIES_MAX], asked[DIRECT_MEMORIES_MAX:]
    named = list_named(tx, question, project_id=project_id)
    leading = list({memory.id: memory for memory in (*named, *first)}.values())
    linked = list_linked(tx, leading, project_id=project_id)
    every = (*pinned, *first, *named, *linked, *rest, *recent)
    ordered = {memory.id: memory for memory in every}
    told = [memory for memory in ordered.values() if can_be_told(memory, project_id=project_id)]
    return _mark_local(tx, told)


def _list_pinned(tx: Tx, project_id: str | None) -> list[Memory]:
    """Return the newest that are pinned of the caller's own memories and of the project's, together."""
    wanted = [MemoryFilter(pinned=True, only_own=True)]
    wanted += [MemoryFilter(pinned=True, project_id=project_id)] if project_id else []
    pages = [store.list_page(tx, filter_, after="", limit=PINNED_MEMORIES_MAX) for filter_ in wanted]
    found = [memory for page in pages for memory in page]
    return sorted(found, key=lambda memory: memory.id, reverse=True)[:PINNED_MEMORIES_MAX]


def _mark_local(tx: Tx, memories: Sequence[Memory]) -> list[Memory]:
    """Return memories, those marked as local whose message became so after they were approved."""
    marked = marks.find_marks(tx, [memory.message_id for memory in memories if memory.message_id])
    local = {id_ for id_, own in marked.items() if Mark.LOCAL_ONLY in own}
    return [
        replace(memory, local_only=memory.local_only or memory.message_id in local) for memory in memories
    ]


def can_be_told(memory: Memory, *, project_id: str | None) -> bool:
    """Tell whether a memory may be told in a project: what belongs to another project is not."""
    return memory.status is MemoryStatus.ACTIVE and memory.project_id in (None, project_id)


def find_told_memories(tx: Tx, memory_ids: Collection[str]) -> dict[str, Memory]:
    """Return those of some memories that the caller may see, by their ids."""
    found = _mark_local(tx, store.find_many(tx, memory_ids)) if memory_ids else []
    return {memory.id: memory for memory in found}


def find_remembered_changes(
    tx: Tx, message_ids: Collection[str], *, project_id: str | None
) -> list[RememberedChange]:
    """Return what holds now in the place of statements of messages, as far as it may be told in a project."""
    outdated = store.list_superseded_of_messages(tx, message_ids)
    newest = _follow_supersessions(tx, {memory.id: memory.superseded_by for memory in outdated})
    told = {memory.id: memory for memory in _mark_local(tx, list(newest.values()))}
    return [
        RememberedChange(memory.message_id or "", memory.quote, told[newest[memory.id].id])
        for memory in outdated
        if memory.id in newest and can_be_told(newest[memory.id], project_id=project_id)
    ]


def _follow_supersessions(tx: Tx, later_ids: Mapping[str, str | None]) -> dict[str, Memory]:
    """Return the last of those that took the place of each other, by the ids that lead there."""
    places, ends = {id_: later for id_, later in later_ids.items() if later}, dict[str, Memory]()
    for _ in range(SUPERSESSIONS_FOLLOWED_MAX):
        found = {memory.id: memory for memory in store.find_many(tx, set(places.values()))} if places else {}
        reached = {id_: found[later] for id_, later in places.items() if later in found}
        ends |= reached
        places = {id_: memory.superseded_by for id_, memory in reached.items() if memory.superseded_by}
    return ends


def note_uses(tx: Tx, memory_ids: Collection[str], *, at: datetime) -> None:
    """Count that memories were shown to a model."""
    if memory_ids:
        store.note_uses(tx, memory_ids, at=at)
