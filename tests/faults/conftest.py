"""A server for each module: in this process, with a workspace for each test, or one to be killed."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.process import ServerProcess
from tests.scripted_provider import ScriptedProvider
from tests.world import Person, World

#: Quick to give up and to try again, so that waiting for it is short.
IMPATIENT = {
    "TERTULIA_SILENCE_SECONDS": "0.6",
    "TERTULIA_PROVIDER_RETRIES": "1",
    "TERTULIA_UTILITY_MODEL": "scripted-smart",
    "TERTULIA_LEASE_SECONDS": "3",
    "TERTULIA_BUILTIN_MODEL": "off",
}
#: Patient with whoever holds the database.
PATIENT = {
    "TERTULIA_UTILITY_MODEL": "scripted-smart",
    "TERTULIA_BUILTIN_MODEL": "off",
    "TERTULIA_BUSY_SECONDS": "30",
    # On PostgreSQL what a killed server wrote is taken over once its lease has ended.
    "TERTULIA_LEASE_SECONDS": "3",
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def world(
    shared_provider: ScriptedProvider, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[World]:
    data = tmp_path_factory.mktemp("faults") / "data"
    async with World.open(data, provider=shared_provider, **IMPATIENT) as world:
        # Vocabularies and price lists load on first use, which can take longer than our patience.
        formats = [f"{name}/warm-up" for name in ("openai", "anthropic", "google")]
        await (await world.person()).ask("Hello", models=formats)
        yield world


@pytest_asyncio.fixture(loop_scope="session")
async def ada(world: World) -> AsyncGenerator[Person]:
    """The owner of a new workspace, where nothing is written any more once the test is over."""
    yield await world.person(role="owner")
    await world.stop_replies()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(
    shared_provider: ScriptedProvider, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[ServerProcess]:
    """A server in a process of its own, to be killed."""
    data = tmp_path_factory.mktemp("killed") / "data"
    async with ServerProcess.running(data, shared_provider, **PATIENT) as server:
        yield server
