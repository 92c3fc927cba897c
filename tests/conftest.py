"""What every test may ask for."""

import asyncio
import gc
import os
import shutil
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from tertulia.context import recall
from tertulia.core.tasks import cancel_tasks
from tests.clocks import Machine
from tests.databases import Engine, databases, default_engine
from tests.effort import load_hypothesis_profile
from tests.engines.postgres import SERVER_VARIABLE
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World

#: What was told to end may take so long to do so.
TASKS_END_SECONDS = 2.0

#: Kept in memory, where there is such a folder: commits of tests then wait for no disk, and not for what
#: others write to it, which can take seconds.
MEMORY_FOLDER = Path("/dev/shm")
MEMORY_FOLDER_MIN_FREE_BYTES = 4 * 2**30
#: Where pytest makes its temporary folders.
TEMPORARY_ROOT = "PYTEST_DEBUG_TEMPROOT"

load_hypothesis_profile()


def pytest_configure() -> None:
    """Keep the data of tests in memory if that has room, unless somebody named another place.

    A server that was named for the tests is theirs alone: none of what they start takes it by itself.
    """
    if url := os.environ.pop("DATABASE_URL", None):
        os.environ.setdefault(SERVER_VARIABLE, url)
    if MEMORY_FOLDER.is_dir() and shutil.disk_usage(MEMORY_FOLDER).free >= MEMORY_FOLDER_MIN_FREE_BYTES:
        os.environ.setdefault(TEMPORARY_ROOT, str(MEMORY_FOLDER))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that are meant for both engines once on each, unless one was asked for."""
    if metafunc.definition.get_closest_marker("both_engines") and default_engine() is Engine.SQLITE:
        engines = [Engine.SQLITE, pytest.param(Engine.POSTGRES, marks=pytest.mark.postgres)]
        metafunc.parametrize("engine", engines, indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about SQLite's own files where the tests run on PostgreSQL."""
    if default_engine() is Engine.SQLITE:
        return
    left_out = [item for item in items if item.get_closest_marker("sqlite")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item.get_closest_marker("sqlite") is None]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Search for no garbage while tests are loaded, nor later among what is kept of them."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.enable()
    return collected


@pytest.fixture(autouse=True)
def engine(request: pytest.FixtureRequest) -> Generator[Engine]:
    """The engine that keeps the data of this test."""
    with databases.of_one_test(getattr(request, "param", None) or default_engine()):
        yield databases.engine


@pytest.fixture(autouse=True)
async def no_task_outlives_its_test() -> AsyncGenerator[None]:
    """Fail a test that leaves tasks on the event loop, where the tests after it would meet them."""
    before = asyncio.all_tasks()
    yield
    left = asyncio.all_tasks() - before - {asyncio.current_task()}
    if left:
        _, left = await asyncio.wait(left, timeout=TASKS_END_SECONDS)
    running = sorted(map(str, left))
    await cancel_tasks(left)
    assert not running, f"The test left tasks running: {running}"


@pytest.fixture(autouse=True)
def recall_has_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply goes on without passages that take three seconds: on a busy machine, they may."""
    monkeypatch.setattr(recall, "RECALL_TIMEOUT_SECONDS", 20)
    monkeypatch.setattr(recall, "RECALL_EMBEDDING_TIMEOUT_SECONDS", 20)


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
