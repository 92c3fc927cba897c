"""PostgreSQL dies at once, as in a crash, while connections to it are open and nobody uses them."""

import asyncio
import signal
from collections.abc import Generator
from pathlib import Path

import pytest

from tertulia.infra.db.errors import StorageFailed
from tertulia.infra.db.postgres.database import PostgresDatabase
from tertulia.live import event_stream
from tests.engines.postgres import PostgresServer
from tests.world import World

pytestmark = pytest.mark.postgres


@pytest.fixture
def server() -> Generator[PostgresServer]:
    server = PostgresServer.create()
    yield server
    server.close()


@pytest.mark.parametrize("mode", [signal.SIGQUIT, signal.SIGINT], ids=["crash", "restart"])
async def test_the_next_transactions_find_the_server_that_is_back(
    server: PostgresServer, mode: signal.Signals
) -> None:
    db = PostgresDatabase(server.url(), connections=2)
    try:
        await db.read(lambda tx: tx.value("SELECT 1"), by=None)
        await db.write(lambda tx: tx.value("SELECT 1"), by=None)
        server.stop(mode)
        server.start()
        assert await db.read(lambda tx: tx.value("SELECT 2"), by=None) == 2
        assert await db.write(lambda tx: tx.value("SELECT 3"), by=None) == 3
    finally:
        db.close()


async def test_a_server_that_stays_away_is_an_error_that_people_know(server: PostgresServer) -> None:
    db = PostgresDatabase(server.url(), connections=2, busy_seconds=0)
    try:
        await db.write(lambda tx: tx.value("SELECT 1"), by=None)
        server.stop(signal.SIGQUIT)
        with pytest.raises(StorageFailed):
            await db.write(lambda tx: tx.value("SELECT 1"), by=None)
    finally:
        db.close()


async def test_nobody_is_told_where_a_server_that_is_away_would_be(
    server: PostgresServer, tmp_path: Path
) -> None:
    async with World.open(
        tmp_path / "data",
        DATABASE_URL=server.url(),
        TERTULIA_SECRET_KEY="a secret key of this test",
        TERTULIA_BUSY_SECONDS="0",
    ) as world:
        ada = await world.person()
        server.stop()
        answers = [await ada.get(path) for path in ("/api/me", "/api/setup", "/ready")]
        server.start()
    assert {answer.status_code for answer in answers} == {503}
    assert not any(str(server.folder) in answer.text for answer in answers)
    assert answers[0].json()["error"]["message"] == (
        "The database could not be reached. Nothing was changed; please try again in a moment."
    )


async def test_a_stream_ends_in_good_order_when_the_server_stays_away(
    server: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(event_stream, "HEARTBEAT_SECONDS", 0.1)
    async with World.open(
        tmp_path / "data",
        DATABASE_URL=server.url(),
        TERTULIA_SECRET_KEY="a secret key of this test",
        TERTULIA_BUSY_SECONDS="0",
    ) as world:
        ada = await world.person()
        async with ada.client.stream("GET", "/api/events") as stream:
            lines = stream.aiter_lines()
            assert await anext(lines) == "event: ping"
            server.stop()
            async with asyncio.timeout(10):
                assert [line async for line in lines]
        server.start()
    assert "A stream of events was ended: The database could not be reached" in caplog.text
    assert "nobody foresaw" not in caplog.text
