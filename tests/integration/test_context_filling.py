"""How full a conversation is: the meter says what the next prompt takes, and what compressing frees."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.context_world import compressed, done, receipt_of, set_flags
from tests.long_talk import FACTS, talk
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World
from tests.written_rounds import write_rounds

#: One is shown up to 24 rounds, the other 5.
SMART, FAST = "openai/gpt-5", "openai/gpt-5-nano"
#: Words that were said nowhere, so that nothing is found for them.
ABOUT_NOTHING = "Zyzzyva xylograph?"


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    for model in (SMART, FAST):
        provider.script(model.partition("/")[2], Script(reply="So be it."))
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


async def talked(world: World, person: Person, rounds: int, *, max_tokens: int | None = 10_000) -> str:
    """Make a conversation of so many rounds, and return its id."""
    await set_flags(person, summary_frequency=0)
    conversation = (await person.post("/api/conversations", {"title": "Long"})).json()["id"]
    await done(person.put(f"/api/conversations/{conversation}", {"context": {"max_tokens": max_tokens}}))
    if rounds:
        said = talk(rounds=rounds, facts=FACTS[: rounds // 4], last=2)
        await write_rounds(world.db, person, conversation, said)
    return conversation


async def context_of(person: Person, conversation: str, *models: str) -> Json:
    query = {"question": ABOUT_NOTHING, "models": list(models)}
    return await done(person.get(f"/api/conversations/{conversation}/context", params=query))


async def meter_of(person: Person, conversation: str, model: str) -> Json:
    return (await context_of(person, conversation, model))["meter"]


@pytest.mark.parametrize("model", [SMART, FAST])
@pytest.mark.parametrize("rounds", [0, 4, 60])
async def test_what_the_meter_calls_used_is_what_the_next_prompt_takes(
    world: World, ada: Person, model: str, rounds: int
) -> None:
    conversation = await talked(world, ada, rounds)
    meter = await meter_of(ada, conversation, model)
    [reply] = (await ada.ask(ABOUT_NOTHING, models=[model], conversation_id=conversation))["replies"]
    plan = (await receipt_of(ada, reply))["plan"]

    assert meter["limit"] == plan["limit"]
    assert abs(meter["used"] - plan["tokens"]) <= 0.05 * plan["tokens"]


async def test_it_measures_the_model_with_most_room(world: World, ada: Person) -> None:
    conversation = await talked(world, ada, 12, max_tokens=None)
    context = await context_of(ada, conversation, FAST, SMART)
    less, most = (lane["plan"] for lane in context["lanes"])
    assert less["limit"] < most["limit"]
    assert less["tokens"] < most["tokens"]
    assert (context["meter"]["used"], context["meter"]["limit"]) == (most["tokens"], most["limit"])


@pytest.mark.parametrize("rounds", [5, 24, 60])
@pytest.mark.parametrize("model", [SMART, FAST])
async def test_what_compressing_would_free_is_what_it_frees(
    world: World, ada: Person, model: str, rounds: int
) -> None:
    conversation = await talked(world, ada, rounds, max_tokens=4_000)
    before = await meter_of(ada, conversation, model)
    await compressed(ada, conversation)
    after = await meter_of(ada, conversation, model)

    freed = before["used"] - after["used"]
    assert abs(before["freed"] - max(0, freed)) <= 0.05 * before["used"], (before, after)


async def test_the_whole_counts_rounds_that_the_next_prompt_does_not_show(world: World, ada: Person) -> None:
    conversation = await talked(world, ada, 60, max_tokens=4_000)
    meter = await meter_of(ada, conversation, FAST)
    assert meter["used"] < meter["threshold"] < meter["whole"]

    await compressed(ada, conversation)
    assert (await meter_of(ada, conversation, FAST))["whole"] < meter["threshold"]
