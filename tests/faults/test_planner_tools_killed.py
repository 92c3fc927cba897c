"""I5: kill -9 around a task or event that a model writes: it is written once, or nobody claims to know."""

from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.faults.truth import check_integrity, rows
from tests.planner_world import WORKER, decide, tool_call, waiting_reply, works
from tests.process import ServerProcess
from tests.scripted_provider import ScriptedCall, ScriptedProvider
from tests.world import Json, Person

pytestmark = pytest.mark.asyncio(loop_scope="module")

ENV = {
    "TERTULIA_UTILITY_MODEL": "scripted-smart",
    "TERTULIA_BUILTIN_MODEL": "off",
    # On PostgreSQL what a killed server wrote is taken over once its lease has ended.
    "TERTULIA_LEASE_SECONDS": "3",
}
TASK = tool_call("create_task", title="Call", description="", due_date="2031-11-21")
EVENT = tool_call("create_event", title="Call", start_time="2031-11-21T16:00")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def server(
    shared_provider: ScriptedProvider, tmp_path_factory: pytest.TempPathFactory
) -> AsyncGenerator[ServerProcess]:
    data = tmp_path_factory.mktemp("planner") / "data"
    async with ServerProcess.running(data, shared_provider, **ENV) as server:
        yield server


@pytest_asyncio.fixture(loop_scope="module")
async def ada(server: ServerProcess) -> AsyncGenerator[Person]:
    person = await server.person()
    async with person.client:
        yield person


async def asked(person: Person, provider: ScriptedProvider, call: ScriptedCall) -> tuple[Json, Json]:
    works(provider, call)
    turn = await person.start("Do it", models=[WORKER])
    return turn, await waiting_reply(person, turn)


async def restarted(server: ServerProcess) -> None:
    server.kill()
    check_integrity(server.database)
    await server.start()


async def created(person: Person, turn: Json) -> list[str]:
    found = (await person.get(f"/api/conversations/{turn['conversation']['id']}/created")).json()
    return [item["title"] for item in [*found["tasks"], *found["events"]]]


async def test_killed_right_after_the_yes_it_is_written_once_or_not_at_all(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    turn, reply = await asked(ada, provider, TASK)
    await decide(ada, reply)
    await restarted(server)
    ended = (await ada.finished(turn))["replies"][0]["tool_calls"][0]
    titles = await created(ada, turn)
    assert len(titles) <= 1
    assert ended["status"] in {0: ("stopped", "unknown"), 1: ("done", "unknown")}[len(titles)]


async def test_a_yes_that_was_stored_is_carried_out_once_with_the_arguments_that_were_shown(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    turn, reply = await asked(ada, provider, EVENT)
    shown = reply["tool_calls"][0]
    server.kill()
    # As the server leaves it when it dies between taking in the yes and acting on it.
    rows(server.database, "UPDATE tool_runs SET status = 'approved' WHERE reply_id = ?", reply["id"])
    rows(server.database, "UPDATE runs SET waiting = 0, worker = 'gone' WHERE reply_id = ?", reply["id"])
    await server.start()
    done = (await ada.finished(turn))["replies"][0]["tool_calls"][0]
    assert (done["status"], done["arguments"], done["summary"]) == (
        "done",
        shown["arguments"],
        shown["summary"],
    )
    assert await created(ada, turn) == ["Call"]
