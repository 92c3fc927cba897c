"""F1: kill -9 at every step of a turn. What was accepted, seen or paid for survives."""

import asyncio
from collections.abc import AsyncGenerator

import httpx2
import pytest
import pytest_asyncio

from tertulia.core.ids import new_id
from tertulia.infra.jobs.queue import JOB_LEASE
from tertulia.server_parts import build_parts
from tertulia.settings import Settings
from tertulia.turns.domain import Ask, InvitedModel
from tests.faults.listener import Listener
from tests.faults.truth import check_integrity, rows, write_lock
from tests.process import ServerProcess
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person

pytestmark = pytest.mark.asyncio(loop_scope="module")

WORDS = " ".join(f"wörd{number}" for number in range(200))
REST = " and the rest."


@pytest_asyncio.fixture(loop_scope="module")
async def ada(server: ServerProcess) -> AsyncGenerator[Person]:
    person = await server.person()
    async with person.client:
        yield person


@pytest.fixture
def slow(provider: ScriptedProvider) -> ScriptedProvider:
    """A provider that talks slowly, or says nothing for long."""
    provider.script("slow", Script(reply=WORDS, tokens_per_second=40))
    provider.script("mute", Script(reply=WORDS, first_token_seconds=60))
    return provider


async def restarted(server: ServerProcess) -> None:
    """Kill the server, look at what it left behind, and start it again."""
    server.kill()
    check_integrity(server.database)
    await server.start()


async def heard_to_the_end(listener: Listener) -> Json:
    """Return the first reply of a round that ends soon after a restart."""
    await listener.follow()
    return (await listener.check_stored())["replies"][0]


async def continued(listener: Listener, reply: Json, provider: ScriptedProvider) -> Json:
    """Return the reply that goes on where one was cut off; its model now says the rest at once."""
    provider.script(reply["model"].rpartition("/")[2], Script(reply=REST))
    more = await listener.person.post(f"/api/replies/{reply['id']}/continue")
    assert more.status_code == 202, more.text
    listener.round_closed = False
    await listener.follow()
    replies = (await listener.check_stored())["replies"]
    return next(one for one in replies if one["continues"] == reply["id"])


async def test_a_question_that_was_not_answered_for_is_there_whole_or_not_at_all(
    server: ServerProcess, ada: Person
) -> None:
    key = new_id("key")
    body = {"message": "Received", "models": ["scripted-fast"], "idempotency_key": key}
    await ada.get("/api/models")
    with write_lock(server.database):
        asking = asyncio.create_task(ada.post("/api/turn", body))
        await asyncio.sleep(0.3)
        server.kill()
    with pytest.raises(httpx2.TransportError):
        await asking
    sql = "SELECT count(*) FROM idempotency_keys WHERE key = ?"
    assert rows(server.database, sql, key) == [(0,)]

    await server.start()
    turn = (await ada.post("/api/turn", body)).json()
    assert (await ada.finished(turn))["replies"][0]["status"] == "done"
    assert rows(server.database, sql, key) == [(1,)]


async def test_a_reply_that_was_never_begun_is_begun_after_the_restart(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    server.kill()
    parts = build_parts(Settings.from_env(server.env))
    # The process dies between its commit and the first step of the reply.
    parts.runner.start = lambda drafts: None  # type: ignore[method-assign] - the death of the process
    opened = await parts.turns.start_turn(
        Ask("Committed", invited=(InvitedModel("openai/never-begun"),)), by=ada.principal
    )
    await parts.stop()
    await server.start()
    page = (await ada.get(f"/api/conversations/{opened.conversation.id}")).json()
    turn = {"conversation": page["conversation"], "round": page["rounds"][0]}
    reply = (await ada.finished(turn | {"last_event_id": opened.last_event_id}))["replies"][0]

    assert (reply["status"], reply["content"]) == ("done", "never-begun heard: Committed")
    assert len(provider.requests("never-begun")) == 1


async def test_killed_after_the_provider_was_asked(
    server: ServerProcess, ada: Person, slow: ScriptedProvider
) -> None:
    listener = Listener(ada, await ada.start("Hello", models=["openai/mute"]))
    await asyncio.to_thread(slow.wait_for, lambda: slow.requests("mute"))
    await restarted(server)
    reply = await heard_to_the_end(listener)

    assert (reply["status"], reply["content"]) == ("failed", "")
    assert reply["error"]["code"] == "server_stopped"
    assert "kept" not in reply["error"]["message"]
    assert len(slow.requests("mute")) == 1, "what may cost money is not asked twice by itself"
    assert (await continued(listener, reply, slow))["content"] == REST


@pytest.mark.parametrize("pieces", [1, 8])
async def test_killed_while_words_arrive(
    server: ServerProcess, ada: Person, slow: ScriptedProvider, pieces: int
) -> None:
    listener = Listener(ada, await ada.start("Hello", models=["openai/slow", "anthropic/slow"]))
    await listener.follow(until="reply.text", pieces=pieces)
    # A model that was not asked yet is asked after the restart.
    await asyncio.to_thread(slow.wait_for, lambda: len(slow.requests("slow")) == 2)
    seen = dict(listener.texts)
    await restarted(server)
    await listener.follow()
    replies = (await listener.check_stored())["replies"]

    for reply in replies:
        assert reply["status"] == ("interrupted" if reply["content"] else "failed")
        assert reply["error"]["code"] == "server_stopped"
        assert ("What was written is kept" in reply["error"]["message"]) == bool(reply["content"])
        assert reply["usage"]["estimated"]
    for reply_id, text in listener.texts.items():
        assert text.startswith(seen[reply_id])
        assert WORDS.startswith(text)
    assert any(seen.values())
    heard = next(reply for reply in replies if reply["content"])
    assert (await continued(listener, heard, slow))["content"] == heard["content"] + REST


async def test_killed_while_the_reply_is_closed(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("slow", Script(reply=WORDS[:400], tokens_per_second=40))
    listener = Listener(ada, await ada.start("Hello", models=["openai/slow"]))
    await listener.follow(until="reply.text", pieces=2)
    seen = "".join(listener.texts.values())
    with write_lock(server.database):
        call = provider.requests("slow")[0]
        assert await asyncio.to_thread(provider.wait_for, lambda: call.ended == "finished")
        server.kill()
    await server.start()
    reply = await heard_to_the_end(listener)

    assert reply["status"] == "interrupted"
    assert reply["content"].startswith(seen)
    assert WORDS.startswith(reply["content"])
    check_integrity(server.database)


async def test_killed_while_the_title_is_found(
    server: ServerProcess, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(first_token_seconds=60), Script(reply="A title at last"))
    turn = await ada.start("Hello")
    await ada.finished(turn)
    await asyncio.to_thread(provider.wait_for, lambda: provider.requests("scripted-smart"))
    await restarted(server)
    # On PostgreSQL the job of a server that died is done once its claim has ended.
    async with asyncio.timeout(10 + JOB_LEASE.total_seconds()):
        named = await ada.wait_for(turn, "conversation.changed", type="conversation.changed")

    assert named["conversation"]["title"] == "A title at last"


async def test_a_stop_that_was_written_down_survives_the_kill(
    server: ServerProcess, ada: Person, slow: ScriptedProvider
) -> None:
    listener = Listener(ada, await ada.start("Hello", models=["openai/slow"]))
    await listener.follow(until="reply.text", pieces=2)
    # The process dies between the commit of the stop and its effect.
    rows(server.database, "UPDATE runs SET stop_requested = 1")
    await restarted(server)
    reply = await heard_to_the_end(listener)

    assert (reply["status"], reply["error"]) == ("stopped", None)
    assert reply["content"]
    assert len(slow.requests("slow")) == 1
