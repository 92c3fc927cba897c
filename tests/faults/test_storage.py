"""F2, F3 and F4: a database that is locked, full or cannot be written; reading goes on, nothing is lost."""

import asyncio
import resource
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.faults.listener import Listener
from tests.faults.truth import check_integrity, rows, write_lock
from tests.process import ServerProcess
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORDS = " ".join(f"word{number}" for number in range(60))
ENV = {
    "TERTULIA_BUSY_SECONDS": "1.2",
    "TERTULIA_UTILITY_MODEL": "scripted-smart",
    "TERTULIA_BUILTIN_MODEL": "off",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def world(
    shared_provider: ScriptedProvider, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[World]:
    data = tmp_path_factory.mktemp("storage") / "data"
    async with World.open(data, provider=shared_provider, **ENV) as world:
        yield world


@pytest_asyncio.fixture(loop_scope="module")
async def ada(world: World) -> Person:
    person = await world.person(role="owner")
    await person.get("/api/models")
    return person


@pytest.fixture
def talking(provider: ScriptedProvider) -> ScriptedProvider:
    provider.script("talking", Script(reply=WORDS, tokens_per_second=60))
    return provider


BODY = {"message": "Hello", "models": ["openai/talking"]}


@pytest.mark.usefixtures("talking")
async def test_a_short_lock_is_waited_for(world: World, ada: Person) -> None:
    asking = None
    with write_lock(world.settings.database):
        asking = asyncio.create_task(ada.post("/api/turn", BODY))
        await asyncio.sleep(0.5)
        assert not asking.done()
    answered = await asking

    assert answered.status_code == 202
    assert (await ada.finished(answered.json()))["replies"][0]["content"] == WORDS


@pytest.mark.usefixtures("talking")
async def test_a_long_lock_is_answered_with_come_back_later(world: World, ada: Person) -> None:
    before = await ada.ask("Hello", models=["openai/quick"])
    with write_lock(world.settings.database):
        asking = asyncio.create_task(ada.post("/api/turn", BODY))
        read = await ada.get(f"/api/conversations/{before['conversation_id']}")
        assert not asking.done(), "reading waits for no lock"
        refused = await asking

    assert read.json()["rounds"][0]["replies"][0]["status"] == "done"
    assert refused.status_code == 503
    assert refused.json()["error"]["code"] == "database_busy"
    assert int(refused.headers["Retry-After"]) > 0
    assert (await ada.post("/api/turn", BODY)).status_code == 202


@pytest.mark.usefixtures("talking")
async def test_a_reply_under_a_long_lock_loses_nothing(world: World, ada: Person) -> None:
    listener = Listener(ada, await ada.start("Hello", models=["openai/talking", "anthropic/talking"]))
    await listener.follow(until="reply.text", pieces=2)
    with write_lock(world.settings.database):
        await asyncio.sleep(2)
    async with asyncio.timeout(10):
        await listener.follow()
    round_ = await listener.check_stored()

    assert [(reply["status"], reply["content"]) for reply in round_["replies"]] == [("done", WORDS)] * 2
    check_integrity(world.settings.database)


@pytest.mark.usefixtures("talking")
@pytest.mark.sqlite
async def test_a_full_disk_is_said_and_a_reply_goes_on_once_there_is_room(world: World, ada: Person) -> None:
    listener = Listener(ada, await ada.start("Hello", models=["openai/talking"]))
    await listener.follow(until="reply.text", pieces=2)
    await set_pages(world, 1)
    refused = await ada.post("/api/turn", BODY | {"message": "x" * 100_000})
    read = await ada.get(f"/api/conversations/{listener.turn['conversation']['id']}")
    await asyncio.sleep(1)
    await set_pages(world, 1_000_000)
    async with asyncio.timeout(10):
        await listener.follow()
    round_ = await listener.check_stored()

    assert refused.status_code == 507
    assert refused.json()["error"]["code"] == "disk_full"
    assert read.status_code == 200
    assert (round_["replies"][0]["status"], round_["replies"][0]["content"]) == ("done", WORDS)
    check_integrity(world.settings.database)


async def set_pages(world: World, most: int) -> None:
    """Let the database grow to so many pages; fewer than it has means not at all."""
    await world.db.write(lambda tx: tx.value(f"PRAGMA max_page_count = {most}"), by=None)


@pytest.mark.sqlite
async def test_a_disk_that_refuses_to_write_is_said_and_recovered_from(
    tmp_path: Path, talking: ScriptedProvider
) -> None:
    async with ServerProcess.running(tmp_path / "data", talking, **ENV) as server:
        ada = await server.person()
        listener = Listener(ada, await ada.start("Hello", models=["openai/talking"]))
        await listener.follow(until="reply.text", pieces=2)
        assert server.process
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        refused = await ada.post("/api/turn", BODY)
        read = await ada.get(f"/api/conversations/{listener.turn['conversation']['id']}")
        resource.prlimit(
            server.process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)
        )
        async with asyncio.timeout(10):
            await listener.follow()
        round_ = await listener.check_stored()
        await ada.client.aclose()

        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "storage_failed")
        assert read.status_code == 200
        assert (round_["replies"][0]["status"], round_["replies"][0]["content"]) == ("done", WORDS)
        assert rows(server.database, "SELECT count(*) FROM rounds") == [(1,)]
        check_integrity(server.database)
