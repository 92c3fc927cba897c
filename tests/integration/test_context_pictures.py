"""Pictures before sending: the estimate counts them as the receipt does, whether they travel or not."""

import base64
import io
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from PIL import Image
from tests.context_world import done, receipt_of
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

SEEING, OTHER, BLIND = "openai/gpt-4o", "anthropic/claude-sonnet-4-5", "openai/gpt-3.5-turbo"
SIZES = [(1_024, 1_024), (1_920, 300), (37, 11)]
QUESTION = "What is to be seen here?"


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    for model in (SEEING, OTHER, BLIND):
        provider.script(model.partition("/")[2], Script(reply="A boat."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


def drawn(size: tuple[int, int]) -> Json:
    content = io.BytesIO()
    Image.new("RGB", size, "teal").save(content, format="PNG")
    return {"data": base64.b64encode(content.getvalue()).decode()}


def only_size(size: tuple[int, int]) -> Json:
    return {"width": size[0], "height": size[1]}


async def estimated(person: Person, model: str, images: list[Json]) -> Json:
    body = {"message": QUESTION, "models": [model], "images": images}
    [lane] = (await done(person.post("/api/context/preview", body)))["lanes"]
    return lane


@pytest.mark.parametrize("model", [SEEING, OTHER, BLIND])
async def test_an_estimate_with_pictures_is_what_the_receipt_says(ada: Person, model: str) -> None:
    pictures = [drawn(size) for size in SIZES]
    before = await estimated(ada, model, pictures)
    by_size = await estimated(ada, model, [only_size(size) for size in SIZES])
    [reply] = (await ada.ask(QUESTION, models=[model], images=pictures))["replies"]
    receipt = await receipt_of(ada, reply)

    assert before["plan"]["tokens"] == by_size["plan"]["tokens"] == receipt["plan"]["tokens"]
    assert before["cost_most"] == by_size["cost_most"]


async def test_a_picture_of_unknown_size_costs_what_pictures_usually_do(ada: Person) -> None:
    without = (await estimated(ada, SEEING, []))["plan"]["tokens"]
    unknown = (await estimated(ada, SEEING, [only_size((0, 0))]))["plan"]["tokens"]
    assert unknown - without == 1_600


@pytest.mark.parametrize("wrong", [{"width": -1, "height": 5}, {"width": 10}, {}, {"data": "bm9uZQ=="}])
async def test_what_is_no_picture_is_refused(ada: Person, wrong: Json) -> None:
    body = {"message": QUESTION, "models": [SEEING], "images": [wrong]}
    assert (await ada.post("/api/context/preview", body)).status_code == 422
