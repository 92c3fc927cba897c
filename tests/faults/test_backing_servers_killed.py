"""F5: Valkey is killed or PostgreSQL restarted in mid-turn, under real processes: no word is lost."""

import asyncio
import signal
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from redis.asyncio import Redis

from tests.cluster import Cluster
from tests.engines import valkey
from tests.engines.postgres import own_server
from tests.engines.valkey import ValkeyServer
from tests.faults.listener import Listener
from tests.scripted_provider import Script, ScriptedProvider

pytestmark = pytest.mark.postgres

WORDS = " ".join(f"wörd{number}" for number in range(200))
MODELS = ["openai/slow", "anthropic/slow"]


@pytest.fixture
async def server() -> AsyncGenerator[ValkeyServer]:
    with valkey.mortal_server() as server:
        yield server


@pytest.fixture
async def cluster(
    tmp_path: Path, provider: ScriptedProvider, server: ValkeyServer
) -> AsyncGenerator[Cluster]:
    env = {"TERTULIA_BUILTIN_MODEL": "off"}
    async with Cluster.running(tmp_path, provider, processes=2, redis_url=server.url, env=env) as cluster:
        provider.script("slow", Script(reply=WORDS, tokens_per_second=60))
        yield cluster


async def begin_turn(cluster: Cluster) -> list[Listener]:
    """Have a turn begun at one process, and return a listener at each, who has heard some words."""
    ada = await cluster.person()
    everywhere = cluster.everywhere(ada)
    turn = await everywhere[0].start("Hello", models=MODELS)
    listeners = [Listener(person, turn) for person in everywhere]
    await asyncio.gather(*(listener.follow(until="reply.text", pieces=5) for listener in listeners))
    return listeners


async def follow_with_patience(listener: Listener) -> None:
    """Follow a turn to its end, and connect again wherever the stream breaks off or is refused."""
    while not listener.round_closed:
        with suppress(httpx2.HTTPError):
            if (await listener.person.get("/ready")).status_code == 200:
                await listener.follow()
        await asyncio.sleep(0.05)


async def check_all_heard(listeners: list[Listener]) -> None:
    async with asyncio.timeout(40):
        await asyncio.gather(*map(follow_with_patience, listeners))
    for listener in listeners:
        round_ = await listener.check_stored()
        assert [reply["content"] for reply in round_["replies"]] == [WORDS] * len(MODELS)
        assert {reply["status"] for reply in round_["replies"]} == {"done"}


async def test_valkey_may_be_killed_and_started_in_mid_turn(cluster: Cluster, server: ValkeyServer) -> None:
    listeners = await begin_turn(cluster)
    await asyncio.to_thread(server.kill)
    await asyncio.gather(*(listener.follow(until="reply.text", pieces=5) for listener in listeners))
    await asyncio.to_thread(server.start)
    async with Redis.from_url(server.url) as admin:
        await admin.flushall()
    await check_all_heard(listeners)


async def test_postgres_may_be_restarted_in_mid_turn(cluster: Cluster) -> None:
    listeners = await begin_turn(cluster)
    # In good order: the server of the tests does not wait for its disk, and would lose what it had committed.
    await asyncio.to_thread(own_server().stop, signal.SIGINT)
    await asyncio.to_thread(own_server().start)
    await check_all_heard(listeners)
