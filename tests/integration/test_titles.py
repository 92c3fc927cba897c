"""A conversation is named at once by its first question, better by a model, and for good by a person."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.context_world import done
from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import Fault
from tests.search_world import until
from tests.world import Json, Person, World

from tertulia.conversations import question_title

QUESTION = "Which **boat** goes to the island on Sunday, and when does it come back?"
FIRST_WORDS = "Which boat goes to the island on Sunday, and when does it…"
NAMED = "Sunday boats"


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("utility", Script(reply=NAMED))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


def named(conversation: Json) -> tuple[str, str]:
    return conversation["title"], conversation["title_by"]


async def title_of(person: Person, turn: Json) -> tuple[str, str]:
    return named((await done(person.get(f"/api/conversations/{turn['conversation']['id']}")))["conversation"])


async def tried(world: World, provider: ScriptedProvider) -> None:
    """Wait until the model for titles was asked and nothing waits to be done about a title."""

    async def is_done() -> bool:
        left = await world.db.read(
            lambda tx: tx.value("SELECT count(*) FROM jobs WHERE kind = 'title'"), by=None
        )
        return bool(provider.requests("utility")) and not left

    await until(is_done)


async def test_a_title_is_there_with_the_first_question(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("scripted-fast", Script(reply="At ten.", fault=Fault(kind="hang")))
    turn = await ada.start(QUESTION)
    assert named(turn["conversation"]) == (FIRST_WORDS, "question")
    listed = (await done(ada.get("/api/conversations")))["conversations"]
    assert [named(one) for one in listed] == [(FIRST_WORDS, "question")]


@pytest.mark.parametrize(
    "fault", [None, Fault(kind="status", status=400), Fault(kind="cut", after=1), Fault(kind="hang")]
)
async def test_a_model_names_a_conversation_however_its_first_reply_ends(
    ada: Person, provider: ScriptedProvider, fault: Fault | None
) -> None:
    provider.script("scripted-fast", Script(reply=["At ", "ten."], fault=fault))
    turn = await ada.start(QUESTION)
    if fault and fault.kind == "hang":
        await ada.post(f"/api/rounds/{turn['round']['id']}/stop")
    told = await ada.wait_for(turn, "conversation.changed")
    assert named(told["conversation"]) == (NAMED, "utility")


async def test_a_model_does_not_wait_for_the_end_of_a_long_reply(
    ada: Person, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert timedelta(seconds=30) >= question_title.TITLE_REPLY_WAIT
    monkeypatch.setattr(question_title, "TITLE_REPLY_WAIT", timedelta(0))
    provider.script("scripted-fast", Script(reply="At ten.", fault=Fault(kind="hang")))
    turn = await ada.start(QUESTION)
    told = await ada.wait_for(turn, "conversation.changed")
    assert named(told["conversation"]) == (NAMED, "utility")
    await ada.post(f"/api/rounds/{turn['round']['id']}/stop")


@pytest.mark.parametrize(
    "answer",
    [
        "<think>The person asks about boats, so",
        '<tool_call>{"name": "search_project", "arguments": {}}</tool_call>',
        '{"name": "search_project", "arguments": {"query": "boats"}}',
        "",
    ],
)
async def test_what_is_no_title_leaves_the_first_words(
    world: World, ada: Person, provider: ScriptedProvider, answer: str
) -> None:
    provider.script("utility", Script(reply=answer))
    turn = await ada.start(QUESTION)
    await ada.finished(turn)
    await tried(world, provider)
    assert await title_of(ada, turn) == (FIRST_WORDS, "question")


async def test_a_model_that_failed_is_asked_again_after_the_next_reply(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("utility", Script(reply="<think>"))
    turn = await ada.start(QUESTION)
    await ada.finished(turn)
    await tried(world, provider)
    provider.script("utility", Script(reply=NAMED))
    await ada.ask("And on Monday?", conversation_id=turn["conversation"]["id"])
    await ada.wait_for(turn, "conversation.changed")
    assert await title_of(ada, turn) == (NAMED, "utility")


async def test_a_persons_title_stays_whatever_a_model_says_meanwhile(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("utility", Script(reply=NAMED, first_token_seconds=0.3))
    turn = await ada.start(QUESTION)
    await ada.finished(turn)
    await asyncio.to_thread(provider.wait_for, lambda: provider.requests("utility"))
    await done(ada.put(f"/api/conversations/{turn['conversation']['id']}/title", {"title": "Mine"}))
    await tried(world, provider)
    assert await title_of(ada, turn) == ("Mine", "person")


async def test_a_conversation_that_was_made_with_a_title_keeps_it(
    ada: Person, provider: ScriptedProvider
) -> None:
    made = (await ada.post("/api/conversations", {"title": "Mine"})).json()
    turn = await ada.start(QUESTION, conversation_id=made["id"])
    await ada.finished(turn)
    assert await title_of(ada, turn) == ("Mine", "person")
    assert provider.requests("utility") == []
