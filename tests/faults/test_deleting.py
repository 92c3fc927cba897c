"""Deleting a conversation while replies are being written in it."""

import asyncio
import time

import pytest

from tests.faults.listener import Listener
from tests.faults.truth import check_integrity, rows, tables_with
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

CANARY = "currawong"
WORDS = f"{CANARY} " * 400
#: Figures stay for the books; the owner's feed says that it is gone.
MAY_NAME_IT = {"spending", "events"}


@pytest.fixture
def talking(provider: ScriptedProvider) -> ScriptedProvider:
    provider.script("talking", Script(reply=WORDS, tokens_per_second=40))
    provider.script("mute", Script(reply=WORDS, first_token_seconds=60))
    return provider


def path_of(listener: Listener) -> str:
    return f"/api/conversations/{listener.turn['conversation']['id']}"


async def deleted_in_full_flow(ada: Person) -> Listener:
    """Return a listener that heard a conversation until it was deleted."""
    models = ["openai/talking", "anthropic/talking", "openai/mute"]
    listener = Listener(ada, await ada.start(f"Say {CANARY}", models=models))
    await ada.put(f"{path_of(listener)}", {"title": f"About the {CANARY}"})
    await listener.follow(until="reply.text", pieces=6)
    assert (await ada.delete(path_of(listener))).status_code == 204
    return listener


async def test_the_calls_to_providers_end_soon(ada: Person, talking: ScriptedProvider) -> None:
    await deleted_in_full_flow(ada)
    deleted_at = time.time()
    calls = talking.requests("talking") + talking.requests("mute")
    await asyncio.to_thread(talking.wait_for, lambda: all(call.ended for call in calls), seconds=4)

    assert [call.disconnected for call in calls] == [True] * 3
    assert all(call.ended_at and call.ended_at - deleted_at < 1 for call in calls)


async def test_nothing_of_it_is_left_in_any_table_and_nothing_comes_back(
    world: World, ada: Person, talking: ScriptedProvider
) -> None:
    listener = await deleted_in_full_flow(ada)
    calls = talking.requests("talking") + talking.requests("mute")
    await asyncio.to_thread(talking.wait_for, lambda: all(call.ended for call in calls), seconds=4)
    await ada.ask("Something else, so that all that was under way is written")
    database = world.settings.database

    assert tables_with(database, CANARY) == {}
    assert set(tables_with(database, listener.turn["conversation"]["id"])) <= MAY_NAME_IT
    assert tables_with(database, listener.turn["round"]["id"]) == {}
    assert (await ada.get(path_of(listener))).status_code == 404
    assert (await ada.get(f"{path_of(listener)}/events")).status_code == 404
    check_integrity(database)


async def test_those_who_listen_hear_that_it_is_gone_and_then_nothing(
    ada: Person, talking: ScriptedProvider
) -> None:
    listener = Listener(ada, await ada.start("Hello", models=["openai/talking"]))
    following = asyncio.create_task(heard_to_the_end(listener))
    await asyncio.to_thread(talking.wait_for, lambda: talking.requests("talking"))
    await asyncio.sleep(0.2)
    await ada.delete(path_of(listener))
    async with asyncio.timeout(5):
        events = await following

    assert [event["type"] for event in events].count("conversation.deleted") == 1
    assert events[-1]["type"] == "conversation.deleted"


async def test_what_the_deleted_replies_cost_stays_in_the_books(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("gpt-4o-mini", Script(reply=WORDS, tokens_per_second=40))
    listener = Listener(ada, await ada.start("Hello", models=["openai/gpt-4o-mini"]))
    await listener.follow(until="reply.text", pieces=3)
    await ada.delete(path_of(listener))
    await asyncio.to_thread(provider.wait_for, lambda: provider.requests("gpt-4o-mini")[0].ended)
    await ada.ask("Something else")
    sql = "SELECT cost FROM spending WHERE conversation_id = ?"

    assert [
        cost > 0 for (cost,) in rows(world.settings.database, sql, listener.turn["conversation"]["id"])
    ] == [True]


@pytest.mark.parametrize("pause", [0, 0.002, 0.005, 0.01, 0.02, 0.04])
async def test_deleting_at_any_moment_resurrects_nothing(
    world: World, ada: Person, talking: ScriptedProvider, pause: float
) -> None:
    turn = await ada.start(f"Say {CANARY}", models=["openai/talking"] * 4)
    await asyncio.sleep(pause)
    await ada.delete(f"/api/conversations/{turn['conversation']['id']}")
    await ada.ask("Something else")
    await asyncio.sleep(0.1)

    assert tables_with(world.settings.database, CANARY) == {}
    found = tables_with(world.settings.database, turn["conversation"]["id"])
    assert set(found) <= MAY_NAME_IT
    assert (
        rows(world.settings.database, "SELECT * FROM topics WHERE topic = ?", turn["conversation"]["id"])
        == []
    )


async def heard_to_the_end(listener: Listener) -> list[dict[str, object]]:
    conversation = listener.turn["conversation"]["id"]
    return [event async for event in listener.person.events(conversation, after=listener.seq)]
