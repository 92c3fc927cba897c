"""A process that starts beside others asks nothing of the workspaces that these write to."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from tertulia.infra.db import Tx
from tests.accounts_door import ok
from tests.caldav_server import TOKEN, StandIn
from tests.databases import Engine, databases
from tests.world import World

pytestmark = pytest.mark.postgres

START_SECONDS = 5.0


@pytest.fixture
def there() -> Generator[StandIn]:
    with StandIn().running() as server:
        yield server


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncGenerator[dict[str, str]]:
    """What processes are told that share a database."""
    with databases.of_one_test(Engine.POSTGRES):
        url = databases.url(tmp_path / "shared.db")
        assert url
        yield {"DATABASE_URL": url, "TERTULIA_SECRET_KEY": "a key that processes share"}


async def test_it_starts_while_a_workspace_with_synced_calendars_is_written_to(
    tmp_path: Path, there: StandIn, shared: dict[str, str]
) -> None:
    async with World.open(tmp_path / "one", provider=None, **shared) as world:
        ada = await world.person(role="owner")
        ok(await ada.post("/api/calendars", {"kind": "caldav", "url": there.url, "token": TOKEN}), 201)
        may_end, is_held = threading.Event(), asyncio.Event()
        loop = asyncio.get_running_loop()

        def hold(_: Tx) -> None:
            loop.call_soon_threadsafe(is_held.set)
            assert may_end.wait(20)

        holding = asyncio.create_task(world.db.write(hold, by=ada.principal))
        await is_held.wait()
        try:
            async with asyncio.timeout(START_SECONDS), World.open(tmp_path / "two", provider=None, **shared):
                pass
        finally:
            may_end.set()
            await holding
