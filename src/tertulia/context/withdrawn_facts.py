"""What a prompt tells of the person and may tell no longer when it is sent: it was revoked or deleted."""

from collections.abc import Sequence
from dataclasses import replace

from tertulia.context import prompts
from tertulia.context.known_facts import (
    MEMORY_ITEM_PREFIX,
    PROFILE_ITEM_ID,
    KnownFact,
    number_fact,
    to_known_fact,
    to_profile_fact,
    told_memory_ids,
)
from tertulia.context.prompt_plan import Item, PromptPlan, SectionKind
from tertulia.infra.db import Tx
from tertulia.memories.domain import MemoryStatus
from tertulia.memories.prompt_memories import find_told_memories
from tertulia.models.calls import Call, PromptMessage
from tertulia.profiles.prompt_text import read_profile_for_prompt


def told_facts(plan: PromptPlan) -> list[Item]:
    """Return what a prompt tells of the person."""
    return [item for section in plan.sections if section.kind is SectionKind.MEMORY for item in section.items]


def list_facts_that_hold(tx: Tx, told: Sequence[Item], *, is_local: bool) -> list[Item]:
    """Return those of the facts told that the caller's model may still be told in the same words."""
    profile = read_profile_for_prompt(tx)
    known = {PROFILE_ITEM_ID: to_profile_fact(profile)} if profile else {}
    for memory in find_told_memories(tx, told_memory_ids(told)).values():
        if memory.status is MemoryStatus.ACTIVE and (is_local or not memory.local_only):
            known[f"{MEMORY_ITEM_PREFIX}{memory.id}"] = to_known_fact(memory)
    return [item for item in told if item.id in known and is_told_as(item, known[item.id])]


def is_told_as(item: Item, fact: KnownFact) -> bool:
    """Tell whether a prompt says of a fact what it says now."""
    number = item.pointer.number
    return item.text == (number_fact(fact, number) if number else fact).text


def replace_facts(call: Call, told: Sequence[Item], kept: Sequence[Item]) -> Call:
    """Return a call that tells only the facts kept of those told."""
    before = prompts.known_facts(told)
    after = [PromptMessage("user", prompts.known_facts(kept))] if kept else []
    parts = ([message] if message.text != before else after for message in call.messages)
    return replace(call, messages=tuple(message for part in parts for message in part))
