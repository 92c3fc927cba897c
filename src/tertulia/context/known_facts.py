"""What a prompt tells of the person: their profile, with their consent, and what is remembered."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tertulia.context.prompt_plan import Item, Pointer
from tertulia.infra.db import Tx
from tertulia.memories.domain import Memory
from tertulia.memories.prompt_memories import find_told_memories, list_for_prompt
from tertulia.models.prompt_frames import escape_frame_tags
from tertulia.profiles.domain import UserProfile
from tertulia.profiles.prompt_text import describe_profile, read_profile_for_prompt

#: Tokens that profile and memories may take together.
MEMORY_BUDGET_TOKENS = 1_000
PROFILE_ITEM_ID = "profile"
MEMORY_ITEM_PREFIX = "memory:"
#: What stands in a receipt for a profile or memory: never what it says, for that can be deleted.
PROFILE_TITLE = "Your profile"
MEMORY_TITLE = "A memory"
FORGOTTEN_TITLE = "A deleted memory"


@dataclass(frozen=True, slots=True)
class KnownFact:
    """Something that is known of the person, or of the project, as one item of a prompt."""

    id: str
    text: str
    title: str
    pointer: Pointer
    local_only: bool = False


def read_known_facts(
    tx: Tx, *, project_id: str | None, found: Sequence[str], question: str = ""
) -> tuple[KnownFact, ...]:
    """Return what may be told to the caller's models, what matters most first."""
    profile = read_profile_for_prompt(tx)
    about = [to_profile_fact(profile)] if profile else []
    told = list_for_prompt(tx, project_id=project_id, found=found, question=question)
    return (*about, *map(to_known_fact, told))


def to_profile_fact(profile: UserProfile) -> KnownFact:
    """Return a profile as a prompt tells it."""
    pointer = Pointer(memory_id=PROFILE_ITEM_ID)
    return KnownFact(PROFILE_ITEM_ID, describe_profile(profile), PROFILE_TITLE, pointer)


def to_known_fact(memory: Memory) -> KnownFact:
    """Return a memory as a prompt tells it."""
    return KnownFact(
        f"{MEMORY_ITEM_PREFIX}{memory.id}",
        f"- {escape_frame_tags(' '.join(memory.content.split()))}",
        MEMORY_TITLE,
        Pointer(memory_id=memory.id),
        memory.local_only,
    )


def number_fact(fact: KnownFact, number: int) -> KnownFact:
    """Return a fact under the number by which a model can speak of it, and a receipt leads to it."""
    return replace(fact, text=f"{fact.text} [M{number}]", pointer=replace(fact.pointer, number=number))


def to_item(fact: KnownFact) -> Item:
    """Return a fact as an item of a receipt."""
    return Item(fact.id, fact.title, 0, fact.pointer, fact.local_only, fact.text)


def told_memory_ids(items: Iterable[Item]) -> list[str]:
    """Return the memories among items."""
    return [item.pointer.memory_id for item in items if item.id.startswith(MEMORY_ITEM_PREFIX)]


@dataclass(frozen=True, slots=True)
class MemoryTitles:
    """What memories say that a receipt names, as far as its reader may see them."""

    memories: dict[str, Memory]

    @classmethod
    def of(cls, tx: Tx, items: Iterable[Item]) -> "MemoryTitles":
        """Look up the memories that items name."""
        return cls(find_told_memories(tx, told_memory_ids(items)))

    def show(self, item: Item) -> Item:
        """Return an item with what its memory says and where that was said; others stay as they are."""
        if not item.id.startswith(MEMORY_ITEM_PREFIX):
            return item
        memory = self.memories.get(item.pointer.memory_id)
        if memory is None:
            return replace(item, title=FORGOTTEN_TITLE, text="")
        sources = [memory.message_id] if memory.message_id else []
        pointer = replace(item.pointer, message_ids=sources)
        text = number_fact(to_known_fact(memory), pointer.number).text if pointer.number else ""
        return replace(item, title=memory.content, text=text, pointer=pointer)
