"""Lists of the latest used go by the order of use, whatever the machine's clock did meanwhile."""

import asyncio
from pathlib import Path

import pytest
from tests.clocks import DAY_MS, Machine
from tests.scripted_provider import ScriptedProvider
from tests.search_world import search, until
from tests.world import Json, Person, World, read_events


async def listed(person: Person, path: str = "/api/conversations") -> list[str]:
    """Return every conversation of a list in its order, page by page."""
    found, after = list[Json](), ""
    while True:
        page = (await person.get(path, params={"limit": "1"} | ({"after": after} if after else {}))).json()
        found += page["conversations"]
        if page["next"] is None:
            assert [one["sort_key"] for one in found] == sorted(
                (one["sort_key"] for one in found), reverse=True
            )
            return [one["id"] for one in found]
        after = page["next"]


async def begin(person: Person, *questions: str) -> list[str]:
    """Have a conversation for each question, one after the other."""
    return [(await person.ask(question))["conversation_id"] for question in questions]


@pytest.mark.parametrize("jump", [-DAY_MS, -3 * DAY_MS, 400 * DAY_MS])
async def test_the_conversation_that_was_used_last_comes_first_whatever_the_clock_did(
    machine: Machine, ada: Person, jump: int
) -> None:
    first, second = await begin(ada, "first", "second")
    machine.ahead_ms = jump
    await ada.ask("once more", conversation_id=first)
    [third] = await begin(ada, "third")
    machine.ahead_ms = 2 * jump
    await ada.ask("and again", conversation_id=second)

    assert await listed(ada) == [second, third, first]
    [project] = (await ada.get("/api/projects")).json()["projects"]
    assert await listed(ada, f"/api/projects/{project['id']}/conversations") == [second, third, first]
    current = (await ada.get("/api/conversations/current")).json()
    assert current["conversation"]["id"] == second


async def test_a_process_started_with_the_clock_set_back_goes_on_after_the_last_use(
    machine: Machine, tmp_path: Path, provider: ScriptedProvider
) -> None:
    async with World.open(tmp_path, provider=provider) as world:
        ada = await world.person(role="owner")
        first, second = await begin(ada, "first", "second")
        # Its end, for which no id is made, is the last that happens.
        await ada.ask("once more", conversation_id=first)
        assert await listed(ada) == [first, second]
    machine.ahead_ms = -400 * DAY_MS
    machine.new_process()
    async with World.open(tmp_path, provider=provider) as world:
        ada = Person(ada.principal, ada.token, world.client(ada.token))
        await ada.ask("once more", conversation_id=second)
        assert await listed(ada) == [second, first]
        await ada.client.aclose()


async def test_a_listener_can_order_by_what_events_say(machine: Machine, ada: Person) -> None:
    turn = await ada.start("first")
    here = turn["conversation"]
    await ada.finished(turn)
    machine.ahead_ms = -400 * DAY_MS
    again = await ada.start("again", conversation_id=here["id"])
    assert again["conversation"]["sort_key"] > here["sort_key"]
    assert again["conversation"]["updated_at"] < here["updated_at"]
    opened = await ada.wait_for(turn, "round.opened", round=again["round"])
    assert opened["sort_key"] == again["conversation"]["sort_key"]
    await ada.finished(again)


async def test_a_listener_hears_the_place_that_the_end_of_a_reply_gives(ada: Person) -> None:
    slow, fast = await ada.start("slow"), await ada.start("fast")
    for turn in (fast, slow):
        await ada.finished(turn)
    shown = (await ada.get("/api/conversations")).json()["conversations"]
    wanted = {one["id"]: one["sort_key"] for one in shown}
    keys: dict[str, str] = {}
    async with asyncio.timeout(5), ada.client.stream("GET", "/api/events?after=0") as feed:
        async for event in read_events(feed):
            if event["type"] == "conversation.changed":
                keys[event["conversation"]["id"]] = event["conversation"]["sort_key"]
            if keys == wanted:
                break
    assert sorted(keys, key=lambda one: keys[one], reverse=True) == [one["id"] for one in shown]


async def import_copy(person: Person, conversation_id: str, **changes: str) -> Json:
    """Export a conversation, change the document, and import it."""
    exported = (await person.post(f"/api/conversations/{conversation_id}/export")).json()
    answer = await person.post("/api/conversations/import", exported | changes)
    assert answer.status_code == 201, answer.text
    return answer.json()


async def test_an_imported_conversation_stands_where_it_was_last_used(ada: Person) -> None:
    first, second = await begin(ada, "first", "second")
    between = (await ada.get(f"/api/conversations/{first}")).json()["conversation"]["updated_at"]
    moments = ["1815-12-10T00:00:00Z", "2001-01-01T00:00:00Z", between]
    oldest, old, copy = [(await import_copy(ada, first, updated_at=moment))["id"] for moment in moments]

    found = await listed(ada)
    assert found[0] == second
    assert set(found[1:3]) == {first, copy}
    assert found[3:] == [old, oldest]


async def test_an_imported_conversation_of_the_future_is_no_later_than_what_is_used_next(ada: Person) -> None:
    [first] = await begin(ada, "first")
    future = await import_copy(ada, first, updated_at="9000-01-01T00:00:00.000Z")
    assert future["updated_at"] == "9000-01-01T00:00:00.000Z"
    assert await listed(ada) == [future["id"], first]
    [second] = await begin(ada, "second")
    assert await listed(ada) == [second, future["id"], first]


async def test_a_place_of_an_earlier_version_is_refused_with_a_sentence(ada: Person) -> None:
    [first] = await begin(ada, "first")
    answer = await ada.get("/api/conversations", params={"after": f"1790000000000.{first}"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "cursor_invalid")


async def test_the_latest_search_comes_first_and_days_follow_each_other(
    machine: Machine, ada: Person
) -> None:
    async def kept(count: int) -> Json | None:
        told = (await ada.get("/api/memory/metrics")).json()
        return told if told["searches"] == count else None

    told: Json = {}
    for count, ahead in enumerate((0, -3, -6), start=1):
        machine.ahead_ms = ahead * DAY_MS
        await search(ada, "walrus")
        told = await until(lambda count=count: kept(count))
    moments = [one["timestamp"] for one in told["latest"]]
    assert moments == sorted(moments)
    days = [day["day"] for day in told["days"]]
    assert days == sorted(set(days))
    assert len(days) == 3
