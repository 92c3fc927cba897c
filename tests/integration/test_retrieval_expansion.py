"""Questions that the utility model expands: by its sub-questions and imagined answers more is found."""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests import fake_embedder
from tests.context_world import done, receipt_of, set_flags
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import Fault
from tests.search_world import indexed, search, until
from tests.world import Json, Person, World

from tertulia.retrieval import search as search_module

#: Only by way of the keeper's name does the question lead to the second file.
KEEPER = "The keeper of the walrus is Ottoline."
BREAKFAST = "Ottoline breakfasts on kedgeree at six."
QUESTION = "What does whoever looks after the walrus have in the morning?"
EXPANSION = "Q: Who is the keeper of the walrus?\nQ: What does Ottoline breakfast on?\nA: She has kedgeree."
MODEL = "openai/scripted-smart"


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    provider.script("scripted-smart", Script(reply="So be it."))
    provider.script("utility", Script(reply=EXPANSION))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


@pytest.fixture
async def ada(world: World) -> Person:
    return await world.person(role="owner")


@pytest.fixture
async def shelf(world: World, ada: Person) -> Shelf:
    shelf = await Shelf.of(ada)
    await shelf.write("zoo/keeper.md", KEEPER)
    await shelf.write("people/morning.md", BREAKFAST)
    for number in range(12):
        await shelf.write(f"rooms/{number}.md", f"Room {number} has a lamp, a chair and a blue curtain.")
    await indexed(world)
    return shelf


def expanded(provider: ScriptedProvider) -> list[str]:
    """Return what the utility model was asked to expand."""
    asked = [json.dumps(request.body, ensure_ascii=False) for request in provider.requests("utility")]
    return [body for body in asked if "You prepare a search" in body]


async def asked(person: Person, shelf: Shelf, question: str = QUESTION, **more: object) -> Json:
    return (await person.ask(question, project_id=shelf.project_id, **{"models": [MODEL], **more}))[
        "replies"
    ][0]


async def reasons(person: Person, reply: Json) -> set[str]:
    left = (await receipt_of(person, reply))["plan"]["left_out"]
    return {one["reason"] for one in left if one["section"] == "passages"}


def paths(reply: Json) -> set[str]:
    return {passage["path"] for passage in reply["passages"]}


async def test_a_sub_question_brings_what_the_question_itself_does_not(
    ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    assert "people/morning.md" not in paths(await asked(ada, shelf))
    assert expanded(provider) == []

    await set_flags(ada, multi_query=True)
    reply = await asked(ada, shelf)
    assert {"zoo/keeper.md", "people/morning.md"} <= paths(reply)
    assert await reasons(ada, reply) <= {"repeated"}
    assert len(expanded(provider)) == 1
    assert QUESTION in expanded(provider)[0]


async def test_an_imagined_answer_is_searched_where_its_flag_is_on(
    ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    provider.script("utility", Script(reply=f"A: {BREAKFAST}"))
    await set_flags(ada, hyde=True)
    assert "people/morning.md" in paths(await asked(ada, shelf))


async def test_all_models_of_a_round_share_one_expansion(
    ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await set_flags(ada, multi_query=True, hyde=True)
    await asked(ada, shelf, models=[MODEL, MODEL, MODEL])
    assert len(expanded(provider)) == 1


@pytest.mark.parametrize(
    "script", [Script(reply="I am a search engine."), Script(fault=Fault(kind="status", status=400))]
)
async def test_a_question_that_is_not_expanded_is_searched_as_it_is_and_that_is_told(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider, script: Script
) -> None:
    provider.script("utility", script)
    await set_flags(ada, multi_query=True)
    reply = await asked(ada, shelf)
    assert "zoo/keeper.md" in paths(reply)
    assert "no_expansion" in await reasons(ada, reply)
    await world.server.parts.search.search.write_metrics()
    assert (await done(ada.get("/api/memory/metrics")))["given_up"] == {"query_not_expanded": 1}


async def test_a_slow_utility_model_is_not_waited_for_and_its_call_is_paid(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_module, "EXPANSION_TIMEOUT_SECONDS", 0.05)
    provider.script("utility", Script(reply=EXPANSION, first_token_seconds=0.5))
    await set_flags(ada, multi_query=True)
    assert "no_expansion" in await reasons(ada, await asked(ada, shelf))

    async def is_paid() -> bool:
        sql = "SELECT count(*) FROM spending WHERE workspace_id = :workspace AND purpose = 'search'"
        return await world.db.read(lambda tx: tx.value(sql), by=ada.principal) == 1

    await until(is_paid)


async def test_what_is_for_local_models_alone_is_expanded_by_no_other(
    ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    provider.script("near", Script(reply="So be it.", window=32_000))
    house = {"slug": "house", "kind": "openai-compatible", "base_url": provider.openai_url, "key": "k"}
    assert (await ada.post("/api/connections", house)).status_code == 201
    await set_flags(ada, multi_query=True)
    reply = await asked(ada, shelf, models=["house/near"])
    assert "no_expansion" in await reasons(ada, reply)
    assert expanded(provider) == []

    await asked(ada, shelf, models=["house/near", MODEL])
    assert len(expanded(provider)) == 1, "a model elsewhere is asked the same"


async def test_a_draft_is_expanded_by_nobody(ada: Person, shelf: Shelf, provider: ScriptedProvider) -> None:
    await set_flags(ada, multi_query=True)
    draft = {"message": QUESTION, "models": [MODEL], "project_id": shelf.project_id}
    assert (await ada.post("/api/context/preview", draft)).status_code == 200
    assert expanded(provider) == []


async def test_a_search_is_expanded_where_it_asks_for_that_and_a_flag_allows_it(
    ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await search(ada, QUESTION, shelf.project_id, expand=True)
    assert expanded(provider) == []
    await set_flags(ada, multi_query=True)
    await search(ada, QUESTION, shelf.project_id)
    assert expanded(provider) == []

    found = await search(ada, QUESTION, shelf.project_id, expand=True)
    assert {"zoo/keeper.md", "people/morning.md"} <= {hit["location"]["path"] for hit in found["hits"]}
    assert found["broken"] == []
    provider.script("utility", Script(fault=Fault(kind="status", status=400)))
    assert (await search(ada, QUESTION, shelf.project_id, expand=True))["broken"] == ["query_not_expanded"]
