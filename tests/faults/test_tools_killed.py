"""I5: kill -9 around a call. What changes something happens once, or nobody claims to know."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.faults.truth import check_integrity, rows
from tests.process import ServerProcess
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import until
from tests.tool_servers import WebService, add_service, web_service
from tests.world import Json, Person

pytestmark = pytest.mark.asyncio(loop_scope="module")

ENV = {
    "TERTULIA_UTILITY_MODEL": "scripted-smart",
    "TERTULIA_BUILTIN_MODEL": "off",
    # On PostgreSQL what a killed server wrote is taken over once its lease has ended.
    "TERTULIA_LEASE_SECONDS": "3",
}
ADD = ScriptedCall(name="notes__add_note", arguments='{"body": {"text": "Dear Ada"}}')
LIST = ScriptedCall(name="notes__list_notes")
WIRES = ["openai/worker", "anthropic/worker", "google/worker"]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(
    shared_provider: ScriptedProvider, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[ServerProcess]:
    data = tmp_path_factory.mktemp("tools") / "data"
    async with ServerProcess.running(data, shared_provider, **ENV) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def notes() -> AsyncGenerator[WebService]:
    """A service that never comes to an answer unless it is told to."""
    async with web_service() as service:
        service.silence = 60
        yield service


@pytest_asyncio.fixture(loop_scope="module")
async def ada(server: ServerProcess, notes: WebService) -> AsyncGenerator[Person]:
    person = await server.person()
    async with person.client:
        await add_service(person, notes.url)
        await person.put("/api/tools/notes__list_notes", {"enabled": True, "effect": "read"})
        yield person


async def restarted(server: ServerProcess) -> None:
    server.kill()
    check_integrity(server.database)
    await server.start()


async def asked_for(person: Person, provider: ScriptedProvider, call: ScriptedCall, model: str) -> Json:
    provider.script("worker", Script(reply="", tool_calls=[call]), Script(reply="Done."))
    return await person.start("Do it", models=[model])


async def waiting(person: Person, turn: Json) -> Json:
    path = f"/api/conversations/{turn['conversation']['id']}"

    async def look() -> Json | None:
        reply = (await person.get(path)).json()["rounds"][-1]["replies"][0]
        return reply if reply["status"] == "waiting" else None

    return await until(look)


async def allowed(person: Person, reply: Json) -> None:
    call = reply["tool_calls"][0]["id"]
    path = f"/api/replies/{reply['id']}/calls/{call}/decision"
    assert (await person.post(path, {"approve": True})).status_code == 200


async def at_work(notes: WebService, method: str) -> None:
    """Wait until the service was asked."""

    async def look() -> bool:
        return [one.method for one in notes.heard] == [method]

    await until(look)


@pytest.mark.parametrize("model", WIRES)
async def test_killed_during_a_change_nobody_knows_and_nothing_runs_again(
    server: ServerProcess, ada: Person, notes: WebService, provider: ScriptedProvider, model: str
) -> None:
    turn = await asked_for(ada, provider, ADD, model)
    await allowed(ada, await waiting(ada, turn))
    await at_work(notes, "POST")
    await restarted(server)
    reply = (await ada.finished(turn))["replies"][0]

    assert (reply["status"], reply["error"]["code"]) == ("failed", "server_stopped")
    assert [call["status"] for call in reply["tool_calls"]] == ["unknown"]
    await asyncio.sleep(0.2)
    assert len(notes.heard) == 1
    assert len(provider.requests("worker")) == 1


async def test_killed_during_a_look_it_is_over(
    server: ServerProcess, ada: Person, notes: WebService, provider: ScriptedProvider
) -> None:
    turn = await asked_for(ada, provider, LIST, "openai/worker")
    await at_work(notes, "GET")
    await restarted(server)
    reply = (await ada.finished(turn))["replies"][0]

    assert (reply["status"], reply["error"]["code"]) == ("failed", "server_stopped")
    assert [call["status"] for call in reply["tool_calls"]] == ["stopped"]
    assert len(notes.heard) == 1


async def test_killed_right_after_the_yes_it_runs_once_or_not_at_all(
    server: ServerProcess, ada: Person, notes: WebService, provider: ScriptedProvider
) -> None:
    notes.silence = 0
    turn = await asked_for(ada, provider, ADD, "openai/worker")
    await allowed(ada, await waiting(ada, turn))
    await restarted(server)
    reply = (await ada.finished(turn))["replies"][0]

    (call,) = reply["tool_calls"]
    assert len(notes.heard) <= 1
    assert call["status"] in {0: ("stopped", "unknown"), 1: ("done", "unknown")}[len(notes.heard)]


async def test_a_yes_that_was_stored_is_carried_out_after_the_kill(
    server: ServerProcess, ada: Person, notes: WebService, provider: ScriptedProvider
) -> None:
    notes.silence = 0
    turn = await asked_for(ada, provider, ADD, "openai/worker")
    reply = await waiting(ada, turn)
    server.kill()
    # As the server leaves it when it dies between taking in the yes and acting on it.
    rows(server.database, "UPDATE tool_runs SET status = 'approved' WHERE reply_id = ?", reply["id"])
    rows(server.database, "UPDATE runs SET waiting = 0, worker = 'gone' WHERE reply_id = ?", reply["id"])
    await server.start()
    done = (await ada.finished(turn))["replies"][0]

    assert (done["status"], done["content"]) == ("done", "Done.")
    assert [call["status"] for call in done["tool_calls"]] == ["done"]
    assert len(notes.heard) == 1


async def test_a_call_waits_over_a_kill_and_can_be_answered_after_it(
    server: ServerProcess, ada: Person, notes: WebService, provider: ScriptedProvider
) -> None:
    notes.silence = 0
    turn = await asked_for(ada, provider, ADD, "openai/worker")
    reply = await waiting(ada, turn)
    await restarted(server)
    assert (await waiting(ada, turn))["tool_calls"] == reply["tool_calls"]
    assert notes.heard == []

    await allowed(ada, reply)
    done = (await ada.finished(turn))["replies"][0]
    assert (done["status"], done["content"]) == ("done", "Done.")
    assert [one.method for one in notes.heard] == ["POST"]
