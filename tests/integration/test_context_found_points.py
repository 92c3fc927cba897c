"""Points of a summary are shown by what the question means, also where it shares no word with them."""

import json
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest
from tests import fake_embedder
from tests.context_world import done, settled
from tests.fake_embedder import FakeEmbedder
from tests.long_talk import Spoken
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World
from tests.written_rounds import write_rounds

MODEL = "openai/scripted-smart"
#: For the fake embedder a feline and a kitten are the same.
FACT = "The feline naps behind gate 4471."
QUESTION = "Kitten kitten kitten?"
#: Far more than a light prompt has room for, each of as much worth.
OTHERS = [f"The key of cupboard {number} hangs at hook {number * 37}." for number in range(1, 60)]

#: Not alike enough to be quoted as a passage.
WORDY_FACT = "At night the feline naps on a rug behind gate 4471 near our old harbour wall."
#: Readings of a series, which are nearer to the question and of little worth.
READINGS = [f"Kitten {number}: {number * 31} grams." for number in range(1, 16)]


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    provider.script("scripted-smart", Script(reply="So be it."))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


async def told(person: Person, provider: ScriptedProvider, conversation: str) -> str:
    await person.ask(QUESTION, conversation_id=conversation, models=[MODEL])
    return json.dumps(provider.requests("scripted-smart")[-1].body, ensure_ascii=False)


async def summarised(world: World, person: Person, texts: Sequence[str]) -> str:
    """Return a conversation with a light level whose summary tells what was said in its rounds."""
    conversation = (await person.post("/api/conversations", {"title": "House"})).json()["id"]
    await done(person.put(f"/api/conversations/{conversation}", {"context": {"level": "light"}}))
    await write_rounds(world.db, person, conversation, [Spoken(text, "Noted.") for text in texts])
    await done(person.post(f"/api/conversations/{conversation}/summary"))
    await settled(world)
    await indexed(world)
    return conversation


async def test_a_question_in_other_words_brings_the_point_that_it_is_about(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await summarised(world, ada, (FACT, *OTHERS))
    prompt = await told(ada, provider, conversation)
    assert FACT in prompt
    assert sum(text in prompt for text in OTHERS) < len(OTHERS) / 2, "there is no room for all"


async def test_readings_that_are_nearer_to_the_question_leave_a_place_to_what_is_of_worth(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await summarised(world, ada, (WORDY_FACT, *READINGS, *OTHERS))
    assert WORDY_FACT in await told(ada, provider, conversation)
