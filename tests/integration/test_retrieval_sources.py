"""What a model is told of where a passage stands: page, matching line, conversation, who and when."""

import re
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from tests import documents, fake_embedder
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import hits, indexed
from tests.world import Person, World

SMART, CHEAP, FAST = "gpt-5", "gpt-5-nano", "scripted-fast"
FACT = "The walrus at the harbour eats forty clams every morning."
QUESTION = "How many clams does the walrus at the harbour eat?"


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    for model in (SMART, CHEAP, FAST):
        provider.script(model, Script(reply="So be it."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


def told(provider: ScriptedProvider, model: str = FAST) -> str:
    """Return the texts of the latest request to a model."""
    body = provider.requests(model)[-1].body
    return "\n".join(str(message["content"]) for message in body["messages"])


def sources(provider: ScriptedProvider, model: str = FAST) -> list[str]:
    """Return where the passages of the latest request to a model stand."""
    return re.findall(r'<passage number="\d+" source="([^"]*)">', told(provider, model))


def pdf() -> bytes:
    return documents.pdf(["The harbour has two piers.", FACT, "The lighthouse is painted in spring."])


def deck() -> bytes:
    def write(presentation: documents.Presentation) -> None:
        for title in ("The piers", FACT, "The lighthouse"):
            slide = presentation.slides.add_slide(presentation.slide_layouts[5])
            assert slide.shapes.title is not None
            slide.shapes.title.text = title

    return documents.slides(write)


def book() -> bytes:
    return documents.workbook(
        {
            "Piers": [["pier", "length"], ["north", 80]],
            "Animals": [["animal", "eats"], ["walrus", "forty clams"]],
        }
    )


@pytest.mark.parametrize(
    ("path", "make", "page"),
    [("plan.pdf", pdf, "page 2"), ("plan.pptx", deck, "slide 2"), ("plan.xlsx", book, "sheet 2")],
)
async def test_a_passage_carries_its_page_slide_or_sheet(
    world: World, shelf: Shelf, provider: ScriptedProvider, *, path: str, make: Callable[[], bytes], page: str
) -> None:
    ada = shelf.person
    await shelf.send((path, make()))
    await indexed(world)

    round_ = await ada.ask("How many clams does the walrus eat?", project_id=shelf.project_id)
    passage = round_["replies"][0]["passages"][0]
    assert (passage["path"], passage["page"]) == (path, page)
    assert sources(provider)[0].startswith(f"{path}, {page}, lines ")
    [best, *_] = await hits(ada, "forty clams of the walrus", shelf.project_id)
    assert best["location"]["page"] == page


async def test_a_file_that_tools_may_not_read_reaches_a_smart_model_as_a_passage(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    await shelf.write("open.md", f"{FACT} That is written in the open notes.")
    await shelf.write("closed.md", f"{FACT} The keeper counted them himself.", tool_accessible=False)
    await indexed(world)

    round_ = await ada.ask(QUESTION, project_id=shelf.project_id, models=[SMART])
    pointers = {passage["path"]: passage["is_pointer"] for passage in round_["replies"][0]["passages"]}
    assert pointers == {"open.md": True, "closed.md": False}
    assert "The keeper counted them himself." in told(provider, SMART)
    assert "That is written in the open notes." not in told(provider, SMART)


async def test_the_hint_of_a_pointer_names_what_matched(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    lead = "The harbour was built long ago by people whose names nobody remembers any more."
    await shelf.write("notes.md", f"# Harbour life\n\n{lead} {FACT} Then it sleeps.")
    await indexed(world)

    await ada.ask(QUESTION, project_id=shelf.project_id, models=[SMART])
    [line] = [line for line in told(provider, SMART).splitlines() if "[File: notes.md" in line]
    assert FACT in line
    assert lead not in line


async def test_talk_is_named_by_its_conversation_its_speaker_and_its_day(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    made = await ada.post("/api/conversations", {"title": "Feeding", "project_id": shelf.project_id})
    titled = made.json()["id"]
    await ada.ask("The walrus at the harbour eats forty clams.", conversation_id=titled)
    await ada.ask("The seals of the walrus bay eat nine clams each.", project_id=shelf.project_id)
    await indexed(world)

    await ada.ask(QUESTION, project_id=shelf.project_id)
    named = sources(provider)
    day = r"\d{4}-\d\d-\d\d"
    assert any(re.fullmatch(f"the conversation “Feeding”, round 1, user, {day}", source) for source in named)
    opening = "the conversation “The seals of the walrus bay eat nine clams each.”, round 1, user, "
    assert any(source.startswith(opening) for source in named)


async def test_a_conversation_whose_opening_was_left_out_is_not_named_by_it(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    turn = await ada.start("Nobody may hear of the heliotrope.", project_id=shelf.project_id)
    first = await ada.finished(turn)
    await ada.ask(FACT, conversation_id=turn["conversation"]["id"])
    excluded = await ada.put(f"/api/messages/{first['question']['id']}/marks", {"excluded": True})
    assert excluded.status_code == 200, excluded.text
    await indexed(world)

    await ada.ask(QUESTION, project_id=shelf.project_id)
    assert [source.partition(",")[0] for source in sources(provider)] == ["an earlier conversation"]
    assert "heliotrope" not in told(provider)


async def test_what_was_said_here_is_said_to_be_of_this_conversation(
    world: World, ada: Person, shelf: Shelf, provider: ScriptedProvider
) -> None:
    turn = await ada.start(FACT, project_id=shelf.project_id)
    await ada.finished(turn)
    here = turn["conversation"]["id"]
    for number in range(8):
        await ada.ask(f"Remark number {number} on other matters.", conversation_id=here)
    await indexed(world)

    await ada.ask(QUESTION, conversation_id=here, models=[CHEAP])
    assert sources(provider, CHEAP)[0].startswith("this conversation, round 1, user, ")
