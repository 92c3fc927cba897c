"""What was taken back reaches no model without what took it back, whichever way it comes."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests.context_world import compressed, done, set_flags
from tests.long_talk import Spoken, talk
from tests.scripted_provider import ScriptedProvider
from tests.scripted_provider.script import Script
from tests.search_world import indexed
from tests.world import Json, Person, World
from tests.written_rounds import write_rounds

MODEL = "openai/scripted-fast"
FIRST = Spoken("We go with Cassandra for the sensor archive.", "Very well.")
BACK = Spoken("Scrap Cassandra, the sensor archive stays in DuckDB.", "Understood.")
QUESTION = "Which engine holds the sensor archive, Cassandra or another?"


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    # Without a script the model repeats its prompt, and the next prompt would quote that.
    provider.script("scripted-fast", Script(reply="Noted."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


async def project_of(person: Person) -> str:
    return (await person.post("/api/projects", {"name": "Archive"})).json()["id"]


async def conversation_in(person: Person, project: str | None = None, **context: Any) -> str:
    made = await person.post("/api/conversations", {"title": "Talk", "project_id": project})
    assert made.status_code == 201, made.text
    path = f"/api/conversations/{made.json()['id']}"
    return (await done(person.put(path, {"context": context})))["id"]


async def sent_for(person: Person, provider: ScriptedProvider, conversation: str, question: str) -> str:
    """Return what a model is sent."""
    earlier = len(provider.requests())
    await person.ask(question, conversation_id=conversation, models=[MODEL])
    bodies = [request.body["messages"] for request in provider.requests()[earlier:]]
    sent = [messages for messages in bodies if question in json.dumps(messages[-1], ensure_ascii=False)]
    return json.dumps(sent[0], ensure_ascii=False)


@pytest.mark.parametrize("level", [None, "light", "standard", "full"])
async def test_no_level_tells_it_alone(
    world: World, ada: Person, provider: ScriptedProvider, level: str | None
) -> None:
    await set_flags(ada, summary_frequency=0)
    conversation = await conversation_in(ada, level=level)
    chat = talk(rounds=24, facts=[], last=0)
    await write_rounds(world.db, ada, conversation, [*chat[:2], FIRST, *chat[2:5], BACK, *chat[5:]])
    await compressed(ada, conversation)
    await indexed(world, meanings=False)

    prompt = await sent_for(ada, provider, conversation, QUESTION)
    assert "the sensor archive stays in DuckDB" in prompt
    for line in (line for line in prompt.split("\\n") if "We go with Cassandra" in line):
        assert "DuckDB" in line


CHANGES_OF_MIND = {
    "We go with Cassandra for the sensor archive.": "Cassandra wants 5 machines, DuckDB gets by with one.",
    "The harvest report is due monthly.": "a quarterly harvest report is plenty, says the board",
    "Das Lager kommt nach Husum.": "Husum hat keinen Platz, wir mieten in Tönning.",
}


@pytest.mark.parametrize("level", [None, "light", "standard", "full"])
async def test_no_level_tells_what_was_changed_without_a_word_for_it(
    world: World, ada: Person, provider: ScriptedProvider, level: str | None
) -> None:
    await set_flags(ada, summary_frequency=0)
    conversation = await conversation_in(ada, level=level)
    chat = talk(rounds=20, facts=[], last=0)
    codes = [Spoken(f"The code of shed {number} is {number * 317}.", "Noted.") for number in range(70)]
    first = [Spoken(said, "Very well.") for said in CHANGES_OF_MIND]
    later = [Spoken(said, "Understood.") for said in CHANGES_OF_MIND.values()]
    await write_rounds(
        world.db, ada, conversation, [*chat[:2], *first, *chat[2:9], *later, *codes, *chat[9:]]
    )
    await compressed(ada, conversation)
    await indexed(world, meanings=False)

    for question in (
        "Where does Cassandra run?",
        "Is the harvest report due monthly?",
        "Kommt es nach Husum?",
    ):
        prompt = await sent_for(ada, provider, conversation, question)
        told = [said for said in CHANGES_OF_MIND if said in prompt]
        assert told
        assert [said for said in told if CHANGES_OF_MIND[said] not in prompt] == []


@pytest.mark.parametrize("context", [{"max_tokens": 4_000}, {"level": "light"}, {"level": "standard"}])
@pytest.mark.parametrize("question", ["What had we decided before?", "What did we plan before DuckDB?"])
async def test_what_had_been_decided_before_can_be_asked_for(
    world: World, ada: Person, provider: ScriptedProvider, question: str, context: Json
) -> None:
    await set_flags(ada, summary_frequency=0)
    conversation = await conversation_in(ada, **context)
    chat = talk(rounds=30, facts=[], last=0)
    await write_rounds(world.db, ada, conversation, [*chat[:4], FIRST, *chat[4:9], BACK, *chat[9:]])
    await compressed(ada, conversation)
    prompt = await sent_for(ada, provider, conversation, question)
    assert "We go with Cassandra" in prompt
    assert "stays in DuckDB" in prompt


async def test_a_passage_of_another_conversation_says_that_it_was_taken_back(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    project = await project_of(ada)
    earlier = await conversation_in(ada, project)
    await write_rounds(world.db, ada, earlier, [FIRST, *talk(rounds=3, facts=[], last=0), BACK])
    await indexed(world, meanings=False)

    prompt = await sent_for(ada, provider, await conversation_in(ada, project), "Do we use Cassandra?")
    assert "We go with Cassandra" in prompt
    assert "[Later, in round 5: Scrap Cassandra" in prompt


async def test_what_one_conversation_decided_another_of_the_project_can_take_back(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    project = await project_of(ada)
    await write_rounds(world.db, ada, await conversation_in(ada, project), [FIRST])
    await write_rounds(world.db, ada, await conversation_in(ada, project), [BACK])
    await indexed(world, meanings=False)

    prompt = await sent_for(ada, provider, await conversation_in(ada, project), "Do we use Cassandra?")
    assert "We go with Cassandra" in prompt
    assert "[Later, in another conversation" in prompt


async def test_a_pinned_message_says_that_it_was_taken_back(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await conversation_in(ada, max_tokens=4_000)
    chat = talk(rounds=20, facts=[], last=0)
    questions = await write_rounds(world.db, ada, conversation, [FIRST, *chat[:5], BACK, *chat[5:]])
    await done(ada.put(f"/api/messages/{questions[0]}/marks", {"pinned": True}))

    prompt = await sent_for(ada, provider, conversation, "What is next?")
    pinned = prompt.split("<pinned>")[1].split("</pinned>")[0]
    assert "We go with Cassandra" in pinned
    assert "[Later, in round 7: Scrap Cassandra" in pinned


async def test_a_reversal_that_was_left_out_does_not_count(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await conversation_in(ada, max_tokens=4_000)
    chat = talk(rounds=20, facts=[], last=0)
    questions = await write_rounds(world.db, ada, conversation, [FIRST, *chat[:5], BACK, *chat[5:]])
    await done(ada.put(f"/api/messages/{questions[0]}/marks", {"pinned": True}))
    await done(ada.put(f"/api/messages/{questions[6]}/marks", {"excluded": True}))

    prompt = await sent_for(ada, provider, conversation, "What is next?")
    assert "We go with Cassandra" in prompt
    assert "[Later, in" not in prompt


async def test_what_takes_back_only_a_reversal_that_was_left_out_does_not_count_either(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await conversation_in(ada, max_tokens=4_000)
    chat = talk(rounds=20, facts=[], last=0)
    again = Spoken("Forget DuckDB, plain files will do.", "Understood.")
    questions = await write_rounds(world.db, ada, conversation, [FIRST, *chat[:5], BACK, again, *chat[5:]])
    await done(ada.put(f"/api/messages/{questions[0]}/marks", {"pinned": True}))
    both = await sent_for(ada, provider, conversation, "What is next?")
    await done(ada.put(f"/api/messages/{questions[6]}/marks", {"excluded": True}))
    neither = await sent_for(ada, provider, conversation, "And what is next now?")

    assert "[Later, in round 7: Scrap Cassandra" in both
    assert "[Later, in round 8: Forget DuckDB" in both
    assert "We go with Cassandra" in neither
    assert "[Later, in" not in neither


async def test_what_is_for_local_models_is_not_told_in_a_note(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    conversation = await conversation_in(ada, max_tokens=4_000)
    chat = talk(rounds=20, facts=[], last=0)
    questions = await write_rounds(world.db, ada, conversation, [FIRST, *chat[:5], BACK, *chat[5:]])
    await done(ada.put(f"/api/messages/{questions[0]}/marks", {"pinned": True}))
    await done(ada.put(f"/api/messages/{questions[6]}/marks", {"local_only": True}))

    prompt = await sent_for(ada, provider, conversation, "What is next?")
    assert "[Later, in round 7: something else was said]" in prompt
    assert "DuckDB" not in prompt
