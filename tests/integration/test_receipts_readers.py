"""Who reads a receipt is told of other conversations what they may open; models are told no titles."""

import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.context_world import done, set_flags
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

MODEL = "openai/scripted-fast"
SECRET = "My salary is 91,337 florins a year."
TITLE = "About heliotrope"
ABOUT_IT = "What is my salary in florins?"


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("scripted-fast", Script(reply="So be it."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@dataclass
class Quoting:
    """A conversation in which a private one was quoted."""

    world: World
    ada: Person
    provider: ScriptedProvider
    project_id: str
    private: str
    turn: Json
    round: Json

    @classmethod
    async def begun(cls, world: World, ada: Person, provider: ScriptedProvider) -> "Quoting":
        await set_flags(ada, summary_frequency=0)
        project_id = (await Shelf.of(ada)).project_id
        first = await ada.start(SECRET, project_id=project_id)
        await ada.finished(first)
        private = first["conversation"]["id"]
        await done(ada.put(f"/api/conversations/{private}/title", {"title": TITLE}))
        await indexed(world, meanings=False)
        turn = await ada.start(ABOUT_IT, project_id=project_id)
        return cls(world, ada, provider, project_id, private, turn, await ada.finished(turn))

    @property
    def id(self) -> str:
        return self.turn["conversation"]["id"]

    async def receipt(self, person: Person) -> Json:
        path = f"/api/replies/{self.round['replies'][0]['id']}/receipt"
        return await done(person.get(path, params={"texts": True}))

    async def passage(self, person: Person) -> Json:
        [section] = [
            one for one in (await self.receipt(person))["plan"]["sections"] if one["kind"] == "passages"
        ]
        return section["items"][0]


@pytest.fixture
async def quoting(world: World, ada: Person, provider: ScriptedProvider) -> Quoting:
    return await Quoting.begun(world, ada, provider)


async def test_whoever_asked_reads_all_of_it(quoting: Quoting) -> None:
    shown = await quoting.passage(quoting.ada)
    assert shown["title"] == f"{TITLE}, round 1"
    assert shown["text"] == SECRET
    assert {one["title"] for one in quoting.round["replies"][0]["passages"]} == {TITLE}


async def test_others_are_told_that_something_was_quoted_and_nothing_of_it(quoting: Quoting) -> None:
    guest = await quoting.world.person(like=quoting.ada)
    await done(quoting.ada.put(f"/api/conversations/{quoting.id}", {"visibility": "workspace"}))
    mine, theirs = await quoting.passage(quoting.ada), await quoting.passage(guest)
    assert (theirs["is_hidden"], theirs["title"]) == (True, "A private or deleted conversation")
    assert (theirs["tokens"], theirs["pointer"]["number"]) == (mine["tokens"], mine["pointer"]["number"])
    assert theirs["text"] == "(It comes from something that you cannot open.)"

    told = [
        await quoting.receipt(guest),
        await done(guest.get(f"/api/conversations/{quoting.id}")),
        await done(guest.get(f"/api/conversations/{quoting.id}/rounds")),
        await everything_heard(guest, quoting),
    ]
    assert "91,337" not in json.dumps(told)
    assert TITLE not in json.dumps(told)


async def everything_heard(person: Person, quoting: Quoting) -> list[Json]:
    """Return all events of a conversation up to the end of its round, as one hears them who comes late."""
    heard: list[Json] = []
    async for event in person.events(quoting.id, after=0):
        heard.append(event)
        if event["type"] == "round.closed":
            return heard
    return heard


async def test_it_is_told_to_them_once_that_conversation_is_shared_too(quoting: Quoting) -> None:
    guest = await quoting.world.person(like=quoting.ada)
    for id_ in (quoting.id, quoting.private):
        await done(quoting.ada.put(f"/api/conversations/{id_}", {"visibility": "workspace"}))
    assert await quoting.passage(guest) == await quoting.passage(quoting.ada)


async def test_what_was_deleted_is_gone_for_everybody(quoting: Quoting) -> None:
    assert (await quoting.ada.delete(f"/api/conversations/{quoting.private}")).status_code == 204
    shown = await quoting.passage(quoting.ada)
    assert shown["title"] == "A private or deleted conversation"
    assert shown["text"] == "(It was deleted since.)"


async def test_no_model_is_told_a_title_that_a_model_made(quoting: Quoting) -> None:
    """It may be made of words that were left out since, or of another lane's."""
    sql = "UPDATE conversations SET title_by = 'openai/utility' WHERE id = :id AND workspace_id = :workspace"
    await quoting.world.db.write(lambda tx: tx.run(sql, id=quoting.private), by=quoting.ada.principal)
    before = len(quoting.provider.requests("scripted-fast"))
    look = ScriptedCall(name="search_project", arguments='{"query": "salary florins"}')
    quoting.provider.script("scripted-fast", Script(reply="Found.", tool_calls=[look]))
    await quoting.ada.ask("Look it up: my salary in florins.", models=[MODEL], project_id=quoting.project_id)

    asked = quoting.provider.requests("scripted-fast")[before:]
    sent = [json.dumps(one.body, ensure_ascii=False) for one in asked]
    assert sum("91,337" in body for body in sent) >= 2, "as a passage, and as what a tool found"
    assert not any(TITLE in body for body in sent)
    # It is called by its first question, which may be told.
    assert 'source=\\"the conversation “' in sent[-1]


async def test_a_passage_of_an_attachment_is_named_by_its_path(world: World, ada: Person) -> None:
    place = {"project_id": (await Shelf.of(ada)).project_id}
    conversation = (await ada.post("/api/conversations", place)).json()["id"]
    file = {"path": "pay.md", "content": SECRET}
    assert (await ada.post(f"/api/conversations/{conversation}/files", file)).status_code == 201
    await indexed(world, meanings=False)
    reply = (await ada.ask(ABOUT_IT, conversation_id=conversation))["replies"][0]
    receipt = await done(ada.get(f"/api/replies/{reply['id']}/receipt", params={"texts": True}))
    [passages] = [one for one in receipt["plan"]["sections"] if one["kind"] == "passages"]
    [shown] = passages["items"]
    assert shown["title"] == "attachments/pay.md, lines 1-1"
    assert SECRET in shown["text"]
