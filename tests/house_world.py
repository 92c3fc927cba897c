"""A server that knows models near and far, and somebody who may show some things to the near ones alone.

from tests import house_world

house_ada, a_house = house_world.house_ada, house_world.house_world  # which tests ask for as ada and world
"""

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests import fake_embedder
from tests.fake_embedder import FakeEmbedder
from tests.files_world import Shelf
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World

#: A model that is far away.
SMART = "openai/scripted-smart"
#: A model on our own network.
NEAR = "house/near"
SECRET = "The password of the lighthouse is mauve-7731."
ABOUT_IT = "What is the password of the lighthouse?"


@pytest.fixture(name="world")
async def house_world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    fake_embedder.use(monkeypatch, FakeEmbedder())
    provider.script("scripted-smart", Script(reply="So be it."))
    provider.script("near", Script(reply=SECRET, window=32_000))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


@pytest.fixture(name="ada")
async def house_ada(world: World, provider: ScriptedProvider) -> Person:
    """Somebody with a server of their own, whose models count as local."""
    ada = await world.person(role="owner")
    house = {"slug": "house", "kind": "openai-compatible", "base_url": provider.openai_url, "key": "k"}
    made = await ada.post("/api/connections", house)
    assert made.status_code == 201, made.text
    return ada


@pytest.fixture(name="shelf")
async def house_shelf(ada: Person) -> Shelf:
    return await Shelf.of(ada)


def asked(provider: ScriptedProvider, model: str, about: str = "") -> list[str]:
    """Return all that a model was told, request by request."""
    bodies = [json.dumps(one.body, ensure_ascii=False) for one in provider.requests(model)]
    return [body for body in bodies if about in body]
