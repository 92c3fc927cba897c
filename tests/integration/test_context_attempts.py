"""A reply that was written anew: the earlier attempt stays with the person, and is quoted to no model."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.context_world import compressed, done, set_flags
from tests.files_world import Shelf
from tests.scripted_provider import Fault, Script, ScriptedProvider
from tests.search_world import contents, indexed
from tests.world import Json, Person, World

MODEL = "openai/scripted-fast"
ASKED = "Who is the keeper of the lighthouse?"
ABOUT_IT = "What is the keeper of the lighthouse called?"
OLD = "The keeper of the lighthouse is called Cornelius Vane."
NEW = "The keeper of the lighthouse is called Brunhilde Oak."


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("scripted-fast", Script(reply=OLD))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    await set_flags(ada, summary_frequency=0)
    return await Shelf.of(ada)


async def written_anew(ada: Person, provider: ScriptedProvider, reply: Json, script: Script) -> Json:
    """Have a reply written once more, and return the newest attempt."""
    provider.script("scripted-fast", script)
    again = await ada.post(f"/api/replies/{reply['id']}/regenerate", {})
    assert again.status_code == 202, again.text
    newest = (await ada.finished(again.json()))["replies"][-1]
    provider.script("scripted-fast", Script(reply="So be it."))
    return newest


async def told(world: World, ada: Person, provider: ScriptedProvider, **place: object) -> str:
    """Ask about it, and return all that the model was sent."""
    await indexed(world, meanings=False)
    await ada.ask(ABOUT_IT, models=[MODEL], **place)
    return json.dumps(provider.requests("scripted-fast")[-1].body)


async def test_the_earlier_attempt_is_not_found_for_a_model(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    [reply] = (await ada.ask(ASKED, project_id=shelf.project_id))["replies"]
    await indexed(world, meanings=False)
    assert reply["id"] in await passages_for(ada, shelf)
    await written_anew(ada, provider, reply, Script(reply=NEW))

    elsewhere = await told(world, ada, provider, project_id=shelf.project_id)
    assert "Brunhilde Oak" in elsewhere
    assert "Cornelius Vane" not in elsewhere


async def passages_for(ada: Person, shelf: Shelf) -> list[str]:
    """Return the messages that a model would be quoted."""
    body = {"message": ABOUT_IT, "project_id": shelf.project_id, "models": [MODEL]}
    [lane] = (await done(ada.post("/api/context/preview", body)))["lanes"]
    found = [section["items"] for section in lane["plan"]["sections"] if section["kind"] == "passages"]
    return [id_ for items in found for item in items for id_ in item["pointer"]["message_ids"]]


async def test_a_person_still_finds_it(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    [reply] = (await ada.ask(ASKED, project_id=shelf.project_id))["replies"]
    await written_anew(ada, provider, reply, Script(reply=NEW))
    await indexed(world, meanings=False)

    assert {OLD, NEW} <= set(await contents(ada, "keeper lighthouse called", shelf.project_id))


async def test_it_is_quoted_again_once_the_person_goes_on_from_it(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    turn = await ada.start(ASKED, project_id=shelf.project_id)
    [reply] = (await ada.finished(turn))["replies"]
    newest = await written_anew(ada, provider, reply, Script(reply=NEW))
    place = {"conversation_id": turn["conversation"]["id"], "parent_id": reply["id"], "policy": "chosen"}
    await ada.ask("I take the first one.", models=[MODEL], **place)
    await indexed(world, meanings=False)

    quoted = await passages_for(ada, shelf)
    assert reply["id"] in quoted
    assert newest["id"] not in quoted


async def test_an_attempt_that_came_to_nothing_replaces_nothing(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    [reply] = (await ada.ask(ASKED, project_id=shelf.project_id))["replies"]
    failed = await written_anew(ada, provider, reply, Script(fault=Fault(kind="status", status=400)))
    assert failed["status"] == "failed"
    await indexed(world, meanings=False)

    assert reply["id"] in await passages_for(ada, shelf)


async def test_no_summary_tells_it_however_long_ago_it_was_said(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await set_flags(ada, token_budget=0)
    turn = await ada.start(ASKED, project_id=shelf.project_id)
    [reply] = (await ada.finished(turn))["replies"]
    here = {"conversation_id": turn["conversation"]["id"]}
    provider.script("scripted-fast", Script(reply="So be it."))
    for number in range(5):
        await ada.ask(f"We decided that pier {number} opens at {number + 6}:30.", models=[MODEL], **here)
    made = await compressed(ada, turn["conversation"]["id"])
    assert any("Cornelius Vane" in point["text"] for point in made["points"])
    head = (await ada.get(f"/api/conversations/{here['conversation_id']}")).json()["rounds"][-1]["id"]
    await written_anew(ada, provider, reply, Script(reply=NEW))
    await done(ada.put(f"/api/conversations/{here['conversation_id']}/head", {"round_id": head}))

    sent = await told(world, ada, provider, **here)
    assert "pier 0 opens at 6:30" in sent, "what else was summarised is told"
    assert "Cornelius Vane" not in sent


async def test_whoever_writes_it_anew_is_not_told_what_it_said(
    ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    turn = await ada.start(ASKED, project_id=shelf.project_id)
    [reply] = (await ada.finished(turn))["replies"]
    made = await done(ada.post(f"/api/conversations/{turn['conversation']['id']}/summary"))
    assert any("Cornelius Vane" in point["text"] for point in made["points"])
    await written_anew(ada, provider, reply, Script(reply=NEW))

    assert "Cornelius Vane" not in json.dumps(provider.requests("scripted-fast")[-1].body)
