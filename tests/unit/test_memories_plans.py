"""What a prompt and a new statement look up among many memories is found by an index of its own."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.query_plans import plan_of

from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.memories import store
from tertulia.memories.store import MemoryFilter

LOOKUPS: dict[str, Callable[[Tx], Any]] = {
    "named": lambda tx: store.find_many(tx, ["mem_1"]),
    "of messages": lambda tx: store.list_superseded_of_messages(tx, ["msg_1"]),
    "places": lambda tx: store.list_places_of_messages(tx, ["msg_1"]),
    "corrections": lambda tx: store.find_corrections(tx, ["mem_1"]),
    "uses": lambda tx: store.note_uses(tx, ["mem_1"], at=now()),
    "words": lambda tx: store.list_with_words(tx, ["word"], owner_id="usr", project_id=None),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_named_memories_are_looked_up_by_what_names_them(name: str) -> None:
    plan = plan_of(LOOKUPS[name])
    assert not any("memories_by_owner" in step or "SCAN memories" in step for step in plan), plan


def test_pinned_memories_are_looked_up_by_their_index() -> None:
    wanted = MemoryFilter(pinned=True, only_own=True)
    plan = plan_of(lambda tx: store.list_page(tx, wanted, after="", limit=50))
    assert any("memories_pinned" in step for step in plan), plan


def test_those_of_a_conversation_are_found_by_their_index() -> None:
    wanted = MemoryFilter(conversation_id="cnv_1", only_own=True)
    plan = plan_of(lambda tx: store.list_page(tx, wanted, after="", limit=50))
    assert any("memories_by_conversation" in step for step in plan), plan
