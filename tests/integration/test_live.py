"""One live connection for everything that a screen shows."""

import asyncio

from tests.world import Json, Person, World, read_events


async def hear(
    person: Person, query: str, *, until: str, headers: dict[str, str] | None = None
) -> list[Json]:
    """Follow the person's events until one of a kind comes."""
    heard: list[Json] = []
    async with person.client.stream("GET", f"/api/events{query}", headers=headers or {}) as stream:
        assert stream.status_code == 200
        async for event in read_events(stream):
            heard.append(event)
            if event["type"] == until:
                break
    return heard


async def test_the_feed_tells_of_new_and_deleted_conversations_and_goes_on(ada: Person) -> None:
    listening = asyncio.create_task(hear(ada, "?after=0", until="conversation.deleted"))
    first = (await ada.post("/api/conversations", {"title": "One"})).json()
    await ada.delete(f"/api/conversations/{first['id']}")
    assert [event["type"] for event in await listening] == ["conversation.changed", "conversation.deleted"]

    second = (await ada.post("/api/conversations", {"title": "Two"})).json()
    heard = await hear(ada, "?after=2", until="conversation.changed")
    assert heard[-1]["conversation"]["id"] == second["id"]


async def test_a_conversation_is_heard_beside_the_feed_and_resumed_by_both_numbers(ada: Person) -> None:
    turn = await ada.start("Hello")
    query = f"?conversation={turn['conversation']['id']}&after=0.{turn['last_event_id']}"
    heard = await hear(ada, query, until="round.closed")

    kinds = [event["type"] for event in heard]
    assert "conversation.changed" in kinds
    assert "reply.text" in kinds
    feed, own = heard[-1]["id"].split(".")
    assert int(feed) >= 1

    again = await hear(
        ada,
        f"?conversation={turn['conversation']['id']}",
        until="round.closed",
        headers={"Last-Event-ID": f"{feed}.{int(own) - 1}"},
    )
    assert [event["type"] for event in again] == ["round.closed"]


async def test_nobody_hears_a_conversation_that_is_not_theirs(world: World, ada: Person) -> None:
    bob = await world.person(like=ada)
    turn = await ada.start("Hello")

    refused = await bob.get(f"/api/events?conversation={turn['conversation']['id']}")
    assert refused.status_code == 404
    assert (await ada.get("/api/events?after=x.1")).status_code == 422
