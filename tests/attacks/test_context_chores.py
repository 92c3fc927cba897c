"""Titles and summaries of talk that was held with local models alone: no model elsewhere writes them."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.context_world import compressed, done, set_flags, settled, summaries
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World

#: A model on our own network, and one elsewhere.
NEAR, FAR = "house/near", "openai/scripted-smart"
SECRET = "My diagnosis is porphyria."


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("near", Script(reply="I keep that to myself.", window=32_000))
    provider.script("scripted-smart", Script(reply="So be it."))
    provider.script("utility", Script(reply="Harbour news"))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


@pytest.fixture
async def ada(world: World, provider: ScriptedProvider) -> Person:
    """Somebody with a server of their own, whose models count as local."""
    ada = await world.person(role="owner")
    house = {"slug": "house", "kind": "openai-compatible", "base_url": provider.openai_url, "key": "k"}
    assert (await ada.post("/api/connections", house)).status_code == 201
    await set_flags(ada, summary_frequency=1, token_budget=0)
    return ada


def told(provider: ScriptedProvider, model: str) -> str:
    return json.dumps([one.body for one in provider.requests(model)], ensure_ascii=False)


async def talked(person: Person, *questions: str, model: str = NEAR, **place: str) -> str:
    for question in questions:
        turn = await person.start(question, models=[model], **place)
        place["conversation_id"] = turn["conversation"]["id"]
        await person.finished(turn)
    return place["conversation_id"]


async def title_of(person: Person, conversation: str) -> str:
    return (await done(person.get(f"/api/conversations/{conversation}")))["conversation"]["title"]


async def test_what_only_local_models_were_told_is_titled_and_summarised_without_others(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await talked(ada, SECRET, "We decided to tell nobody.", "And then?", "And now?")
    await settled(world)
    assert (await summaries(ada, conversation))["current"]["made_by"] == "extractive"
    assert (await compressed(ada, conversation))["made_by"] == "extractive"
    assert await title_of(ada, conversation) == SECRET
    assert provider.requests("utility") == []


async def test_what_a_model_elsewhere_was_told_may_be_written_by_another(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await talked(ada, "The harbour is full.", "And then?", model=FAR)
    await settled(world)
    assert await title_of(ada, conversation) == "Harbour news"
    assert "The harbour is full." in told(provider, "utility")


async def test_rounds_after_the_last_model_elsewhere_left_the_table_stay_here(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await talked(ada, "The harbour is full.", model=FAR)
    await talked(ada, SECRET, "And then?", conversation_id=conversation)
    await done(ada.post(f"/api/conversations/{conversation}/summary"))
    assert "The harbour is full." in told(provider, "utility")
    assert "porphyria" not in told(provider, "utility")

    await talked(ada, "What do you think?", model=FAR, conversation_id=conversation)
    await talked(ada, "Good.", model=FAR, conversation_id=conversation)
    assert "porphyria" in told(provider, "scripted-smart"), "the person showed it"


async def test_what_a_local_model_said_to_itself_alone_stays_here(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("near", Script(reply=SECRET, window=32_000))
    place = {"policy": "own"}
    for question in ("What do you say?", "And now?", "And then?"):
        turn = await ada.start(question, models=[NEAR, FAR], **place)
        place["conversation_id"] = turn["conversation"]["id"]
        await ada.finished(turn)
    await done(ada.post(f"/api/conversations/{place['conversation_id']}/summary"))
    await settled(world)
    assert "What do you say?" in told(provider, "utility")
    assert "porphyria" not in told(provider, "utility")
