"""A reply that cannot be closed, for whatever reason, harms no other."""

import asyncio
from typing import Any

import pytest

from tertulia.turns import finalisation
from tests.faults.listener import Listener
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS = " ".join(f"word{number}" for number in range(40))


@pytest.fixture
def talking(provider: ScriptedProvider) -> ScriptedProvider:
    provider.script("talking", Script(reply=WORDS, tokens_per_second=80))
    return provider


@pytest.mark.usefixtures("talking")
async def test_a_reply_that_cannot_be_closed_is_recovered_and_its_neighbours_are_not_held_up(
    ada: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = await ada.start("Hello", models=["openai/talking", "anthropic/talking", "google/talking"])
    poisoned = turn["round"]["replies"][1]["id"]
    close, failures = finalisation.finalise_reply, 3

    def failing(tx: Any, reply: Any, **more: Any) -> None:
        nonlocal failures
        if reply.id == poisoned and failures:
            failures -= 1
            raise KeyError("nobody foresaw this")
        close(tx, reply, **more)

    monkeypatch.setattr(finalisation, "finalise_reply", failing)
    listener = Listener(ada, turn)
    await listener.follow(until="reply.closed", pieces=2)
    assert poisoned not in listener.closed
    await listener.follow()
    replies = (await listener.check_stored())["replies"]

    assert [reply["status"] for reply in replies] == ["done", "interrupted", "done"]
    assert [reply["content"] for reply in replies] == [WORDS] * 3


@pytest.mark.usefixtures("talking")
async def test_a_guests_reply_is_finished_though_the_conversation_is_hidden_from_them(
    world: World, ada: Person
) -> None:
    bob = await world.person(like=ada)
    first = await ada.start("Hello", models=["openai/quick"])
    await ada.finished(first)
    path = f"/api/conversations/{first['conversation']['id']}"
    await ada.put(path, {"visibility": "workspace"})
    asked = await bob.start("And I?", models=["openai/talking"], conversation_id=first["conversation"]["id"])
    other = await ada.start("Meanwhile", models=["openai/talking"])
    await ada.wait_for(asked, "reply.text")
    await ada.put(path, {"visibility": "private"})
    async with asyncio.timeout(10):
        finished = await ada.finished(asked)
        elsewhere = await ada.finished(other)

    assert (finished["replies"][0]["status"], finished["replies"][0]["content"]) == ("done", WORDS)
    assert elsewhere["replies"][0]["status"] == "done"
    assert (await bob.get(path)).status_code == 404
