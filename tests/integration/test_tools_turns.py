"""Models work with tools while people watch, say yes or no, and tell them a word."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.search_world import until
from tests.tools_world import SendLetter, give_letters
from tests.world import Json, Person, World

from tertulia.core.clock import now

MODELS = ["openai/worker", "anthropic/worker", "google/worker"]
LETTER = ScriptedCall(name="send_letter", arguments='{"text": "Dear Ada"}')
LOOK = ScriptedCall(name="list_project_files", arguments="{}")


@pytest.fixture
def letters(world: World) -> SendLetter:
    return give_letters(world)


def works(provider: ScriptedProvider, *calls: ScriptedCall, reply: str = "Done.") -> None:
    provider.script("worker", Script(reply="", tool_calls=list(calls)), Script(reply=reply))


async def waiting(person: Person, turn: Json) -> Json:
    """Wait until the first reply of a turn waits for a yes, and return it."""
    path = f"/api/conversations/{turn['conversation']['id']}"

    async def look() -> Json | None:
        reply = (await person.get(path)).json()["rounds"][-1]["replies"][0]
        return reply if reply["status"] == "waiting" else None

    return await until(look)


async def decide(person: Person, reply: Json, **decision: Any) -> Any:
    call = next(one for one in reply["tool_calls"] if one["status"] == "waiting")
    return await person.post(f"/api/replies/{reply['id']}/calls/{call['id']}/decision", decision)


def said_to(provider: ScriptedProvider) -> str:
    """Return the last request to the worker, as text."""
    return json.dumps(provider.requests("worker")[-1].body, ensure_ascii=False)


@pytest.mark.parametrize("model", MODELS)
async def test_a_tool_that_only_looks_runs_at_once_and_is_kept(
    ada: Person, provider: ScriptedProvider, model: str
) -> None:
    works(provider, LOOK, reply="Nothing there.")
    round_ = await ada.ask("What files are there?", models=[model])

    reply = round_["replies"][0]
    assert (reply["status"], reply["content"]) == ("done", "Nothing there.")
    (call,) = reply["tool_calls"]
    assert (call["name"], call["status"], call["effect"]) == ("list_project_files", "done", "read")
    assert call["result"]
    assert call["ms"] is not None
    assert len(provider.requests("worker")) == 2


@pytest.mark.parametrize("model", MODELS)
async def test_a_tool_that_changes_something_waits_for_a_yes(
    ada: Person, provider: ScriptedProvider, letters: SendLetter, model: str
) -> None:
    works(provider, LETTER, reply="It is on its way.")
    turn = await ada.start("Write to Ada", models=[model])
    reply = await waiting(ada, turn)
    assert letters.sent == []
    assert reply["tool_calls"][0]["expires_at"]

    answered = await decide(ada, reply, approve=True)
    assert answered.status_code == 200
    done = (await ada.finished(turn))["replies"][0]

    assert letters.sent == ["Dear Ada"]
    assert (done["status"], done["content"]) == ("done", "It is on its way.")
    assert done["tool_calls"][0]["result"] == "Sent: Dear Ada"
    assert "Sent: Dear Ada" in said_to(provider)
    assert (await decide_again(ada, done)).status_code == 409


async def in_list(person: Person, turn: Json) -> Json:
    """Return a conversation as it is listed."""
    listed = (await person.get("/api/conversations")).json()["conversations"]
    return next(one for one in listed if one["id"] == turn["conversation"]["id"])


@pytest.mark.parametrize("end", ["yes", "no", "stop"])
async def test_lists_say_that_something_waits_until_it_does_not(
    ada: Person, provider: ScriptedProvider, letters: SendLetter, end: str
) -> None:
    works(provider, LETTER, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    assert turn["conversation"]["waiting"] == 0
    told = await ada.wait_for(turn, "conversation.changed")
    assert told["conversation"]["waiting"] == 2
    reply = await waiting(ada, turn)
    assert (await in_list(ada, turn))["waiting"] == 2
    assert reply["tool_calls"][0]["asked_by"] == ada.principal.user_id

    if end == "stop":
        await ada.post(f"/api/replies/{reply['id']}/stop")
    else:
        for call in reply["tool_calls"]:
            path = f"/api/replies/{reply['id']}/calls/{call['id']}/decision"
            await ada.post(path, {"approve": end == "yes"})
    await ada.finished(turn)
    assert (await in_list(ada, turn))["waiting"] == 0


async def decide_again(person: Person, reply: Json) -> Any:
    call = reply["tool_calls"][0]["id"]
    return await person.post(f"/api/replies/{reply['id']}/calls/{call}/decision", {"approve": True})


async def test_a_no_is_told_to_the_model_with_its_reason(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    await decide(ada, await waiting(ada, turn), approve=False, reason="She is on holiday.")
    reply = (await ada.finished(turn))["replies"][0]

    assert letters.sent == []
    assert (reply["status"], reply["tool_calls"][0]["status"]) == ("done", "denied")
    assert "She is on holiday." in said_to(provider)


async def test_changed_arguments_are_what_runs_and_what_is_kept(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    reply = await waiting(ada, turn)
    refused = await decide(ada, reply, approve=True, arguments="[1]")
    assert refused.json()["error"]["code"] == "arguments_invalid"

    await decide(ada, reply, approve=True, arguments='{"text": "Dear Grace"}')
    done = (await ada.finished(turn))["replies"][0]
    assert letters.sent == ["Dear Grace"]
    assert done["tool_calls"][0]["arguments"] == '{"text": "Dear Grace"}'


async def test_a_yes_for_the_conversation_counts_there_until_it_is_taken_back(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    await decide(ada, await waiting(ada, turn), approve=True, remember="conversation")
    await ada.finished(turn)
    here = {"conversation_id": turn["conversation"]["id"], "models": ["openai/worker"]}
    works(provider, LETTER)
    again = await ada.ask("And again", **here)
    assert again["replies"][0]["status"] == "done"
    assert len(letters.sent) == 2

    (grant,) = (await ada.get("/api/tool-grants")).json()["grants"]
    assert (await ada.delete(f"/api/tool-grants/{grant['id']}")).status_code == 204
    works(provider, LETTER)
    await waiting(ada, await ada.start("Once more", **here))
    works(provider, LETTER)
    await waiting(ada, await ada.start("Elsewhere", models=["openai/worker"]))
    assert len(letters.sent) == 2


async def test_only_who_asked_decides(
    world: World, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    reply = await waiting(ada, turn)
    bob = await world.person(role="admin", like=ada)
    assert (await decide(bob, reply, approve=True)).status_code == 404
    await ada.put(f"/api/conversations/{turn['conversation']['id']}", {"visibility": "workspace"})
    assert (await decide(bob, reply, approve=True)).json()["error"]["code"] == "not_yours_to_decide"
    assert letters.sent == []


async def test_a_reply_that_waits_can_be_stopped(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    reply = await waiting(ada, turn)
    await ada.post(f"/api/replies/{reply['id']}/stop")
    stopped = (await ada.finished(turn))["replies"][0]
    assert (stopped["status"], stopped["tool_calls"][0]["status"]) == ("stopped", "stopped")
    assert (await decide_again(ada, stopped)).status_code == 409
    assert letters.sent == []


async def test_nobody_says_yes_in_time(
    world: World, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER, reply="Never mind.")
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    await waiting(ada, turn)
    past = now() - timedelta(seconds=1)
    await world.db.write(lambda tx: tx.run("UPDATE tool_runs SET expires_at = :at", at=past), by=None)
    await world.server.parts.approvals.expire_approvals()
    reply = (await ada.finished(turn))["replies"][0]
    assert (reply["content"], reply["tool_calls"][0]["status"]) == ("Never mind.", "expired")
    assert letters.sent == []


async def test_a_word_reaches_a_model_at_its_next_step_once(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    reply = await waiting(ada, turn)
    told = await ada.post(f"/api/replies/{reply['id']}/steer", {"text": "Mention the lighthouse."})
    assert (told.status_code, told.json()["taken"]) == (202, False)
    await decide(ada, reply, approve=True)
    done = (await ada.finished(turn))["replies"][0]

    assert said_to(provider).count("Mention the lighthouse.") == 1
    assert [note["taken"] for note in done["notes"]] == [True]
    late = await ada.post(f"/api/replies/{reply['id']}/steer", {"text": "Too late."})
    assert late.json()["error"]["code"] == "not_at_work"


async def test_a_word_is_heard_even_when_no_tool_follows(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("worker", Script(reply="word " * 40, pause_after=3))
    turn = await ada.start("Tell me of lighthouses", models=["openai/worker"])
    await ada.wait_for(turn, "reply.text")
    told = await ada.post(f"/api/rounds/{turn['round']['id']}/steer", {"text": "In French, please."})
    assert told.status_code == 202
    provider.resume()
    await ada.finished(turn)
    assert len(provider.requests("worker")) == 2
    assert "In French, please." in said_to(provider)


async def test_a_yes_may_come_after_the_server_was_started_anew(
    tmp_path: Path, provider: ScriptedProvider
) -> None:
    works(provider, LOOK, LETTER, reply="Both done.")
    async with World.open(tmp_path, provider=provider) as world:
        give_letters(world)
        ada = await world.person(role="owner")
        turn = await ada.start("Look, and write to Ada", models=["openai/worker"])
        reply = await waiting(ada, turn)
        assert [call["status"] for call in reply["tool_calls"]] == ["done", "waiting"]
        token = ada.token

    async with World.open(tmp_path, provider=provider) as world:
        letters = give_letters(world)
        ada = Person(ada.principal, token, world.client(token))
        world.people.append(ada)
        assert (await waiting(ada, turn))["tool_calls"][1]["status"] == "waiting"
        await decide(ada, reply, approve=True)
        done = (await ada.finished(turn))["replies"][0]

    assert letters.sent == ["Dear Ada"]
    assert (done["status"], done["content"]) == ("done", "Both done.")
    assert [call["status"] for call in done["tool_calls"]] == ["done", "done"]
