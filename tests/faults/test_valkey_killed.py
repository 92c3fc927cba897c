"""F5: Valkey is killed and started again, flushed, or cut off while events are told: nothing is lost."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis

from tertulia.core.tasks import cancel_tasks
from tertulia.infra.courier.valkey import ValkeyCourier
from tertulia.infra.db import Database
from tertulia.infra.events import EventLog
from tests.databases import open_database
from tests.engines import valkey

pytestmark = pytest.mark.both_engines

TOPIC = "cnv_1"
EVENTS = 120


@asynccontextmanager
async def process(path: Path, url: str) -> AsyncGenerator[tuple[Database, EventLog, ValkeyCourier]]:
    """Give what one of several processes has: its connections, its log and its courier."""
    db, courier = open_database(path), ValkeyCourier(url, channel="test")
    running = asyncio.create_task(courier.run())
    log = EventLog(db, courier=courier)
    try:
        yield db, log, courier
    finally:
        await cancel_tasks([running])
        log.close()
        await asyncio.to_thread(db.close)


async def hear_all(log: EventLog) -> list[str]:
    """Follow the topic until its last event."""
    heard: list[str] = []
    async for entries in log.subscribe(TOPIC, 0, idle_seconds=60):
        heard += [entry.body for entry in entries]
        if len(heard) >= EVENTS:
            return heard
    return heard


@pytest.mark.parametrize("fault", ["killed", "killed and started", "flushed", "listeners cut off"])
async def test_every_listener_hears_each_event_once_and_in_order(tmp_path: Path, fault: str) -> None:
    async with AsyncExitStack() as stack:
        server = stack.enter_context(valkey.mortal_server())
        processes = [
            await stack.enter_async_context(process(tmp_path / "tertulia.db", server.url)) for _ in range(3)
        ]
        listening = [asyncio.create_task(hear_all(log)) for _, log, _ in processes]
        for number in range(EVENTS):
            db, log, _ = processes[number % 2]
            await db.write(lambda tx, log=log, number=number: log.append(tx, TOPIC, [str(number)]), by=None)
            if number == EVENTS // 3:
                await make_fault(server, fault)
            if number == 2 * EVENTS // 3 and fault == "killed and started":
                await asyncio.to_thread(server.start)
        async with asyncio.timeout(20):
            heard = await asyncio.gather(*listening)

    assert heard == [[str(number) for number in range(EVENTS)]] * 3


async def make_fault(server: valkey.ValkeyServer, fault: str) -> None:
    if fault.startswith("killed"):
        await asyncio.to_thread(server.kill)
        return
    async with Redis.from_url(server.url) as admin:
        if fault == "flushed":
            await admin.flushall()
        else:
            await admin.client_kill_filter(_type="pubsub")
