"""Windows that are smaller than a conversation, or than their provider says."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

#: About 800 tokens.
LONG = "The tide comes in and the tide goes out again. " * 75


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("roomy", Script(reply=f"Yes. {LONG}", window=200_000))
    provider.script("narrow", Script(reply="Well.", window=8_000))
    provider.script("boaster", Script(reply="Well.", window=32_000, true_window=8_000))
    provider.script("liar", Script(reply="Well.", window=32_000, true_window=50))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@pytest.fixture
async def long_talk(ada: Person) -> Json:
    """A conversation of some ten thousand tokens."""
    turn = await ada.start(f"Question 0 {LONG}", models=["roomy"])
    await ada.finished(turn)
    for number in range(1, 7):
        await ada.ask(f"Question {number} {LONG}", **here(turn, "roomy"))
    return turn


def here(turn: Json, *models: str) -> Json:
    return {"conversation_id": turn["conversation"]["id"], "models": list(models)}


def bodies(provider: ScriptedProvider, model: str, about: str) -> list[str]:
    """Return what a model was told, but for requests that want a title or a summary."""
    return [body for one in provider.requests(model) if about in (body := json.dumps(one.body))]


async def receipt_of(ada: Person, reply: Json) -> Json:
    return (await ada.get(f"/api/replies/{reply['id']}/receipt")).json()["plan"]


async def test_a_conversation_goes_on_with_a_model_of_a_far_smaller_window(
    ada: Person, provider: ScriptedProvider, long_talk: Json
) -> None:
    reply = (await ada.ask("And with you?", **here(long_talk, "narrow")))["replies"][0]
    plan = await receipt_of(ada, reply)

    assert (reply["status"], reply["content"]) == ("done", "Well.")
    assert len(bodies(provider, "narrow", "And with you?")) == 1
    assert reply["usage"]["input"] + plan["reply"] <= 8_000
    assert not plan["shortened"]
    [told] = bodies(provider, "narrow", "And with you?")
    assert f"Question 6 {LONG}" in told
    assert f"Question 0 {LONG}" not in told
    assert {one["reason"] for one in plan["left_out"]} & {"no_room", "older"}

    back = (await ada.ask("And back with you?", **here(long_talk, "roomy")))["replies"][0]
    assert back["status"] == "done"
    assert "And with you?" in bodies(provider, "roomy", "And back with you?")[-1]


async def test_a_provider_that_finds_a_prompt_too_long_is_asked_once_more_with_less(
    ada: Person, provider: ScriptedProvider, long_talk: Json
) -> None:
    turn = await ada.start("And with you?", **here(long_talk, "boaster"))
    noticed = await ada.wait_for(turn, "reply.status")
    reply = (await ada.finished(turn))["replies"][0]
    first, second = bodies(provider, "boaster", "And with you?")

    assert (reply["status"], reply["content"]) == ("done", "Well.")
    assert "once more" in noticed["message"]
    assert len(second) < len(first)
    plan = await receipt_of(ada, reply)
    assert plan["shortened"]
    assert plan["tokens"] <= plan["limit"]
    assert reply["usage"]["input"] <= 8_000


async def test_a_provider_that_finds_the_shorter_one_too_long_as_well_is_believed(
    ada: Person, provider: ScriptedProvider, long_talk: Json
) -> None:
    reply = (await ada.ask("And with you?", **here(long_talk, "liar")))["replies"][0]

    assert (reply["status"], reply["error"]["code"]) == ("failed", "prompt_too_long")
    assert len(bodies(provider, "liar", "And with you?")) == 2
    assert (await receipt_of(ada, reply))["shortened"]


async def test_a_question_larger_than_the_window_is_refused_before_it_is_sent(
    ada: Person, provider: ScriptedProvider
) -> None:
    turn = await ada.start("Huge " + LONG * 12, models=["narrow", "roomy"])
    narrow, roomy = (await ada.finished(turn))["replies"]

    assert (narrow["status"], narrow["error"]["code"]) == ("failed", "question_too_long")
    assert "is the question, and" in narrow["error"]["message"]
    assert "larger window" in narrow["error"]["message"]
    assert bodies(provider, "narrow", "Huge") == []
    assert roomy["status"] == "done"
    again = await ada.ask("Shorter", **here(turn, "narrow"))
    assert again["replies"][0]["status"] == "done"


async def test_a_brief_larger_than_the_window_is_what_the_refusal_names(ada: Person) -> None:
    brief = "The brief says many things about harbours. " * 900
    project = (await ada.post("/api/projects", {"name": "Harbour", "brief": brief})).json()["id"]
    turn = await ada.start("Hi", models=["narrow"], project_id=project)
    error = (await ada.finished(turn))["replies"][0]["error"]

    assert error["code"] == "question_too_long"
    assert "is the project's brief" in error["message"]


async def test_a_limit_of_the_conversation_is_kept(
    ada: Person, provider: ScriptedProvider, long_talk: Json
) -> None:
    wish = {"context": {"max_tokens": 3_000}}
    changed = await ada.put(f"/api/conversations/{long_talk['conversation']['id']}", wish)
    assert changed.status_code == 200, changed.text
    reply = (await ada.ask("And with you?", **here(long_talk, "roomy")))["replies"][0]

    plan = await receipt_of(ada, reply)
    assert plan["limit"] == 3_000
    assert reply["usage"]["input"] <= 3_000
