"""Summaries that look back: what was said in rounds they cover already is not lost."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.context_world import compressed, conversation_with, done, set_flags, settled, summaries
from tests.long_talk import Spoken
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.tools_world import give_letters
from tests.world import Json, Person, World
from tests.written_rounds import write_rounds

FAST, SMART = "openai/scripted-fast", "openai/scripted-smart"


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    provider.script("scripted-fast", Script(reply="Noted."))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "data", provider=provider, **env) as world:
        yield world


@pytest.fixture
async def ada(world: World) -> Person:
    ada = await world.person(role="owner")
    await set_flags(ada, summary_frequency=0)
    return ada


async def remark(person: Person, conversation: str, times: int) -> None:
    """Go on with talk that decides nothing."""
    for number in range(times):
        await person.ask(f"Remark {number} on the weather", models=[FAST], conversation_id=conversation)


async def summarised(person: Person, conversation: str) -> Json:
    return await done(person.post(f"/api/conversations/{conversation}/summary"))


def tells(summary: Json, words: str) -> bool:
    return any(words in point["text"] for point in summary["points"])


async def test_a_reply_that_is_being_written_is_left_for_the_next_summary(
    ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply="So be it: 641 crowns.", first_token_seconds=3))
    place = {"conversation_id": (await ada.start("Hello", models=[FAST]))["conversation"]["id"]}
    turn = await ada.start("What is the price of the ferry?", models=[FAST, SMART], **place)
    await ada.wait_for(turn, "reply.closed")
    assert (await summarised(ada, place["conversation_id"]))["round_number"] == 1
    await ada.finished(turn)

    await remark(ada, place["conversation_id"], 3)
    made = await compressed(ada, place["conversation_id"])
    assert made["watermark"] == 3
    assert tells(made, "641 crowns")


async def test_a_reply_that_waits_for_a_yes_holds_nothing_up_and_is_told_afterwards(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    give_letters(world)
    letter = ScriptedCall(name="send_letter", arguments='{"text": "Dear Ada"}')
    provider.script("worker", Script(reply="", tool_calls=[letter]), Script(reply="It cost 641 crowns."))
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    await ada.wait_for(turn, "reply.waiting")
    conversation = turn["conversation"]["id"]
    await remark(ada, conversation, 3)
    assert (await compressed(ada, conversation))["watermark"] == 2

    reply = (await ada.round(conversation, turn["round"]["id"]))["replies"][0]
    call = f"/api/replies/{reply['id']}/calls/{reply['tool_calls'][0]['id']}/decision"
    await done(ada.post(call, {"approve": True}))
    await ada.finished(turn)
    await settled(world)
    assert tells((await summaries(ada, conversation))["current"], "641 crowns")


async def test_nothing_is_summarised_before_anything_was_answered(
    ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply="Slow.", first_token_seconds=2))
    turn = await ada.start("Hello", models=[SMART])
    refused = await ada.post(f"/api/conversations/{turn['conversation']['id']}/summary")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "nothing_to_summarise")


async def test_a_new_attempt_takes_the_place_of_the_old_one(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("scripted-smart", Script(reply="We decided that the anchor weighs 731 kilograms."))
    turn = await ada.start("How heavy is the anchor?", models=[SMART])
    [reply] = (await ada.finished(turn))["replies"]
    conversation = turn["conversation"]["id"]
    await remark(ada, conversation, 4)
    made = await compressed(ada, conversation)
    assert tells(made, "731 kilograms")

    provider.script("scripted-smart", Script(reply="We decided that the anchor weighs 812 kilograms."))
    again = await ada.post(f"/api/replies/{reply['id']}/regenerate", {})
    await ada.finished(again.json())
    await settled(world)
    await remark(ada, conversation, 1)
    await settled(world)
    current = (await summaries(ada, conversation))["current"]
    assert current["watermark"] == made["watermark"]
    assert tells(current, "812 kilograms")
    assert not tells(current, "731 kilograms")

    undone = await done(ada.delete(f"/api/conversations/{conversation}/compression"))
    assert undone["current"] is None


async def test_a_merge_of_earlier_replies_is_told(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    turn = await ada.start("Compare the plans", models=[FAST, SMART])
    await ada.finished(turn)
    conversation = turn["conversation"]["id"]
    await remark(ada, conversation, 3)
    made = await summarised(ada, conversation)
    provider.script("scripted-smart", Script(reply="We decided that plan seven costs 7,070 marks."))
    merged = await ada.post(f"/api/rounds/{turn['round']['id']}/merge", {"model": SMART})
    await ada.finished(merged.json())
    await settled(world)

    again = await summarised(ada, conversation)
    assert again["round_number"] == made["round_number"]
    assert tells(again, "7,070 marks")


async def test_what_is_no_longer_left_out_is_told(world: World, ada: Person) -> None:
    turn = await ada.start("We decided that the dock rent is 555 marks.", models=[FAST])
    await ada.finished(turn)
    conversation, marks = turn["conversation"]["id"], f"/api/messages/{turn['round']['question']['id']}/marks"
    await done(ada.put(marks, {"excluded": True}))
    await remark(ada, conversation, 3)
    assert not tells(await compressed(ada, conversation), "555 marks")

    await done(ada.put(marks, {"excluded": False}))
    await settled(world)
    current = (await summaries(ada, conversation))["current"]
    assert tells(current, "555 marks")
    assert current["watermark"] == 2


async def test_the_oldest_of_very_many_rounds_are_summarised_as_well(world: World, ada: Person) -> None:
    decided = {
        number: Spoken(f"We decided that vessel {number} is the Brigantine.", "So be it.")
        for number in (3, 50, 399, 400, 401, 450, 801, 802)
    }
    said = [
        decided.get(number) or Spoken("Talk of no importance.", "Understood.") for number in range(1, 851)
    ]
    conversation = await conversation_with(ada, max_tokens=10_000)
    await write_rounds(world.db, ada, conversation, said)

    made = await compressed(ada, conversation)
    assert (made["round_number"], made["watermark"]) == (849, 848)
    assert [one for one in decided if not tells(made, f"vessel {one} ")] == []
    assert (await done(ada.delete(f"/api/conversations/{conversation}/compression")))["current"] is not None
    assert (await summarised(ada, conversation))["round_number"] == 850
