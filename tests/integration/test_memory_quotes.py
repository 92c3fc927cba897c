"""What a tool told of memories is for their person alone, and erased with them."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import ok
from tests.faults.truth import tables_with
from tests.memory_world import open_memory_world, remember
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import indexed, until
from tests.world import Json, Person, World

pytestmark = pytest.mark.both_engines

MODEL = "scripted-smart"
CANARY = "zyzzogeton"


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def look_up(person: Person, world: World, provider: ScriptedProvider, **place: str) -> Json:
    """Have a model look up what is remembered of a boat, and return the reply."""
    await indexed(world)
    call = ScriptedCall(name="search_memory", arguments=json.dumps({"query": "my boat is called"}))
    provider.script(MODEL, Script(tool_calls=[call], reply="It is moored."))
    return await ask(person, **place)


async def ask(person: Person, **place: str) -> Json:
    """Ask the model, and return its reply with the conversation that it is in."""
    turn = await person.start("Where is it?", models=[MODEL], **place)
    reply = (await person.finished(turn))["replies"][0]
    return reply | {"conversation_id": turn["conversation"]["id"]}


async def read_result(person: Person, reply: Json) -> str:
    call = reply["tool_calls"][0]["id"]
    return (await person.get(f"/api/replies/{reply['id']}/calls/{call}/result")).text


def tables_that_name_it(world: World) -> set[str]:
    """Return the tables with the canary, but for the index of words, from which it goes a little later."""
    return {name for name in tables_with(world.settings.database, CANARY) if "chunk_words" not in name}


async def test_others_who_read_along_later_see_nothing_of_it(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    bea = await world.person(like=ada)
    await remember(ada, f"My boat is called {CANARY}.")
    reply = await look_up(ada, world, provider)
    conversation = reply["conversation_id"]
    ok(await ada.put(f"/api/conversations/{conversation}", {"visibility": "workspace"}))
    assert CANARY in await read_result(ada, reply)
    assert CANARY not in await read_result(bea, reply)
    for path in ("", "/rounds", "/messages"):
        assert CANARY not in (await bea.get(f"/api/conversations/{conversation}{path}")).text
    exported = await bea.post(f"/api/conversations/{conversation}/export", {"format": "json"})
    assert exported.status_code == 200
    assert CANARY not in exported.text
    await bea.ask("What did the tool say?", models=[MODEL], conversation_id=conversation)
    assert CANARY not in str(provider.requests(MODEL)[-1].body)


async def test_a_part_that_is_read_again_is_for_nobody_else_either(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    async def is_asked() -> bool:
        return bool(provider.requests(MODEL))

    bea = await world.person(like=ada)
    await remember(ada, f"My boat is called {CANARY}.")
    await indexed(world)
    look = ScriptedCall(id="call_a", name="search_memory", arguments='{"query": "my boat is called"}')
    read = ScriptedCall(id="call_b", name="read_tool_result", arguments='{"call": "call_a"}')
    provider.script(MODEL, Script(tool_calls=[look], first_token_seconds=0.3))
    turn = await ada.start("Where is it?", models=[MODEL])
    await until(is_asked)
    provider.script(MODEL, Script(tool_calls=[read], always_calls=True))
    reply = (await ada.finished(turn))["replies"][0]
    ok(await ada.put(f"/api/conversations/{turn['conversation']['id']}", {"visibility": "workspace"}))
    read_again = next(call for call in reply["tool_calls"] if call["name"] == "read_tool_result")
    path = f"/api/replies/{reply['id']}/calls/{read_again['id']}/result"
    assert CANARY in (await ada.get(path)).text
    assert CANARY not in (await bea.get(path)).text


async def test_it_is_erased_with_the_memory(ada: Person, world: World, provider: ScriptedProvider) -> None:
    memory = await remember(ada, f"My boat is called {CANARY}.")
    reply = await look_up(ada, world, provider)
    assert CANARY in await read_result(ada, reply)
    assert (await ada.delete(f"/api/memories/{memory['id']}")).status_code == 204
    assert tables_that_name_it(world) == set()
    assert "deleted" in await read_result(ada, reply)


async def test_it_is_erased_with_the_conversation_that_the_memory_was_said_in(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    said = await ada.start(f"My boat is called {CANARY}.")
    await ada.finished(said)
    conversation, question = said["conversation"]["id"], said["round"]["question"]
    evidence = {"message_id": question["id"], "quote": question["content"]}
    await remember(ada, f"My boat is called {CANARY}.", evidence=evidence)
    reply = await look_up(ada, world, provider)
    assert CANARY in await read_result(ada, reply)
    assert (await ada.delete(f"/api/conversations/{conversation}")).status_code == 204
    assert tables_that_name_it(world) == set()


async def test_what_belongs_to_a_project_is_read_by_all_who_work_on_it(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    bea = await world.person(like=ada)
    project = ok(await ada.post("/api/projects", {"name": "Boat"}), 201)["id"]
    await remember(ada, f"Our boat is called {CANARY}.", project_id=project)
    reply = await look_up(ada, world, provider, project_id=project)
    ok(await ada.put(f"/api/conversations/{reply['conversation_id']}", {"visibility": "workspace"}))
    assert CANARY in await read_result(bea, reply)
