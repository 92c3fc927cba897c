"""What every test may ask for."""

from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from tertulia.context import recall
from tests.clocks import Machine
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World


@pytest.fixture(autouse=True)
def recall_has_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply goes on without sources that take half a second: on a busy machine, they may."""
    monkeypatch.setattr(recall, "RECALL_TIMEOUT_SECONDS", 20)
    monkeypatch.setattr(recall, "RECALL_QUEUE_TIMEOUT_SECONDS", 20)


@pytest.fixture(scope="session")
def shared_provider() -> Generator[ScriptedProvider]:
    with ScriptedProvider.running() as provider:
        yield provider


@pytest.fixture
def provider(shared_provider: ScriptedProvider) -> ScriptedProvider:
    """A scripted provider that remembers nothing of earlier tests."""
    shared_provider.clear()
    return shared_provider


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    async with World.open(tmp_path / "data", provider=provider) as world:
        yield world


@pytest.fixture
async def ada(world: World) -> Person:
    """The owner of a workspace."""
    return await world.person(role="owner")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine of this test, whose clock can be set."""
    return Machine(monkeypatch)
