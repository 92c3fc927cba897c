"""Passages that differ in their figures alone share one place, and none of the figures is lost."""

import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests import fake_embedder
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.long_talk import Spoken
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World
from tests.written_rounds import write_rounds

FAST = "openai/scripted-fast"
PASSAGES = re.compile(r'<passage number="\d+" source="([^"]*)">\n(.*?)\n</passage>', re.DOTALL)
QUESTION = "For how many minutes did the cellar pump run fine?"


@dataclass(frozen=True, slots=True)
class Harbour:
    """A project in which a conversation tells day after day how the pump ran."""

    world: World
    ada: Person
    shelf: Shelf
    provider: ScriptedProvider

    async def tell(self, *lines: str) -> None:
        """Have a conversation in which a person says some lines, one a round."""
        place = {"project_id": self.shelf.project_id, "title": "Logbook"}
        made = (await self.ada.post("/api/conversations", place)).json()["id"]
        await write_rounds(self.world.db, self.ada, made, [Spoken(line, "So be it.") for line in lines])
        await indexed(self.world)

    async def passages_for(self, question: str) -> list[tuple[str, str]]:
        """Return the passages that a model is shown for a question in a new conversation."""
        await self.ada.ask(question, models=[FAST], project_id=self.shelf.project_id)
        body = self.provider.requests("scripted-fast")[-1].body
        told = "\n".join(message["content"] for message in body["messages"])
        assert question in json.dumps(body)
        return PASSAGES.findall(told)


@pytest.fixture
async def harbour(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Harbour]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    provider.script("scripted-fast", Script(reply="So be it."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        ada = await world.person(role="owner")
        yield Harbour(world, ada, await Shelf.of(ada, "Harbour"), provider)


def days(*numbers: int) -> list[str]:
    return [f"Day {number}: the cellar pump ran fine for {number + 30} minutes." for number in numbers]


async def test_readings_of_a_series_share_one_place_with_all_their_figures(harbour: Harbour) -> None:
    await harbour.tell(*days(12, 13, 14, 15, 16))
    [(source, text)] = await harbour.passages_for(QUESTION)
    assert "round 5" in source
    assert text == (
        "Day 16: the cellar pump ran fine for 46 minutes.\n"
        "[The same in the same conversation, with other figures: "
        "round 1: 12, 42; round 2: 13, 43; round 3: 14, 44; round 4: 15, 45]"
    )


async def test_the_reading_that_is_asked_for_leads(harbour: Harbour) -> None:
    await harbour.tell(*days(12, 13, 14, 15, 16))
    [(source, text)] = await harbour.passages_for(
        "For how many minutes did the cellar pump run fine on day 13?"
    )
    assert "round 2" in source
    assert text.startswith("Day 13: the cellar pump ran fine for 43 minutes.\n")


async def test_days_of_two_months_are_one_series(harbour: Harbour) -> None:
    await harbour.tell("March 31: the cellar pump ran fine.", "April 1: the cellar pump ran fine.")
    [(_, text)] = await harbour.passages_for(QUESTION)
    assert text.startswith("April 1: the cellar pump ran fine.\n")
    assert text.endswith("round 1: March 31]")


async def test_chunks_of_a_file_share_one_place(harbour: Harbour) -> None:
    log = "\n\n".join(f"## Report\n\n{line}" for line in days(12, 13, 14))
    await harbour.shelf.write("log.md", log)
    await indexed(harbour.world)
    found = await harbour.passages_for(QUESTION)
    assert sum("the cellar pump ran fine" in text for _, text in found) == 1
