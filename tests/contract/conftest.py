"""The scripted provider, and our three adapters pointed at it."""

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
from tests.contract.asking import Adapter
from tests.scripted_provider import ScriptedProvider


@pytest.fixture(scope="session")
def shared_provider() -> Iterator[ScriptedProvider]:
    with ScriptedProvider.running() as provider:
        yield provider


@pytest.fixture
def provider(shared_provider: ScriptedProvider) -> ScriptedProvider:
    shared_provider.clear()
    shared_provider.server.page_size = 1000
    return shared_provider


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    # Loopback needs no certificates, and loading them takes longer than most tests.
    async with httpx2.AsyncClient(verify=False) as client:
        yield client


@pytest.fixture(params=["openai", "anthropic", "google"])
def adapter(
    request: pytest.FixtureRequest, provider: ScriptedProvider, client: httpx2.AsyncClient
) -> Adapter:
    return Adapter(request.param, provider=provider, client=client)
