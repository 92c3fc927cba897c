"""Who is asked when nobody says: what was chosen is remembered, and a default that nobody chose is not."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.scripted_provider import ScriptedProvider
from tests.world import Json, Person, World


@pytest.fixture
async def world(tmp_path: Path) -> AsyncGenerator[World]:
    """A server that knows nothing but what is built in."""
    async with World.open(tmp_path) as world:
        yield world


async def asked(person: Person, **where: str) -> Json:
    """Ask without naming a model, and return the turn."""
    answer = await person.post("/api/turn", {"message": "Hello", **where})
    assert answer.status_code == 202, answer.text
    return answer.json()


def models_of(turn: Json) -> set[str]:
    return {reply["model"] for reply in turn["round"]["replies"]}


async def connect(person: Person, provider: ScriptedProvider) -> None:
    body = {"kind": "openai", "slug": "openai", "base_url": provider.openai_url, "key": "sk-test"}
    answer = await person.post("/api/connections", body)
    assert answer.status_code == 201, answer.text


async def test_a_new_conversation_asks_the_best_there_is_and_the_old_one_whom_it_asked(
    ada: Person, provider: ScriptedProvider
) -> None:
    first = await asked(ada)
    built_in = models_of(first)
    assert built_in
    await ada.post(f"/api/rounds/{first['round']['id']}/stop")
    await connect(ada, provider)

    assert models_of(await asked(ada)) == {"scripted-smart"}
    again = await asked(ada, conversation_id=first["conversation"]["id"])
    await ada.post(f"/api/rounds/{again['round']['id']}/stop")
    assert models_of(again) == built_in


async def test_what_a_project_likes_goes_before_the_best_there_is(
    ada: Person, provider: ScriptedProvider
) -> None:
    await connect(ada, provider)
    project = (await ada.post("/api/projects", {"name": "Papers"})).json()["id"]
    settings = {"settings": {"default_models": ["scripted-fast"]}}
    assert (await ada.put(f"/api/projects/{project}", settings)).status_code == 200

    assert models_of(await asked(ada, project_id=project)) == {"scripted-fast"}
    assert models_of(await asked(ada)) == {"scripted-smart"}
