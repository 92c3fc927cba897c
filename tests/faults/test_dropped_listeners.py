"""F11: listeners whose connection breaks again and again hear everything once."""

import asyncio
import random

import pytest

from tests.faults.listener import Listener
from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person

pytestmark = pytest.mark.asyncio(loop_scope="session")

LONG = " ".join(f"wörd{number} 🦜" for number in range(120))
MODELS = ["openai/long", "anthropic/long", "google/long"]


async def follow_in_bits(listener: Listener, seconds: float) -> int:
    """Follow a turn with a connection that is dropped every so often; return how often it was."""
    drops = 0
    while not listener.round_closed:
        try:
            async with asyncio.timeout(seconds):
                await listener.follow()
        except TimeoutError:
            drops += 1
    return drops


@pytest.fixture
def long_reply(provider: ScriptedProvider) -> ScriptedProvider:
    provider.script("long", Script(reply=LONG, tokens_per_second=120))
    return provider


@pytest.mark.usefixtures("long_reply")
async def test_two_tabs_that_drop_every_tenth_of_a_second_hear_every_byte(ada: Person) -> None:
    turn = await ada.start("Hello", models=MODELS)
    tabs = [Listener(ada, turn) for _ in range(3)]
    drops = await asyncio.gather(
        follow_in_bits(tabs[0], 0.1), follow_in_bits(tabs[1], 0.1), follow_in_bits(tabs[2], 60)
    )

    assert drops[0] >= 5
    assert drops[1] >= 5
    assert drops[2] == 0
    for tab in tabs:
        round_ = await tab.check_stored()
        assert [reply["content"] for reply in round_["replies"]] == [LONG] * 3


@pytest.mark.usefixtures("long_reply")
async def test_a_page_and_the_events_after_it_fit_together_at_any_moment(ada: Person) -> None:
    turn = await ada.start("Hello", models=MODELS)
    tabs: list[Listener] = []
    for _ in range(12):
        await asyncio.sleep(random.uniform(0, 0.15))
        page = (await ada.get(f"/api/conversations/{turn['conversation']['id']}")).json()
        opened = {"conversation": page["conversation"], "round": page["rounds"][0]}
        tabs.append(Listener(ada, opened | {"last_event_id": page["last_event_id"]}))
    await asyncio.gather(*(tab.follow() for tab in tabs))

    for tab in tabs:
        assert set(tab.texts.values()) == {LONG}


async def test_a_listener_that_comes_late_hears_it_all_from_the_start(
    ada: Person, long_reply: ScriptedProvider
) -> None:
    long_reply.script("long", Script(reply=LONG))
    turn = await ada.start("Hello", models=MODELS)
    await ada.finished(turn)
    late = Listener(ada, turn)
    await late.follow()

    await late.check_stored()


@pytest.mark.parametrize("number", ["-1", "1.5", "abc", "9" * 40, "٣"])
async def test_a_number_that_is_none_is_refused(ada: Person, number: str) -> None:
    turn = await ada.start("Hello")
    path = f"/api/conversations/{turn['conversation']['id']}/events"
    refused = await ada.get(path, headers={"Last-Event-ID": number.encode()})

    assert refused.status_code == 422


async def test_a_number_from_the_future_is_answered_with_a_reset(ada: Person) -> None:
    turn = await ada.start("Hello")
    async for event in ada.events(turn["conversation"]["id"], after=10_000):
        assert event["type"] == "reset"
        break
