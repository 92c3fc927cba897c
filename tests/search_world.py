"""What tests of search ask of a server: what is found, whether all is indexed, what rows are left."""

import asyncio
from collections.abc import Awaitable, Callable
from time import monotonic
from typing import Any

from tertulia.infra.db import Tx
from tests.world import Json, Person, World

#: What was said is found within this many seconds.
SOON = 2.0


async def search(person: Person, query: str, project_id: str | None = None, **more: Any) -> Json:
    """Search a project, or everywhere, and return the whole answer."""
    path = f"/api/projects/{project_id}/search" if project_id else "/api/search/global"
    answer = await person.post(path, {"query": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def hits(person: Person, query: str, project_id: str | None = None, **more: Any) -> list[Json]:
    return (await search(person, query, project_id, **more))["hits"]


async def contents(person: Person, query: str, project_id: str | None = None, **more: Any) -> list[str]:
    return [hit["content"] for hit in await hits(person, query, project_id, **more)]


async def until(condition: Callable[[], Awaitable[Any]], *, seconds: float = 10.0) -> Any:
    """Ask again and again until the answer is yes, and return it."""
    end = monotonic() + seconds
    while not (answer := await condition()):
        assert monotonic() < end, "it did not come to be in time"
        await asyncio.sleep(0.02)
    return answer


async def indexed(world: World, *, meanings: bool = True) -> None:
    """Wait until nothing is left to index."""
    left = "SELECT count(*) FROM sources WHERE state = 'waiting'"
    if meanings:
        left += " OR (state = 'ready' AND embedder = '')"

    async def done() -> bool:
        return not await world.db.read(lambda tx: tx.value(left), by=None)

    await until(done)


async def rows(world: World) -> dict[str, int]:
    """Return how many rows each table of the index has."""
    tables = ("sources", "chunks", "vectors", "retrieval_metrics", "citation_marks")
    words = world.server.parts.search.indexes.words

    def count(tx: Tx) -> dict[str, int]:
        counted = {table: tx.value(f"SELECT count(*) FROM {table}") for table in tables}
        return counted | {"words": words.count_chunks(tx)}

    return await world.db.read(count, by=None)
