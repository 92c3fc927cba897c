"""Many questions at once to one project: each has its passages, or its receipt says why not."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tertulia.context import recall
from tests import fake_embedder
from tests.context_world import receipt_of
from tests.effort import SOAK_FACTOR
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

FACT = "The walrus at the harbour eats forty clams every morning."
QUESTION = "How many clams does the walrus at the harbour eat?"
GIVEN_UP = {"search_timeout", "search_failed"}
RUSHES = (24,) if SOAK_FACTOR == 1 else (24, 100, 300)


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    provider.script("scripted-fast", Script(reply="So be it."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


async def ask_at_once(person: Person, shelf: Shelf, count: int) -> list[Json]:
    """Return the first replies to so many questions, asked at the same time in conversations of their own."""
    turns = await asyncio.gather(
        *(person.start(f"{QUESTION} Case {number}.", project_id=shelf.project_id) for number in range(count))
    )
    # One after the other: nobody may follow so many conversations at once.
    return [(await person.finished(turn))["replies"][0] for turn in turns]


@pytest.mark.parametrize("count", RUSHES)
async def test_every_question_of_a_rush_has_its_passages(world: World, ada: Person, count: int) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("notes.md", FACT)
    await indexed(world)

    for reply in await ask_at_once(ada, shelf, count):
        assert reply["status"] == "done", reply
        assert "notes.md" in [passage["path"] for passage in reply["passages"]]


@pytest.mark.parametrize("count", RUSHES)
async def test_every_receipt_of_a_rush_says_what_was_given_up(
    world: World, ada: Person, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("notes.md", FACT)
    await indexed(world)
    # So short that some have to give up, whatever the machine.
    monkeypatch.setattr(recall, "RECALL_TIMEOUT_SECONDS", 0.002 * count)

    for reply in await ask_at_once(ada, shelf, count):
        assert reply["status"] == "done", reply
        receipt = await receipt_of(ada, reply)
        reasons = {left["reason"] for left in receipt["plan"]["left_out"]}
        assert bool(reply["passages"]) is not bool(reasons & GIVEN_UP)
