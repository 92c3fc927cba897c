"""F12: stopping ends the call to the provider and keeps what was said."""

import asyncio
import time

import pytest

from tests.faults.listener import Listener
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person

pytestmark = pytest.mark.asyncio(loop_scope="session")

WORDS = " ".join(f"word{number}" for number in range(400))
EVERY_FORMAT = ["openai/slow", "anthropic/slow", "google/slow"]


@pytest.fixture
def slow(provider: ScriptedProvider) -> ScriptedProvider:
    """A provider whose models talk for many seconds, or say nothing for as long."""
    provider.script("slow", Script(reply=WORDS, tokens_per_second=40))
    provider.script("mute", Script(reply=WORDS, first_token_seconds=60))
    return provider


async def left_soon(provider: ScriptedProvider, model: str, *, since: float) -> bool:
    """Tell whether the provider saw every client of a model leave within a second."""
    calls = provider.requests(model)
    await asyncio.to_thread(provider.wait_for, lambda: all(call.ended for call in calls), seconds=3)
    return all(call.disconnected and call.ended_at and call.ended_at - since < 1 for call in calls)


@pytest.mark.parametrize("model", EVERY_FORMAT)
async def test_stopping_one_lane_leaves_the_others_talking(
    ada: Person, slow: ScriptedProvider, model: str
) -> None:
    slow.script("other", Script(reply=WORDS[:300], tokens_per_second=40))
    listener = Listener(ada, await ada.start("Hello", models=[model, "openai/other"]))
    await listener.follow(until="reply.text", pieces=6)
    stopped_at = time.time()
    answered = await ada.post(f"/api/replies/{listener.turn['round']['replies'][0]['id']}/stop")
    await listener.follow()
    stopped, other = (await listener.check_stored())["replies"]

    assert answered.status_code == 202
    assert await left_soon(slow, "slow", since=stopped_at)
    assert (stopped["status"], stopped["error"]) == ("stopped", None)
    assert stopped["content"]
    assert WORDS.startswith(stopped["content"])
    assert stopped["usage"]["estimated"]
    assert stopped["usage"]["input"] > 0
    assert stopped["usage"]["output"] > 0
    assert (other["status"], other["content"]) == ("done", WORDS[:300])


async def test_stopping_a_round_stops_every_lane(ada: Person, slow: ScriptedProvider) -> None:
    listener = Listener(ada, await ada.start("Hello", models=[*EVERY_FORMAT, "openai/mute"]))
    await listener.follow(until="reply.text", pieces=6)
    stopped_at = time.time()
    await ada.post(f"/api/rounds/{listener.turn['round']['id']}/stop")
    await listener.follow()
    round_ = await listener.check_stored()

    assert await left_soon(slow, "slow", since=stopped_at)
    assert await left_soon(slow, "mute", since=stopped_at)
    assert [reply["status"] for reply in round_["replies"]] == ["stopped"] * 4


@pytest.mark.parametrize("model", ["openai/mute", "anthropic/mute", "google/mute"])
async def test_a_lane_is_stopped_before_its_first_word(
    ada: Person, slow: ScriptedProvider, model: str
) -> None:
    turn = await ada.start("Hello", models=[model])
    await asyncio.to_thread(slow.wait_for, lambda: slow.requests("mute"))
    stopped_at = time.time()
    await ada.post(f"/api/rounds/{turn['round']['id']}/stop")
    reply = (await ada.finished(turn))["replies"][0]

    assert await left_soon(slow, "mute", since=stopped_at)
    assert (reply["status"], reply["content"]) == ("stopped", "")
    assert reply["usage"]["input"] > 0, "the provider read the prompt and bills it"


async def test_a_lane_is_stopped_at_once_after_it_was_asked(ada: Person, slow: ScriptedProvider) -> None:
    turns = await asyncio.gather(*(ada.start("Hello", models=EVERY_FORMAT) for _ in range(5)))
    await asyncio.gather(*(ada.post(f"/api/rounds/{turn['round']['id']}/stop") for turn in turns))
    rounds = [await ada.finished(turn) for turn in turns]

    assert {reply["status"] for round_ in rounds for reply in round_["replies"]} == {"stopped"}
    assert await left_soon(slow, "slow", since=time.time())


async def test_stopping_twice_or_too_late_changes_nothing(ada: Person, slow: ScriptedProvider) -> None:
    turn = await ada.start("Hello", models=["openai/slow", "openai/quick"])
    path = f"/api/rounds/{turn['round']['id']}/stop"
    await ada.wait_for(turn, "reply.closed")
    answers = await asyncio.gather(*(ada.post(path) for _ in range(5)))
    before = await ada.finished(turn)
    answers.append(await ada.post(path))
    after = await ada.round(turn["conversation"]["id"], turn["round"]["id"])

    assert {answer.status_code for answer in answers} == {202}
    assert [reply["status"] for reply in before["replies"]] == ["stopped", "done"]
    assert after == before


async def test_a_stopped_reply_goes_on_where_it_stopped(ada: Person, slow: ScriptedProvider) -> None:
    listener = Listener(ada, await ada.start("Hello", models=["openai/slow"]))
    await listener.follow(until="reply.text", pieces=3)
    await ada.post(f"/api/rounds/{listener.turn['round']['id']}/stop")
    await listener.follow()
    stopped = (await listener.check_stored())["replies"][0]
    slow.script("slow", Script(reply=" … and that is all."))
    more = await ada.post(f"/api/replies/{stopped['id']}/continue")
    await listener.follow()
    round_ = await listener.check_stored()

    assert more.status_code == 202
    assert round_["replies"][1]["status"] == "done"
    assert round_["replies"][1]["content"] == stopped["content"] + " … and that is all."
