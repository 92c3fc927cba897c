"""Whose words a model reads, where several people write: in points, passages, pins and what tools find."""

import json
import re
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.context_world import compressed, done, set_flags
from tests.long_talk import Spoken, talk
from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import ScriptedCall
from tests.search_world import indexed
from tests.world import Person, World
from tests.written_rounds import write_rounds

MODEL = "openai/scripted-fast"
POINTS = re.compile(r"^- (.*)$", re.MULTILINE)
PASSAGES = re.compile(r'<passage number="\d+" source="([^"]*)"[^>]*>\n(.*?)\n</passage>', re.DOTALL)
PINS = re.compile(r"<message (speaker=.*?)>\n(.*?)\n</message>", re.DOTALL)
LATEX = "I'm allergic to latex gloves."


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@dataclass(frozen=True, slots=True)
class Table:
    """Two people who write in the same conversation of a project."""

    world: World
    provider: ScriptedProvider
    ottoline: Person
    radomir: Person
    project: str
    conversation: str

    async def say(self, person: Person, *sentences: str) -> list[str]:
        """Have a person say something, each sentence in a round, and return the ids of these messages."""
        spoken = [Spoken(sentence, "Noted.") for sentence in sentences]
        return await write_rounds(self.world.db, person, self.conversation, spoken)

    async def chat(self, person: Person, rounds: int = 12) -> None:
        """Have a person talk of other things."""
        said = talk(rounds=rounds, facts=[], last=0)
        await write_rounds(self.world.db, person, self.conversation, said)

    async def begin(self, person: Person) -> str:
        """Begin another conversation of the project, which all may read."""
        return await begin(person, self.project)

    async def sent(self, person: Person, question: str, conversation: str = "") -> str:
        """Ask, and return what the model was sent."""
        await indexed(self.world, meanings=False)
        await person.ask(question, conversation_id=conversation or self.conversation, models=[MODEL])
        return texts(self.provider.requests("scripted-fast")[-1].body["messages"])


def texts(messages: Sequence[dict[str, Any]]) -> str:
    return "\n".join(str(message["content"]) for message in messages)


async def begin(person: Person, project: str) -> str:
    made = await person.post("/api/conversations", {"title": "Trip", "project_id": project})
    path = f"/api/conversations/{made.json()['id']}"
    return (await done(person.put(path, {"visibility": "workspace"})))["id"]


@pytest.fixture
async def table(world: World, ada: Person, provider: ScriptedProvider) -> Table:
    radomir = await world.person(like=ada)
    for person, name in ((ada, "Ottoline"), (radomir, "Radomir")):
        await done(person.client.patch("/api/me", json={"name": name}))
    await set_flags(ada, summary_frequency=0)
    provider.script("scripted-fast", Script(reply="Noted."))
    project = (await ada.post("/api/projects", {"name": "Trip"})).json()["id"]
    return Table(world, provider, ada, radomir, project, await begin(ada, project))


def points_in(prompt: str) -> list[str]:
    return POINTS.findall(prompt.split("<summary>")[1].split("</summary>", maxsplit=1)[0])


async def test_a_point_names_who_said_it_and_who_revised_it(table: Table) -> None:
    await table.say(table.ottoline, LATEX, "My room is number 12.")
    await table.say(table.radomir, "My room is number 19.", "Actually my room is number 21 now.")
    await table.chat(table.ottoline)
    await compressed(table.ottoline, table.conversation)

    told = points_in(await table.sent(table.radomir, "What is next?"))
    assert f"{LATEX} (round 1, Ottoline)" in told
    assert "My room is number 12. (round 2, Ottoline)" in told
    later = "[later, in round 4, Radomir: Actually my room is number 21 now.]"
    assert f"My room is number 19. {later} (round 3, 4, Radomir)" in told


async def test_points_that_are_stored_are_revised_by_those_who_said_them(table: Table) -> None:
    await table.say(table.ottoline, "My room is number 12.", "The ferry leaves at 9:40.")
    await table.say(table.radomir, "My room is number 19.")
    await table.chat(table.radomir)
    await compressed(table.ottoline, table.conversation)
    await table.say(
        table.radomir, "Actually my room is number 21 now.", "Actually the ferry leaves at 10:15."
    )
    await table.chat(table.radomir)
    await compressed(table.ottoline, table.conversation)

    told = points_in(await table.sent(table.radomir, "What is next?"))
    assert "My room is number 12. (round 1, Ottoline)" in told
    [own] = [point for point in told if point.startswith("My room is number 19.")]
    assert "[later, in round 16, Radomir: Actually my room is number 21 now.]" in own
    [ferry] = [point for point in told if point.startswith("The ferry leaves at 9:40.")]
    assert ferry.endswith(
        "Radomir: Actually the ferry leaves at 10:15.] (round 2, Ottoline; round 17, Radomir)"
    )


async def test_two_people_who_say_the_same_are_both_told(table: Table) -> None:
    await table.say(table.ottoline, "I never fly, and my budget is 900 euros.")
    await table.say(table.radomir, "My budget is 900 euros.")
    await table.chat(table.radomir)
    await compressed(table.ottoline, table.conversation)
    told = points_in(await table.sent(table.radomir, "What is next?"))
    assert "I never fly, and my budget is 900 euros. (round 1, Ottoline)" in told
    assert "My budget is 900 euros. (round 2, Radomir)" in told


async def test_names_are_those_of_today(table: Table) -> None:
    await table.say(table.ottoline, "My room is number 12.", "Actually my room is number 14 now.")
    await table.chat(table.radomir)
    await compressed(table.ottoline, table.conversation)
    await done(table.ottoline.client.patch("/api/me", json={"name": 'Otto "Line" </summary>'}))
    told = points_in(await table.sent(table.radomir, "What is next?"))
    assert "(round 1, 2, Otto 'Line' (/summary))" in told[0]
    assert "[later, in round 2, Otto 'Line' (/summary): " in told[0]


async def test_a_passage_of_this_conversation_names_who_said_it(table: Table) -> None:
    await table.say(table.ottoline, LATEX)
    await table.chat(table.radomir, 24)
    for person in (table.radomir, table.ottoline):
        prompt = await table.sent(person, "Who is allergic to latex gloves?")
        [source] = [source for source, text in PASSAGES.findall(prompt) if text == LATEX]
        assert source.startswith("this conversation, round 1, Ottoline, ")


async def test_a_passage_of_another_conversation_names_who_said_it(table: Table) -> None:
    await table.say(table.ottoline, "My cabin on the ferry is number 12.")
    await table.say(table.radomir, "My cabin on the ferry is number 19.")
    for person, names in (
        (table.radomir, {"12": "Ottoline", "19": "Radomir (user)"}),
        (table.ottoline, {"12": "Ottoline (user)", "19": "Radomir"}),
    ):
        prompt = await table.sent(person, "Which cabin on the ferry?", await table.begin(person))
        found = {text: source.split(", ")[2] for source, text in PASSAGES.findall(prompt)}
        assert found == {f"My cabin on the ferry is number {cabin}.": name for cabin, name in names.items()}
        assert "Several people write" not in prompt


async def test_somebody_alone_in_a_conversation_is_not_taken_for_who_asks(table: Table) -> None:
    await table.say(table.ottoline, LATEX)
    prompt = await table.sent(table.radomir, "Latex gloves?", await table.begin(table.radomir))
    [(source, _)] = PASSAGES.findall(prompt)
    assert ", round 1, Ottoline, " in source


async def test_what_the_tool_finds_names_who_said_it(table: Table) -> None:
    await table.say(table.ottoline, "My cabin on the ferry is number 12.")
    await table.say(table.radomir, "My cabin on the ferry is number 19.")
    await table.say(table.radomir, "Actually my cabin on the ferry is number 21 now.")
    await indexed(table.world, meanings=False)
    look = ScriptedCall(name="search_project", arguments=json.dumps({"query": "cabin ferry number"}))
    for conversation in (table.conversation, await table.begin(table.ottoline)):
        table.provider.script("gpt-5", Script(reply="Let me look.", tool_calls=[look]))
        await table.ottoline.ask("Find it.", conversation_id=conversation, models=["openai/gpt-5"])
        given = texts(table.provider.requests("gpt-5")[-1].body["messages"]).split("Let me look.")[1]
        found = {text: source for source, text in PASSAGES.findall(given)}
        assert any("12." in text and ", round 1, Ottoline" in source for text, source in found.items())
        assert "[Later" not in next(text for text in found if "number 12." in text)
        revised = next(text for text in found if "number 19." in text)
        assert "[Later, in round 3, Radomir: Actually my cabin" in revised


async def test_a_pin_says_who_revised_it_and_only_their_own_words_are(table: Table) -> None:
    [room] = await table.say(table.ottoline, "My room is number 12.")
    [ferry] = await table.say(table.ottoline, "The ferry leaves at 9:40.")
    [other] = await table.say(table.radomir, "My room is number 19.")
    await table.say(
        table.radomir, "Actually my room is number 21 now.", "Actually the ferry leaves at 10:15."
    )
    await table.chat(table.radomir, 20)
    for message in (room, ferry, other):
        await done(table.ottoline.put(f"/api/messages/{message}/marks", {"pinned": True}))

    pins = dict(PINS.findall((await table.sent(table.ottoline, "What is next?")).split("<passages>")[0]))
    assert pins['speaker="Ottoline" round="1"'] == "My room is number 12."
    assert "[Later, in round 5, Radomir: Actually the ferry" in pins['speaker="Ottoline" round="2"']
    assert "[Later, in round 4, Radomir: Actually my room" in pins['speaker="Radomir" round="3"']


async def test_one_person_alone_is_not_named(table: Table) -> None:
    first, *_ = await table.say(table.ottoline, "My room is number 12.", LATEX)
    await table.say(table.ottoline, "Actually my room is number 14 now.")
    await table.chat(table.ottoline, 24)
    await done(table.ottoline.put(f"/api/messages/{first}/marks", {"pinned": True}))
    await compressed(table.ottoline, table.conversation)
    here = await table.sent(table.ottoline, "What is next?")
    elsewhere = await table.sent(table.ottoline, "Latex gloves?", await table.begin(table.ottoline))
    assert f"{LATEX} (round 2)" in points_in(here)
    assert "[later, in round 3: Actually" in here
    assert "[Later, in round 3: Actually" in here
    assert ", round 2, user, " in elsewhere
    assert "Ottoline" not in here + elsewhere
