"""Which models are offered tools: those that can use them, or all where somebody wants that."""

import json

import pytest
from tests.context_world import done, plan_for
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.world import Json, Person

#: Words on tools, which make no sense to a model that has none.
ABOUT_READING = "You can look into the project yourself"


def asked_last(provider: ScriptedProvider, model: str) -> Json:
    """Return the last question to a model; a fast one is also asked for titles."""
    bodies = [request.body for request in provider.requests(model)]
    return next(body for body in reversed(bodies) if "<conversation>" in str(body["messages"][-1]))


def is_offered_tools(provider: ScriptedProvider, model: str) -> bool:
    """Tell whether a model was last offered tools, in its format or in words, and told how to use them."""
    body = asked_last(provider, model)
    system = body["messages"][0]["content"]
    is_offered = "tools" in body or '"name":"read_project_file"' in system
    assert (ABOUT_READING in system) == is_offered
    return is_offered


@pytest.mark.parametrize(
    ("model", "offered"),
    [
        ("gpt-5", True),
        ("o1-mini", True),
        ("gpt-3.5-turbo", True),
        ("phi-4-14b", False),
        ("gemma-2-2b-it", False),
        ("gpt-5-nano", False),
    ],
)
async def test_tools_go_to_models_that_can_use_them_and_to_all_where_somebody_wants_that(
    ada: Person, provider: ScriptedProvider, model: str, offered: bool
) -> None:
    provider.script(model, Script(reply="So be it."))
    project = (await ada.post("/api/projects", {"name": "Papers"})).json()
    turn = await ada.start("Hello", models=[f"openai/{model}"], project_id=project["id"])
    await ada.finished(turn)
    assert is_offered_tools(provider, model) == offered

    await done(ada.put(f"/api/projects/{project['id']}", {"settings": {"context_tools": "all"}}))
    await ada.ask("Hello", models=[f"openai/{model}"], project_id=project["id"])
    assert is_offered_tools(provider, model)

    path = f"/api/conversations/{turn['conversation']['id']}"
    await done(ada.put(path, {"context": {"tools": "suited"}}))
    await ada.ask("Again", models=[f"openai/{model}"], conversation_id=turn["conversation"]["id"])
    assert is_offered_tools(provider, model) == offered
    plan = await plan_for(ada, turn["conversation"]["id"], "Once more", model=f"openai/{model}")
    assert ("tools" in [section["kind"] for section in plan["sections"]]) == offered


async def test_a_model_that_is_offered_no_tools_cannot_use_one_by_its_name(
    ada: Person, provider: ScriptedProvider
) -> None:
    look = ScriptedCall(name="list_project_files", arguments="{}")
    provider.script("gpt-5-nano", Script(reply="", tool_calls=[look]), Script(reply="Well."))
    [reply] = (await ada.ask("Hello", models=["openai/gpt-5-nano"]))["replies"]
    [call] = reply["tool_calls"]
    assert (call["status"], reply["content"]) == ("failed", "Well.")
    assert "You have no tools here" in call["result"]


async def test_a_model_is_not_told_to_read_where_reading_is_switched_off(
    ada: Person, provider: ScriptedProvider
) -> None:
    await done(ada.put("/api/tools/read_project_file", {"enabled": False}))
    await ada.ask("Hello", models=["openai/scripted-smart"])
    body = asked_last(provider, "scripted-smart")
    names = [tool["function"]["name"] for tool in body["tools"]]
    assert "search_project" in names
    assert "read_project_file" not in json.dumps(body)
