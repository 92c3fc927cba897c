"""The tools by which models propose to remember something, and look up what is remembered."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.accounts_door import ok
from tests.memory_world import open_memory_world
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

MODEL = "scripted-smart"


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def ask_with_tool(
    person: Person, provider: ScriptedProvider, question: str, tool: str, **arguments: str
) -> Json:
    """Ask a model that calls a tool, and return the call."""
    call = ScriptedCall(name=tool, arguments=json.dumps(arguments))
    provider.script(MODEL, Script(tool_calls=[call], reply="So be it."))
    project = ok(await person.post("/api/projects", {"name": "Boat"}), 201)["id"]
    asked = await person.ask(question, models=[MODEL], project_id=project)
    return asked["replies"][0]["tool_calls"][0]


async def waiting(person: Person) -> list[Json]:
    return ok(await person.get("/api/memories?status=proposed"))["memories"]


async def test_a_model_proposes_what_the_person_said(ada: Person, provider: ScriptedProvider) -> None:
    ok(await ada.put("/api/memories/preferences", {"taken_types": ["fact"]}))
    call = await ask_with_tool(
        ada,
        provider,
        "I moved to Porto last May. Which boats sail there?",
        "remember",
        quote="I moved to Porto last May",
        content="Moved to Porto last May",
        type="fact",
    )
    assert call["status"] == "done"
    proposed = await waiting(ada)
    assert [(memory["content"], memory["made_by"]) for memory in proposed] == [
        ("Moved to Porto last May", f"agent:{MODEL}")
    ]
    assert proposed[0]["evidence"]["quote"] == "I moved to Porto last May."


async def test_a_model_can_propose_nothing_that_the_person_did_not_say(
    ada: Person, provider: ScriptedProvider
) -> None:
    call = await ask_with_tool(
        ada, provider, "Which boats sail?", "remember", quote="I am rich", content="Rich", type="fact"
    )
    assert call["status"] == "failed"
    assert "word for word" in call["result"]
    assert await waiting(ada) == []


async def test_a_model_looks_up_what_is_remembered(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    for content, local_only in (("My boat is called Nautilus.", False), ("My boat code is 77.", True)):
        body = {"type": "fact", "content": content, "local_only": local_only}
        ok(await ada.post("/api/memories", body), 201)
    await indexed(world)
    await ask_with_tool(ada, provider, "Hello", "search_memory", query="my boat")
    told = provider.requests(MODEL)[-1].body["messages"][-1]["content"]
    assert "Nautilus" in told
    assert "77" not in told
    memories = ok(await ada.get("/api/memories"))["memories"]
    used = {memory["content"]: memory["use_count"] for memory in memories}
    assert used == {"My boat is called Nautilus.": 1, "My boat code is 77.": 0}


async def test_only_what_a_look_tells_whole_is_counted(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    for name in ("Marit", "Tove", "Bo", "Nils", "Siv", "Aud", "Liv", "Odd"):
        content = f"{name} has a boat {'that sails on and on ' * 80}."
        ok(await ada.post("/api/memories", {"type": "fact", "content": content}), 201)
    await indexed(world)
    await ask_with_tool(ada, provider, "Hello", "search_memory", query="boat")
    told = str(provider.requests(MODEL)[-1].body["messages"])
    memories = ok(await ada.get("/api/memories"))["memories"]
    counted = {memory["content"]: memory["use_count"] for memory in memories}
    assert {text: count for text, count in counted.items() if count} == {
        text: 1 for text in counted if text in told
    }
    assert 1 < sum(counted.values()) < len(counted)
