"""What tests of the context engine ask of a server: plans, summaries, and whether it has come to rest."""

from collections.abc import Awaitable
from typing import Any

import httpx2

from tests.search_world import until
from tests.world import Json, Person, World


async def done(answer: Awaitable[httpx2.Response]) -> Json:
    """Return what a request that must succeed brings."""
    came = await answer
    assert came.status_code == 200, came.text
    return came.json()


async def set_flags(person: Person, **flags: Any) -> None:
    """Change how the workspace retrieves and summarises."""
    await done(person.client.patch("/api/retrieval/preferences", json=flags))


async def conversation_with(person: Person, *, max_tokens: int) -> str:
    """Make a conversation that has a title and a limit, and return its id."""
    made = await person.post("/api/conversations", {"title": "Long"})
    assert made.status_code == 201, made.text
    path = f"/api/conversations/{made.json()['id']}"
    return (await done(person.put(path, {"context": {"max_tokens": max_tokens}})))["id"]


async def plan_for(person: Person, conversation: str, question: str, *, model: str, **more: Any) -> Json:
    """Return what a model would be shown for a question."""
    body = {"message": question, "conversation_id": conversation, "models": [model], **more}
    [lane] = (await done(person.post("/api/context/preview", body)))["lanes"]
    assert lane["problem"] is None, lane["problem"]
    return lane["plan"]


async def receipt_of(person: Person, reply: Json, **query: Any) -> Json:
    """Return the receipt of a reply."""
    return await done(person.get(f"/api/replies/{reply['id']}/receipt", params=query))


async def summaries(person: Person, conversation: str) -> Json:
    """Return the summary in force, and all versions."""
    return await done(person.get(f"/api/conversations/{conversation}/summary"))


async def compressed(person: Person, conversation: str) -> Json:
    """Compress a conversation now, and return its summary."""
    return await done(person.post(f"/api/conversations/{conversation}/compression"))


async def settled(world: World, kind: str = "context") -> None:
    """Wait until no conversation is being looked after, or given a title."""
    sql = f"SELECT count(*) FROM jobs WHERE kind = '{kind}' AND failed_at IS NULL"

    async def at_rest() -> bool:
        return not await world.db.read(lambda tx: tx.value(sql), by=None)

    await until(at_rest, seconds=30)
