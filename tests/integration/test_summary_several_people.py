"""The utility model is told who of several people said what it summarises."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.context_world import compressed, done, set_flags, summaries
from tests.long_talk import Spoken
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World
from tests.written_rounds import write_rounds

ANSWER = '{"preferences": [{"text": "I never fly.", "from": [1]}, {"text": "I never fly.", "from": [3]}]}'


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("utility", Script(reply=ANSWER))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


async def say(world: World, person: Person, conversation: str, *sentences: str) -> None:
    spoken = [Spoken(sentence, "Noted, of course.") for sentence in sentences]
    await write_rounds(world.db, person, conversation, spoken)


async def test_a_summary_is_asked_for_with_the_names_of_those_who_write(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    radomir = await world.person(like=ada)
    for person, name in ((ada, "Ottoline"), (radomir, "Radomir")):
        await done(person.client.patch("/api/me", json={"name": name}))
    await set_flags(ada, summary_frequency=0)
    here = (await ada.post("/api/conversations", {"title": "Trip"})).json()["id"]
    await done(ada.put(f"/api/conversations/{here}", {"visibility": "workspace"}))

    await say(world, ada, here, "I never fly.")
    await say(world, radomir, here, "I never fly.", "The train leaves at noon.", "Good.", "Fine.", "Well.")
    await compressed(ada, here)

    [request] = provider.requests("utility")
    asked = request.body["messages"][-1]["content"]
    assert "[1] user (Ottoline): I never fly." in asked
    assert "[3] user (Radomir): I never fly." in asked
    assert "] scripted-smart: Noted, of course." in asked
    told = [point["text"] for point in (await summaries(ada, here))["current"]["points"]]
    assert told.count("I never fly.") == 2


async def test_one_person_alone_is_the_user(world: World, ada: Person, provider: ScriptedProvider) -> None:
    await set_flags(ada, summary_frequency=0)
    here = (await ada.post("/api/conversations", {"title": "Trip"})).json()["id"]
    await say(world, ada, here, "I never fly.", "The train leaves at noon.", "Good.", "Fine.", "Well.")
    await compressed(ada, here)
    [request] = provider.requests("utility")
    assert "[1] user: I never fly." in request.body["messages"][-1]["content"]
