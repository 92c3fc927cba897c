"""Lists of facts: told in a message, proposed item by item, and of what was said twice the last holds."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.accounts_door import ok
from tests.memory_world import (
    contents,
    correct,
    extract,
    open_memory_world,
    prompt_of,
    remember,
    say,
    tell_model,
    with_utility_model,
)
from tests.scripted_provider import ScriptedProvider
from tests.search_world import indexed
from tests.world import Json, Person, World

OLD, NEW = "The author of Glass River is Tove Lund.", "Glass River was written by Bram Lee."
OTHERS = tuple(f"The capital of Land{number} is Town{number}." for number in range(30))
LIST = "Here is a list of facts:\n" + "\n".join(
    f"{number}. {fact}" for number, fact in enumerate((OLD, *OTHERS, NEW))
)


@pytest_asyncio.fixture
async def world(
    provider: ScriptedProvider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


async def approve(person: Person, *memories: Json) -> None:
    """Approve proposals in one request."""
    ok(await person.post("/api/memories/approve", {"ids": [memory["id"] for memory in memories]}))


async def propose(person: Person, *messages: str) -> list[Json]:
    """Have a person say something in one conversation, and return what is proposed."""
    turn = await person.start(messages[0])
    await person.finished(turn)
    for message in messages[1:]:
        await person.ask(message, conversation_id=turn["conversation"]["id"])
    return await extract(person, turn["conversation"]["id"])


async def test_every_fact_of_a_list_is_proposed_once(world: World) -> None:
    ada = await world.person()
    conversation = await say(ada, LIST)
    assert [found["content"] for found in await extract(ada, conversation)] == [OLD, *OTHERS, NEW]
    assert await extract(ada, conversation) == []


@pytest.mark.parametrize("approves_newest_first", [True, False])
async def test_the_last_of_a_list_holds_whichever_is_approved_first(
    world: World, *, approves_newest_first: bool
) -> None:
    ada = await world.person()
    proposed = await propose(ada, LIST)
    for memory in proposed[::-1] if approves_newest_first else proposed:
        await approve(ada, memory)
    assert set(await contents(ada)) == {NEW, *OTHERS}
    assert await contents(ada, "?status=superseded") == [OLD]


@pytest.mark.parametrize("in_one_message", [True, False])
async def test_what_is_said_again_holds_again(world: World, *, in_one_message: bool) -> None:
    ada = await world.person()
    facts = [f"{number}. {fact}" for number, fact in enumerate((OLD, NEW, OLD))]
    proposed = await propose(ada, "\n".join(facts)) if in_one_message else await propose(ada, *facts)
    for memory in proposed:
        await approve(ada, memory)
    assert await contents(ada) == [OLD]


async def test_said_again_later_holds_again_before_anything_is_approved(world: World) -> None:
    ada = await world.person()
    first = await propose(ada, f"1. {OLD}")
    second = await propose(ada, f"2. {NEW}")
    assert await propose(ada, f"3. {OLD}") == []
    await approve(ada, *second)
    await approve(ada, *first)
    assert await contents(ada) == [OLD]


async def test_a_model_that_picks_a_few_leaves_none_of_a_list_out(
    world: World, provider: ScriptedProvider
) -> None:
    ada = await world.person(role="owner")
    await with_utility_model(ada)
    tell_model(provider, {"message": 1, "quote": OLD, "content": OLD, "type": "fact"})
    proposed = await propose(ada, LIST)
    assert [memory["content"] for memory in proposed] == [OLD, *OTHERS, NEW]
    assert proposed[0]["made_by"].startswith("agent:")


async def test_a_quoted_old_message_has_its_change_beside_it(
    world: World, provider: ScriptedProvider
) -> None:
    ada = await world.person()
    for fact in (OLD, NEW):
        await approve(ada, *await propose(ada, f"Remember that {fact[:1].lower()}{fact[1:]}"))
        await indexed(world)
    await ada.ask("Who is the author of Glass River?")
    prompt = prompt_of(provider)
    quoted = prompt[prompt.index("<passages>") : prompt.index("</passages>")]
    assert "author of Glass River is Tove Lund" in quoted
    assert f"[Later: {NEW}]" in quoted


async def test_a_change_that_stays_local_is_not_told_beside_a_passage(
    world: World, provider: ScriptedProvider
) -> None:
    ada = await world.person()
    await approve(ada, *await propose(ada, f"Remember that {OLD[:1].lower()}{OLD[1:]}"))
    ok(await ada.post("/api/memories", {"type": "fact", "content": NEW, "local_only": True}), 201)
    await indexed(world)
    await ada.ask("Who is the author of Glass River?")
    assert "Bram" not in prompt_of(provider)


async def test_what_a_question_leads_to_is_told(world: World, provider: ScriptedProvider) -> None:
    ada = await world.person()
    chain = (
        "Glass River was written by Bram Lee.",
        "Bram Lee is employed by Helios Bank.",
        "The headquarters of Helios Bank are in Riga.",
    )
    others = [f"Person{number} Quartz is employed by Firm{number}." for number in range(80)]
    for fact in (*chain, *others):
        await remember(ada, fact)
    await indexed(world)
    await ada.ask("Where is the employer of the author of Glass River headquartered?")
    assert all(fact in prompt_of(provider) for fact in chain)


async def test_nothing_leads_to_what_is_not_remembered_or_somebody_elses(
    world: World, provider: ScriptedProvider
) -> None:
    ada = await world.person(role="owner")
    eve = await world.person(role="admin", like=ada)
    await remember(ada, "Glass River was written by Bram Lee.")
    await remember(eve, "Bram Lee is employed by Canary One.")
    archived = await remember(ada, "Bram Lee lives in Canary Two.")
    await correct(ada, archived, archived=True)
    await propose(ada, "1. Bram Lee is a citizen of Canary Three.")
    await remember(ada, "Bram Lee is married to Canary Four.", local_only=True)
    await indexed(world)
    await ada.ask("What is known of the author of Glass River?")
    prompt = prompt_of(provider)
    told = prompt[prompt.index("<memory>") : prompt.index("</memory>")]
    assert "Glass River" in told
    assert "Canary" not in told


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("The Island of Kobe was published by Kestrel.", "Who published The Island of Kobe?"),
        ("Tide Was Here was directed by Tove Lund.", "Who directed Tide Was Here?"),
        ("Helios & Company has its headquarters in Riga.", "Where is Helios & Company's head office?"),
    ],
)
async def test_what_a_question_names_is_told_before_it_is_indexed(
    world: World, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch, fact: str, question: str
) -> None:
    monkeypatch.setattr("tertulia.memories.memory_index.index_memory", lambda *_: None)
    ada = await world.person()
    for content in (fact, *(f"Person{number} Quartz works for Firm{number}." for number in range(60))):
        await remember(ada, content)
    await ada.ask(question)
    assert fact in prompt_of(provider)


async def test_of_what_an_undo_brings_back_only_the_newest_holds(world: World) -> None:
    ada = await world.person()
    first, second = await propose(ada, f"1. {OLD}\n2. Glass River was written by Eve Marsh.")
    newest = await remember(ada, NEW)
    await approve(ada, second)
    await approve(ada, first)
    assert await contents(ada) == [NEW]
    ok(await ada.post(f"/api/memories/{newest['id']}/undo"))
    assert await contents(ada) == ["Glass River was written by Eve Marsh."]


async def test_a_fact_of_long_ago_is_told_before_search_has_found_it(
    world: World, provider: ScriptedProvider
) -> None:
    ada = await world.person()
    await approve(ada, *await propose(ada, "Remember these facts:\n- My vet is Dr. Holm.\n- I sing alto."))
    await approve(
        ada, *await propose(ada, "Here is a list of facts:\n" + "\n".join(f"- {o}" for o in OTHERS))
    )
    await ada.ask("Who is my vet, and which voice do I sing?")
    prompt = prompt_of(provider)
    told = prompt[prompt.index("<memory>") : prompt.index("</memory>")]
    assert "My vet is Dr. Holm." in told
    assert "I sing alto." in told
