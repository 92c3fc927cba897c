"""Files and talk side by side: what is said often does not push out the file that says it first."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests import fake_embedder
from tests.context_world import done, receipt_of
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World

DEFINITION = """# Pilotage

Every vessel of more than sixty metres takes a pilot at the outer buoy. The pilot boards from the lee side,
two miles before the channel narrows, and stays until the lines are ashore.
"""
ECHO = "As you say, a pilot boards the vessel at the outer buoy."
QUESTION = "Where does the pilot board a vessel?"
#: One model of each tier.
TIERS = ("gpt-5-nano", "gpt-3.5-turbo", "gpt-5-mini", "gpt-5")
ROUNDS = 25


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    for model in TIERS:
        provider.script(model, Script(reply=ECHO))
    provider.script("scripted-fast", Script(reply="Fine, I have noted that."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


async def test_after_much_talk_the_defining_file_is_among_the_first_three_passages_of_every_tier(
    world: World, ada: Person, shelf: Shelf
) -> None:
    await shelf.write("pilotage.md", DEFINITION)
    models = ["scripted-fast", *TIERS[:2]]
    await asyncio.gather(
        *(
            ada.ask(
                f"Vessel {number}: does a pilot board it at the outer buoy?",
                project_id=shelf.project_id,
                models=models,
            )
            for number in range(ROUNDS)
        )
    )
    await indexed(world)

    body = {"message": QUESTION, "project_id": shelf.project_id, "models": list(TIERS)}
    lanes = (await done(ada.post("/api/context/preview", body)))["lanes"]
    for lane in lanes:
        [section] = [one for one in lane["plan"]["sections"] if one["kind"] == "passages"]
        pointers = [item["pointer"] for item in section["items"]]
        assert "pilotage.md" in [pointer["path"] for pointer in pointers[:3]], lane["lane"]
        # What all replies repeat has one slot, and no question has any.
        assert len([pointer for pointer in pointers if not pointer["path"]]) == 1, lane["lane"]


async def test_a_statement_is_quoted_and_the_questions_and_nods_around_it_are_not(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    for said in ("We deliver the crates to the north dock.", "Where do we deliver the crates?"):
        await ada.ask(said, project_id=shelf.project_id)
    await indexed(world)

    round_ = await ada.ask("Which dock do we deliver the crates to?", project_id=shelf.project_id)
    passages = round_["replies"][0]["passages"]
    assert [passage["speaker"] for passage in passages] == ["user"]
    sent = str(provider.requests("scripted-fast")[-1].body)
    assert "We deliver the crates to the north dock." in sent
    assert "Fine, I have noted that." not in sent


async def test_a_reply_without_words_of_the_question_is_quoted_only_if_it_can_be_the_answer(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    question = "When does the harbour gate open on weekdays?"
    for answer in ("At 06:40, said the keeper.", "Everybody is looking forward to seeing it."):
        provider.script("scripted-fast", Script(reply=answer))
        await ada.ask(question, project_id=shelf.project_id)
    await indexed(world)

    round_ = await ada.ask(question, project_id=shelf.project_id)
    texts = (await receipt_of(ada, round_["replies"][0], texts=True))["plan"]["sections"]
    [section] = [one for one in texts if one["kind"] == "passages"]
    assert [item["text"] for item in section["items"]] == ["At 06:40, said the keeper."]
