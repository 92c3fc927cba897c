"""The figures on a receipt: near what the provider reports, and near what was estimated before sending."""

import random
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests import fake_embedder
from tests.context_world import receipt_of
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.long_talk import talk
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

OPENAI = ["openai/gpt-4o", "openai/gpt-4o-mini", "openai/scripted-fast"]
OTHERS = ["anthropic/claude-sonnet-4-5", "google/gemini-2.5-flash"]
GUIDE = """# Harbour guide

The lighthouse is open from April to October. Tickets cost 4.50 € for adults and nothing for children.

## Boats

The ferry `Halcyon` leaves at 07:15 and 16:40. Dogs travel free if they are shorter than 45 cm.
"""
CODE = 'def ferry(at: str) -> str:\n    """Return the boat that leaves at a time."""\n    return BOATS[at]\n'


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    for model, answer in zip([*OPENAI, *OTHERS], talk(rounds=5, facts=[], last=0), strict=True):
        provider.script(model.partition("/")[2], Script(reply=answer.answer))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@pytest.fixture
async def shelf(ada: Person) -> Shelf:
    shelf = await Shelf.of(ada, "Harbour")
    await shelf.write("guide.md", GUIDE, always_in_context=True)
    await shelf.write("src/ferry.py", CODE)
    await shelf.write("notes/Grüße.md", "Die Fähre „Halcyon“ fährt im Winter nicht, außer am 24. Dezember.")
    return shelf


QUESTIONS = [
    "When does the ferry Halcyon leave, and what does the lighthouse cost?",
    "Which function in src/ferry.py tells the boat? #src/ferry.py",
    "Fährt die Fähre auch im Winter?",
    '¿Cuánto cuesta la entrada al faro? 🙂\n\n```json\n{"adults": 4.5, "children": 0}\n```',
    "And is there anything about dogs on the ferry Halcyon in winter?",
]


async def receipts_of(person: Person, round_: Json) -> list[Json]:
    found = [await person.get(f"/api/replies/{reply['id']}/receipt") for reply in round_["replies"]]
    assert [one.status_code for one in found] == [200] * len(found)
    return [one.json() for one in found]


async def asked(person: Person, shelf: Shelf, models: list[str], **more: object) -> list[tuple[Json, Json]]:
    """Ask all questions, one after another, and return each round's estimates and receipts."""
    conversation, found = None, list[tuple[Json, Json]]()
    for question in QUESTIONS:
        place = {"conversation_id": conversation} if conversation else {"project_id": shelf.project_id}
        body = {"message": question, "models": models, **more, **place}
        before = await person.post("/api/context/preview", body)
        assert before.status_code == 200, before.text
        turn = await person.start(question, **{name: body[name] for name in body if name != "message"})
        conversation = turn["conversation"]["id"]
        after = await receipts_of(person, await person.finished(turn))
        found += zip(before.json()["lanes"], after, strict=True)
    return found


def off_by(one: float, other: float) -> float:
    return abs(one - other) / other


@pytest.mark.parametrize("policy", ["everyone", "own"])
async def test_a_receipt_for_an_openai_model_is_within_two_percent_of_what_was_reported(
    world: World, ada: Person, shelf: Shelf, policy: str
) -> None:
    await indexed(world)
    found = [receipt for _, receipt in await asked(ada, shelf, OPENAI, policy=policy)]
    assert {"system", "files", "rounds", "passages", "question"} <= {
        kind for one in found for kind in kinds(one["plan"])
    }
    for receipt in found:
        usage = receipt["usage"]
        assert not usage["estimated"]
        assert off_by(receipt["plan"]["tokens"], usage["input"]) <= 0.02, receipt["plan"]
        assert receipt["plan"]["tokens"] == sum(one["tokens"] for one in receipt["plan"]["sections"])
        assert receipt["cached_share"] == usage["cached"] / usage["input"]


async def test_a_receipt_for_another_family_is_within_ten_percent_once_it_has_reported(
    world: World, ada: Person, shelf: Shelf
) -> None:
    await indexed(world)
    after_the_first = (await asked(ada, shelf, OTHERS))[len(OTHERS) :]
    for _, receipt in after_the_first:
        plan, usage = receipt["plan"], receipt["usage"]
        assert off_by(plan["tokens"], usage["input"]) <= 0.1, (plan["model"], plan["tokens"], usage)


async def test_the_estimate_before_sending_is_within_five_percent_of_the_receipt(
    world: World, ada: Person, shelf: Shelf
) -> None:
    await indexed(world)
    for lane, receipt in await asked(ada, shelf, [*OPENAI, *OTHERS]):
        before, after = lane["plan"], receipt["plan"]
        assert (lane["lane"], before["limit"], before["window"]) == (
            after["lane"],
            after["limit"],
            after["window"],
        )
        assert off_by(before["tokens"], after["tokens"]) <= 0.05, (before["tokens"], after["tokens"])
        assert kinds(before) == kinds(after)
        assert [shown(one) for one in before["sections"]] == [shown(one) for one in after["sections"]]


async def test_the_estimate_for_a_new_conversation_is_that_of_the_project_it_will_be_in(ada: Person) -> None:
    body: Json = {"message": "What is a lighthouse?", "models": ["openai/scripted-fast"]}
    [lane] = (await ada.post("/api/context/preview", body)).json()["lanes"]
    [receipt] = await receipts_of(ada, await ada.ask(**body))

    assert lane["plan"]["tokens"] == receipt["plan"]["tokens"]
    assert [shown(one) for one in lane["plan"]["sections"]] == [
        shown(one) for one in receipt["plan"]["sections"]
    ]


async def test_an_estimate_says_what_reading_and_answering_would_cost_at_most(ada: Person) -> None:
    body: Json = {"message": "What is a lighthouse?", "models": ["openai/gpt-4o"]}
    [lane] = (await ada.post("/api/context/preview", body)).json()["lanes"]
    [receipt] = await receipts_of(ada, await ada.ask(**body))

    assert lane["cost_input"] > 0
    assert lane["cost_input"] <= receipt["cost"] <= lane["cost_most"]


async def test_a_price_that_nobody_knows_is_not_said_to_be_nothing(ada: Person) -> None:
    body: Json = {"message": "What is a lighthouse?", "models": ["openai/scripted-fast"]}
    [lane] = (await ada.post("/api/context/preview", body)).json()["lanes"]
    [reply] = (await ada.ask(**body))["replies"]
    [local] = (await ada.ask("What is a lighthouse?", models=["librarian"]))["replies"]

    assert lane["cost_most"] is None
    assert reply["usage"]["input"] > 0
    assert reply["cost"] is None
    assert (await receipt_of(ada, reply))["cost"] is None
    assert local["cost"] == 0


async def test_the_figures_hold_for_long_talk_with_figures_code_and_tables(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    chance = random.Random(3)
    conversation: Json = {}
    for spoken in talk(rounds=12, facts=[], last=0, seed=11):
        models = chance.sample(OPENAI, 2)
        for model in models:
            provider.script(model.partition("/")[2], Script(reply=spoken.answer))
        round_turn = await ada.start(spoken.question, models=models, **conversation)
        conversation = {"conversation_id": round_turn["conversation"]["id"]}
        for receipt in await receipts_of(ada, await ada.finished(round_turn)):
            assert off_by(receipt["plan"]["tokens"], receipt["usage"]["input"]) <= 0.02


def kinds(plan: Json) -> list[str]:
    return [section["kind"] for section in plan["sections"]]


def shown(section: Json) -> list[str]:
    """Return the items of a section; a question has no id before it is sent."""
    return [item["id"] for item in section["items"] if section["kind"] != "question"]
