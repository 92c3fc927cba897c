"""Compression that is killed half-way, or done twice at once: it is done once, and nothing is lost."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
import pytest_asyncio

from tests.context_world import compressed, conversation_with, done, plan_for, set_flags, summaries
from tests.databases import open_database
from tests.faults.truth import check_integrity, rows, write_lock
from tests.long_talk import FACTS, talk
from tests.process import ServerProcess
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import until
from tests.world import Json, Person
from tests.written_rounds import write_rounds

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = "openai/scripted-fast"
TALK = talk(rounds=16, facts=FACTS[:8], last=3)


@pytest_asyncio.fixture(loop_scope="module")
async def ada(server: ServerProcess) -> AsyncGenerator[Person]:
    person = await server.person()
    async with person.client:
        await set_flags(person, summary_frequency=0)
        yield person


async def talked(server: ServerProcess, person: Person, *, max_tokens: int) -> str:
    """Return a conversation that was written by somebody else than the server."""
    conversation = await conversation_with(person, max_tokens=max_tokens)
    db = open_database(server.database)
    try:
        await write_rounds(db, person, conversation, TALK, model=MODEL)
    finally:
        db.close()
    return conversation


async def summarised(person: Person, conversation: str) -> Json:
    async def current() -> Json | None:
        return (await summaries(person, conversation))["current"]

    return await until(current, seconds=30)


async def test_killed_while_the_model_writes_it_is_done_once_after_the_restart(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(first_token_seconds=60), Script(reply="nothing of use"))
    conversation = await talked(server, ada, max_tokens=1_500)
    before = await done(ada.get(f"/api/conversations/{conversation}?limit=100"))
    await ada.ask("And now?", models=[MODEL], conversation_id=conversation)
    assert await asyncio.to_thread(provider.wait_for, lambda: provider.requests("scripted-smart"))
    server.kill()
    check_integrity(server.database)
    assert rows(server.database, "SELECT * FROM summaries WHERE conversation_id = ?", conversation) == []

    await server.start()
    current = await summarised(ada, conversation)
    assert current["watermark"] > 0
    assert len((await summaries(ada, conversation))["history"]) == 1
    after = await done(ada.get(f"/api/conversations/{conversation}?limit=100"))
    assert after["rounds"][: len(TALK)] == before["rounds"], "nothing that was said is touched"
    await ada.ask("And then?", models=[MODEL], conversation_id=conversation)
    plan = await plan_for(ada, conversation, "And after that?", model=MODEL)
    assert plan["tokens"] <= plan["limit"] == 1_500


async def test_killed_before_it_is_written_down_nothing_of_it_is_there(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply="nothing of use"))
    conversation = await talked(server, ada, max_tokens=10_000)
    plain = await plan_for(ada, conversation, "And now?", model=MODEL)
    with write_lock(server.database):
        asking = asyncio.create_task(ada.post(f"/api/conversations/{conversation}/compression"))
        assert await asyncio.to_thread(provider.wait_for, lambda: provider.requests("scripted-smart"))
        await asyncio.sleep(0.3)
        server.kill()
    await asyncio.wait([asking])
    assert asking.exception() is not None

    await server.start()
    check_integrity(server.database)
    assert (await summaries(ada, conversation))["history"] == []
    assert (await plan_for(ada, conversation, "And now?", model=MODEL))["hash"] == plain["hash"]
    assert (await compressed(ada, conversation))["watermark"] == len(TALK) - 2


async def test_of_two_compressions_at_once_one_holds_and_both_are_answered(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply="nothing of use", first_token_seconds=0.3))
    conversation = await talked(server, ada, max_tokens=10_000)
    path = f"/api/conversations/{conversation}/compression"
    one, other = await asyncio.gather(ada.post(path), ada.post(path))

    assert (one.status_code, other.status_code) == (200, 200)
    assert one.json()["id"] == other.json()["id"]
    assert len((await summaries(ada, conversation))["history"]) == 1


async def test_a_summary_and_a_compression_at_once_leave_one_of_them_in_force(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply="nothing of use", first_token_seconds=0.3))
    conversation = await talked(server, ada, max_tokens=10_000)
    path = f"/api/conversations/{conversation}"
    answers = await asyncio.gather(ada.post(f"{path}/summary"), ada.post(f"{path}/compression"))

    assert [answer.status_code for answer in answers] == [200, 200]
    shown = await summaries(ada, conversation)
    assert len(shown["history"]) == 1
    assert {answer.json()["id"] for answer in answers} == {shown["current"]["id"]}


async def test_a_conversation_that_is_deleted_while_it_is_summarised_leaves_nothing(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply="nothing of use", first_token_seconds=0.5))
    conversation = await talked(server, ada, max_tokens=10_000)
    path = f"/api/conversations/{conversation}"
    asking = asyncio.create_task(ada.post(f"{path}/compression"))
    assert await asyncio.to_thread(provider.wait_for, lambda: provider.requests("scripted-smart"))
    assert (await ada.delete(path)).status_code == 204

    assert (await asking).status_code == 404
    assert rows(server.database, "SELECT * FROM summaries WHERE conversation_id = ?", conversation) == []
    check_integrity(server.database)
