"""What changes something that is remembered is proposed, in whatever words it is said."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.accounts_door import ok
from tests.memory_world import contents, extract, open_memory_world, prompt_of, remember, say
from tests.scripted_provider import ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World

KNOWN = "I use tabs for indentation."
CHANGE = "I use spaces for indentation now."


@pytest_asyncio.fixture
async def world(
    provider: ScriptedProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


@pytest_asyncio.fixture
async def ada(world: World) -> Person:
    return await world.person()


async def proposed(person: Person, *messages: str) -> list[str]:
    """Return what is proposed of a conversation in which somebody says this."""
    turn = await person.start(messages[0])
    await person.finished(turn)
    for message in messages[1:]:
        await person.ask(message, conversation_id=turn["conversation"]["id"])
    return [memory["content"] for memory in await extract(person, turn["conversation"]["id"])]


async def test_a_change_of_what_is_remembered_is_proposed(ada: Person) -> None:
    assert await proposed(ada, CHANGE) == []
    await remember(ada, KNOWN, type="preference")
    conversation = await say(ada, f"{CHANGE} Can you write a loop?")
    [found] = await extract(ada, conversation)
    assert (found["content"], found["type"]) == (CHANGE, "preference")
    assert found["evidence"]["quote"] == CHANGE
    assert await extract(ada, conversation) == []
    ok(await ada.post("/api/memories/approve", {"ids": [found["id"]]}))
    assert await contents(ada) == [CHANGE]


async def test_a_change_of_what_is_proposed_is_proposed_beside_it(ada: Person) -> None:
    assert await proposed(
        ada, "My best friend is Carla.", "Carla and I fell out; my best friend is Nadine now."
    ) == [
        "My best friend is Carla.",
        "Carla and I fell out; my best friend is Nadine now.",
    ]


@pytest.mark.parametrize(
    "said",
    [
        "Should I use spaces for indentation now?",
        "My teacher wrote:\n> I use spaces for indentation now.",
        "If I use spaces for indentation now, what changes?",
        "I use spaces in file names now.",
    ],
)
async def test_what_changes_nothing_or_is_not_ones_own_word_is_not(ada: Person, said: str) -> None:
    await remember(ada, KNOWN)
    assert await proposed(ada, said) == []


async def test_what_was_said_before_changes_nothing(ada: Person) -> None:
    conversation = await say(ada, CHANGE)
    await remember(ada, "I use tabs for indentation these days.")
    assert await extract(ada, conversation) == []


async def test_facts_that_are_told_one_by_one_are_proposed(ada: Person) -> None:
    facts = [f"Player{number} plays the position of keeper." for number in range(5)]
    assert await proposed(ada, *facts[:4]) == []
    assert await proposed(ada, *facts) == facts
    others = [f"Goalie{number} plays the position of keeper." for number in range(5)]
    assert await proposed(ada, *others, "Why?", "Who?", "When?") == []


async def test_what_a_long_question_asks_is_looked_for_by_itself(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    await remember(ada, "The port of the metrics exporter is 9464.")
    for number in range(120):
        await remember(
            ada, f"The knowledge pool of system {number} has facts with serial numbers and answers."
        )
    await indexed(world)
    rules = "You are a knowledge system. Facts in the pool have serial numbers; answer by the newest facts. "
    await ada.ask(f"{rules * 4}\nNow answer: on which port does the metrics exporter listen?\nAnswer:")
    assert "9464" in prompt_of(provider)
