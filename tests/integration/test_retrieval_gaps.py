"""What search could not do for a question is told: in the receipt, and to the model where it matters."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from tests import fake_embedder
from tests.context_world import done, receipt_of
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

from tertulia.context import recall
from tertulia.files.file_texts import FileTexts

FACT = "The walrus at the harbour eats forty clams every morning."
QUESTION = "How many clams does the walrus at the harbour eat?"


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, embedder)
    provider.script("scripted-fast", Script(reply="So be it."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


async def left_out(person: Person, round_: Json) -> dict[str, str]:
    """Return why things are not in the prompt of a round's first reply, by their titles."""
    receipt = await receipt_of(person, round_["replies"][0])
    return {
        left["item"]["title"]: left["reason"]
        for left in receipt["plan"]["left_out"]
        if left["section"] == "passages"
    }


def told(provider: ScriptedProvider) -> str:
    """Return all that the latest request told the model."""
    return json.dumps(provider.requests("scripted-fast")[-1].body, ensure_ascii=False)


def hold_reading(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Let no file be read for the index until the event is set."""
    released, stream_text = asyncio.Event(), FileTexts.stream_text

    async def stream_late(texts: FileTexts, *arguments: Any, **options: Any) -> Any:
        await released.wait()
        return await stream_text(texts, *arguments, **options)

    monkeypatch.setattr(FileTexts, "stream_text", stream_late)
    return released


async def test_a_search_that_takes_too_long_is_told_of(
    world: World, ada: Person, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def search_forever(*_searches: object, **_options: object) -> None:
        await asyncio.Event().wait()

    await shelf.write("notes.md", FACT)
    await indexed(world)
    monkeypatch.setattr(world.server.parts.search.search, "run_all", search_forever)
    monkeypatch.setattr(recall, "RECALL_TIMEOUT_SECONDS", 0.05)

    round_ = await ada.ask(QUESTION, project_id=shelf.project_id)
    assert round_["replies"][0]["passages"] == []
    assert await left_out(ada, round_) == {"Search in files and earlier talk": "search_timeout"}
    await world.server.parts.search.search.write_metrics()
    assert (await done(ada.get("/api/memory/metrics")))["given_up"] == {"search_timeout": 1}


async def test_an_embedder_that_does_not_answer_leaves_words_and_is_told_of(
    world: World, ada: Person, shelf: Shelf, embedder: FakeEmbedder
) -> None:
    await shelf.write("notes.md", FACT)
    await indexed(world)
    embedder.broken = True

    round_ = await ada.ask(QUESTION, project_id=shelf.project_id)
    assert [passage["path"] for passage in round_["replies"][0]["passages"]] == ["notes.md"]
    assert await left_out(ada, round_) == {"Search in files and earlier talk, by meaning": "no_meaning"}


async def test_a_file_that_is_still_being_indexed_is_named_in_the_receipt_and_to_the_model(
    world: World,
    ada: Person,
    shelf: Shelf,
    provider: ScriptedProvider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recall, "UPLOAD_WAIT_SECONDS", 0)
    released = hold_reading(monkeypatch)
    await shelf.write("notes.md", FACT)
    await shelf.write("secret.md", "Nobody may know.", local_only=True)

    round_ = await ada.ask(QUESTION, project_id=shelf.project_id)
    assert await left_out(ada, round_) == {"notes.md": "indexing", "secret.md": "local_only"}
    assert "still being indexed" in told(provider)
    assert "“notes.md”" in told(provider)
    assert "“secret.md”" not in told(provider)

    released.set()
    await indexed(world)
    later = await ada.ask(f"{QUESTION} Now?", project_id=shelf.project_id)
    assert "notes.md" in [passage["path"] for passage in later["replies"][0]["passages"]]
    assert "still being indexed" not in told(provider)


async def test_a_file_whose_meaning_is_not_known_yet_is_told_of(
    world: World, ada: Person, shelf: Shelf, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall, "UPLOAD_WAIT_SECONDS", 0)
    embedder.open.clear()
    await shelf.write("notes.md", FACT)
    await indexed(world, meanings=False)

    round_ = await ada.ask(QUESTION, project_id=shelf.project_id)
    assert [passage["path"] for passage in round_["replies"][0]["passages"]] == ["notes.md"]
    assert await left_out(ada, round_) == {"notes.md": "indexing_meaning"}
    embedder.open.set()


async def test_a_question_right_after_an_upload_waits_for_the_file(
    world: World, ada: Person, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recall, "UPLOAD_WAIT_SECONDS", 20)
    await shelf.write("notes.md", FACT)

    round_ = await ada.ask(QUESTION, project_id=shelf.project_id)
    assert [passage["path"] for passage in round_["replies"][0]["passages"]] == ["notes.md"]
    assert await left_out(ada, round_) == {}


async def test_what_is_only_indexed_anew_is_found_as_before_and_not_waited_for(
    world: World, ada: Person, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    await shelf.write("notes.md", FACT)
    await indexed(world)
    released = hold_reading(monkeypatch)
    assert (await ada.post(f"/api/projects/{shelf.project_id}/index")).status_code == 202

    round_ = await ada.ask(QUESTION, project_id=shelf.project_id)
    assert [passage["path"] for passage in round_["replies"][0]["passages"]] == ["notes.md"]
    assert await left_out(ada, round_) == {}
    released.set()


async def test_the_embedder_is_ready_before_the_first_question(world: World, embedder: FakeEmbedder) -> None:
    await world.server.parts.search.embeddings.warm_up()
    assert embedder.started
