"""One live connection for everything that a screen shows."""

import asyncio

import pytest
from tests.world import Json, Person, World, read_events

from tertulia.accounts import api_tokens, members
from tertulia.core.principal import Role
from tertulia.live.member_topics import feed_mark, member_topic


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


async def test_a_deleted_conversation_is_not_told_of_to_whoever_connects_anew(ada: Person) -> None:
    async with ada.client.stream("GET", "/api/events") as other_tab:
        assert other_tab.status_code == 200
        made = (await ada.post("/api/conversations", {"title": "gannet-4411"})).json()
        await ada.delete(f"/api/conversations/{made['id']}")
        await ada.post("/api/projects", {"name": "Later"})
        heard = await hear(ada, "?after=0", until="project.changed")

    assert [event["type"] for event in heard] == [
        "conversation.deleted",
        "conversation.deleted",
        "project.changed",
    ]
    assert "gannet-4411" not in str(heard)


async def test_a_conversation_is_heard_beside_the_feed_and_resumed_by_both_numbers(ada: Person) -> None:
    turn = await ada.start("Hello")
    query = f"?conversation={turn['conversation']['id']}&after=0.{turn['last_event_id']}"
    heard = await hear(ada, query, until="round.closed")

    kinds = [event["type"] for event in heard]
    assert "conversation.changed" in kinds
    assert "reply.text" in kinds
    feed, own = heard[-1]["id"].split(".")
    assert int(feed.split("-")[0]) >= 1

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


async def test_every_member_hears_of_the_workspaces_projects_and_nobody_else(
    world: World, ada: Person
) -> None:
    bob, stranger = await world.person(like=ada, role="viewer"), await world.person()
    hearing = asyncio.create_task(hear(bob, "?after=0", until="project.deleted"))
    project = (await ada.post("/api/projects", {"name": "Garden", "brief": "A secret hedge"})).json()
    await ada.put(f"/api/projects/{project['id']}", {"name": "Garden house"})
    await ada.delete(f"/api/projects/{project['id']}")

    heard = await hearing
    told = ["project.changed", "project.changed", "project.deleted"]
    assert [(event["type"], event["project_id"]) for event in heard] == [
        (kind, project["id"]) for kind in told
    ]
    assert "Garden" not in str(heard)
    assert await pings(stranger, "", count=1) == [place_in_feed(stranger, 0)]


def place_in_feed(person: Person, number: int) -> str:
    """Return the id of an event in a person's feed."""
    return f"{number}-{feed_mark(member_topic(person.principal.workspace_id, person.principal.user_id))}"


async def pings(person: Person, query: str, *, count: int) -> list[str]:
    """Return the ids of the first pings of a stream on which nothing else comes."""
    found: list[str] = []
    async with person.client.stream("GET", f"/api/events{query}") as stream:
        lines = stream.aiter_lines()
        async for line in lines:
            if line == "event: ping":
                found.append((await anext(lines)).removeprefix("id: "))
                assert (await anext(lines)).startswith("data: ")
            if len(found) == count:
                break
    return found


async def test_a_quiet_stream_says_aloud_that_it_is_alive(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tertulia.live.event_stream.HEARTBEAT_SECONDS", 0.05)
    conversation = (await ada.post("/api/conversations", {"title": "One"})).json()
    place = place_in_feed(ada, 1)
    assert await pings(ada, "", count=3) == [place] * 3
    assert await pings(ada, f"?conversation={conversation['id']}&after=.1", count=2) == [f"{place}.1"] * 2


async def test_whoever_heard_nothing_yet_misses_nothing_of_what_comes_while_away(ada: Person) -> None:
    [place] = await pings(ada, "", count=1)
    made = (await ada.post("/api/conversations", {"title": "Meanwhile"})).json()
    [heard] = await hear(ada, f"?after={place}", until="conversation.changed")
    assert heard["conversation"]["id"] == made["id"]


async def test_after_a_reset_the_stream_says_where_it_goes_on(ada: Person) -> None:
    await ada.post("/api/conversations", {"title": "One"})
    assert await pings(ada, "?after=99", count=1) == [place_in_feed(ada, 1)]


async def test_whoever_signs_in_after_somebody_else_does_not_go_on_in_their_feed(
    world: World, ada: Person
) -> None:
    bob = await world.person(like=ada)
    for title in ("One", "Two"):
        await bob.post("/api/conversations", {"title": title})
    of_ada, of_bob = place_in_feed(ada, 1), place_in_feed(bob, 1)

    assert [event["type"] for event in await hear(bob, f"?after={of_bob}", until="conversation.changed")] == [
        "conversation.changed"
    ]
    assert [event["type"] for event in await hear(bob, f"?after={of_ada}", until="reset")] == ["reset"]
    assert await pings(bob, f"?after={of_ada}", count=1) == [place_in_feed(bob, 2)]


async def test_whoever_comes_back_to_a_workspace_is_told_to_fetch_everything_anew(
    world: World, ada: Person
) -> None:
    bob = await world.person(like=ada)
    await ada.post("/api/projects", {"name": "Before"})
    [place] = await pings(bob, "", count=1)
    who = {"workspace_id": ada.principal.workspace_id, "user_id": bob.principal.user_id}
    await world.db.write(lambda tx: members.remove(tx, bob.principal.user_id), by=ada.principal)
    await world.db.write(lambda tx: members.add(tx, **who, role=Role.MEMBER), by=None)
    token = await world.db.write(lambda tx: api_tokens.create_token(tx, "again"), by=bob.principal)
    bob.client.headers["authorization"] = f"Bearer {token.secret}"
    for name in ("First", "Second"):
        await ada.post("/api/projects", {"name": name})

    heard = await hear(bob, f"?after={place}", until="reset")
    assert [event["type"] for event in heard] == ["reset"]
