"""Which memories a command means."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tertulia.cli import id_ends
from tertulia.core.ids import canonical_id, is_id
from tertulia.core.json_object import JsonObject
from tertulia.memories.domain import MemoryStatus

if TYPE_CHECKING:
    from tertulia.cli.client import ApiClient

MEMORIES_PAGE_SIZE = 200
MEMORY_ID_END_CHARS = id_ends.ID_END_CHARS


def list_memories(
    server: "ApiClient", *, statuses: Sequence[str], **filters: str | bool | Sequence[str]
) -> Iterator[JsonObject]:
    """Yield every memory with one of these statuses, newest first."""
    after = ""
    while True:
        page = server.get("/api/memories", status=statuses, after=after, limit=MEMORIES_PAGE_SIZE, **filters)
        yield from page["memories"]
        after = page["next"]
        if not after:
            return


def count_waiting(server: "ApiClient") -> int:
    """Return how many proposals wait for a yes."""
    return int(server.get("/api/memories", limit=1)["waiting"])


def find_memories(server: "ApiClient", names: Sequence[str]) -> list[JsonObject]:
    """Return the memories with these ids, or with ids that end like this, each once."""
    ids = [canonical_id(name) for name in names]
    has_ends = not all(is_id(memory_id, "mem") for memory_id in ids)
    known = list(list_memories(server, statuses=tuple(MemoryStatus))) if has_ends else []
    found = [
        server.get(f"/api/memories/{memory_id}") if is_id(memory_id, "mem") else find_by_end(known, memory_id)
        for memory_id in ids
    ]
    return list({memory["id"]: memory for memory in found}.values())


def find_by_end(known: Sequence[JsonObject], end: str) -> JsonObject:
    """Return the one memory whose id ends like this."""
    return id_ends.find_by_end(known, end, noun="memory", plural="memories")
