"""Memories in a test: written, proposed and listed through the API."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests import fake_embedder
from tests.accounts_door import ok
from tests.fake_embedder import FakeEmbedder
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

UTILITY_MODEL = "scripted-smart"


@asynccontextmanager
async def open_memory_world(
    place: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    """Open a world in which meanings are known."""
    fake_embedder.use(monkeypatch, FakeEmbedder())
    provider.script("scripted-fast", Script(reply="So be it."))
    async with World.open(place / "data", provider=provider) as opened:
        yield opened


async def remember(person: Person, content: str, **more: Any) -> Json:
    """Have a person write a memory."""
    return ok(await person.post("/api/memories", {"type": "fact", "content": content, **more}), 201)


async def correct(person: Person, memory: Json, **values: Any) -> Json:
    """Have a person change fields of a memory."""
    return ok(await person.put(f"/api/memories/{memory['id']}", values))


async def listed(person: Person, query: str = "") -> list[Json]:
    """Return the memories that a person is shown."""
    return ok(await person.get(f"/api/memories{query}"))["memories"]


async def contents(person: Person, query: str = "") -> list[str]:
    """Return what the memories say that a person is shown."""
    return [memory["content"] for memory in await listed(person, query)]


async def say(person: Person, text: str) -> str:
    """Have a person say something in a conversation of its own, and return that."""
    turn = await person.start(text)
    await person.finished(turn)
    return turn["conversation"]["id"]


async def extract(person: Person, conversation: str) -> list[Json]:
    """Look through a conversation, and return what is proposed."""
    return ok(await person.post("/api/memories/extract", {"conversation_id": conversation}))["memories"]


def tell_model(provider: ScriptedProvider, *proposals: Json) -> None:
    """Have the utility model propose these."""
    provider.script(UTILITY_MODEL, Script(reply=json.dumps({"memories": proposals})))


async def with_utility_model(person: Person) -> None:
    """Give a workspace its utility model."""
    settings = {"utility_model": f"openai/{UTILITY_MODEL}"}
    ok(await person.client.patch("/api/workspace", json={"settings": settings}))


def prompt_of(provider: ScriptedProvider, model: str = "scripted-fast") -> str:
    """Return all that a model was last sent."""
    return str(provider.requests(model)[-1].body)
