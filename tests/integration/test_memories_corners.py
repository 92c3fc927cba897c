"""Memories where it is easy to be wrong: parts of sentences, marks, chains of corrections, other people."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx2
import pytest
from tests.accounts_door import ok
from tests.memory_world import (
    contents,
    correct,
    extract,
    listed,
    open_memory_world,
    prompt_of,
    remember,
    say,
    tell_model,
    with_utility_model,
)
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import hits, indexed
from tests.world import Json, Person, World

from tertulia.upkeep.memory_extraction import extract_in_background

OSLO, BERGEN, TRONDHEIM = (f"The capital of Norway is {city}." for city in ("Oslo", "Bergen", "Trondheim"))


@pytest.fixture
async def world(
    tmp_path: Path, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[World]:
    async with open_memory_world(tmp_path, provider, monkeypatch) as opened:
        yield opened


def fact(quote: str, content: str = "") -> Json:
    """Return a fact as a utility model proposes it."""
    return {"message": 1, "quote": quote, "content": content or quote, "type": "fact"}


async def undo(person: Person, memory: Json) -> httpx2.Response:
    return await person.post(f"/api/memories/{memory['id']}/undo")


async def test_a_model_proposes_no_part_of_a_secret(ada: Person, provider: ScriptedProvider) -> None:
    await with_utility_model(ada)
    tell_model(provider, fact("hunter2"))
    assert await extract(ada, await say(ada, "My password is hunter2.")) == []


async def test_a_model_proposes_no_words_that_a_person_quotes(
    ada: Person, provider: ScriptedProvider
) -> None:
    await with_utility_model(ada)
    quote = "I live in Minsk and pay Mallory every day"
    tell_model(provider, fact(quote))
    assert await extract(ada, await say(ada, f'The sign read "{quote}" and I laughed.')) == []


async def test_a_model_quotes_nothing_across_a_fence(ada: Person, provider: ScriptedProvider) -> None:
    await with_utility_model(ada)
    text = "Hello dear friend.\n```\nI live in Minsk and pay Mallory.\n```\nThanks so much."
    tell_model(provider, fact(text, "I live in Minsk and pay Mallory."))
    assert await extract(ada, await say(ada, text)) == []


async def test_search_finds_what_holds_after_a_correction_is_undone(ada: Person, world: World) -> None:
    made = await remember(ada, "My sister is called Mara.")
    await correct(ada, made, content="My sister is called Quetzalina.")
    await indexed(world)
    ok(await undo(ada, made))
    await indexed(world)
    found = await hits(ada, "my sister is called", filter={"kinds": ["memory"]})
    assert [hit["content"] for hit in found] == ["My sister is called Mara."]


async def test_what_holds_after_an_undo_can_be_replaced(ada: Person) -> None:
    made = await remember(ada, OSLO)
    await correct(ada, made, content="I like tea.")
    ok(await undo(ada, made))
    await remember(ada, BERGEN)
    assert await contents(ada) == [BERGEN]


async def test_a_reason_to_review_quotes_nothing(ada: Person) -> None:
    old = await remember(ada, "I work at Kestrelcorp.")
    await remember(ada, "My desk at Kestrelcorp is by the window.")
    await remember(ada, "I work at Globex.")
    ok(await ada.delete(f"/api/memories/{old['id']}"), 204)
    assert not [m for m in await listed(ada) if "I work at Kestrelcorp" in m["review_reason"]]


async def test_a_reason_to_review_tells_a_project_nothing_personal(ada: Person, world: World) -> None:
    project = ok(await ada.post("/api/projects", {"name": "Bridge"}), 201)["id"]
    await remember(ada, "I work at Kestrelcorp.")
    desk = await remember(ada, "My desk at Kestrelcorp is by the window.")
    await remember(ada, "I work at Globex.")
    await correct(ada, desk, project_id=project)
    bea = await world.person(like=ada)
    assert "I work at" not in str(await listed(bea))


async def test_a_mark_on_a_message_holds_for_its_memories(
    ada: Person, world: World, provider: ScriptedProvider
) -> None:
    turn = await ada.start("My safe house is in Heliopolis.")
    question = (await ada.finished(turn))["question"]["id"]
    proposed = await extract(ada, turn["conversation"]["id"])
    ok(await ada.post("/api/memories/approve", {"ids": [proposed[0]["id"]]}))
    ok(await ada.put(f"/api/messages/{question}/marks", {"local_only": True}))
    await indexed(world)
    await ada.ask("Where is my safe house?")
    assert "Heliopolis" not in prompt_of(provider)


async def test_evidence_that_is_local_only_makes_a_local_memory(ada: Person) -> None:
    question = (await ada.ask("My safe word is heliotrope."))["question"]["id"]
    ok(await ada.put(f"/api/messages/{question}/marks", {"local_only": True}))
    evidence = {"message_id": question, "quote": "My safe word is heliotrope."}
    assert (await remember(ada, "Safe word heliotrope", evidence=evidence))["local_only"]


async def test_only_what_holds_now_can_be_undone(ada: Person) -> None:
    _, b, _ = [await remember(ada, text) for text in (OSLO, BERGEN, TRONDHEIM)]
    await undo(ada, b)
    assert await contents(ada) == [TRONDHEIM]


async def test_what_is_archived_cannot_be_undone(ada: Person) -> None:
    await remember(ada, OSLO)
    b = await remember(ada, BERGEN)
    await correct(ada, b, archived=True)
    await remember(ada, TRONDHEIM)
    await undo(ada, b)
    assert len(await contents(ada)) == 1


async def test_undoing_a_correction_brings_back_all_that_it_replaced(ada: Person) -> None:
    await remember(ada, OSLO)
    tea = await remember(ada, "I like tea.")
    await correct(ada, tea, content=BERGEN)
    ok(await undo(ada, tea))
    assert sorted(await contents(ada)) == ["I like tea.", OSLO]


async def test_a_model_does_not_propose_again_what_rules_have(
    ada: Person, provider: ScriptedProvider
) -> None:
    await with_utility_model(ada)
    provider.script("scripted-smart", Script(reply="sorry"))
    conversation = await say(ada, "I am allergic to almonds.")
    assert len(await extract(ada, conversation)) == 1
    tell_model(provider, fact("I am allergic to almonds"))
    assert await extract(ada, conversation) == []


async def test_rejected_words_are_not_proposed_in_another_span(
    ada: Person, provider: ScriptedProvider
) -> None:
    await with_utility_model(ada)
    tell_model(provider, fact("I am allergic to almonds"))
    conversation = await say(ada, "I am allergic to almonds.")
    proposed = await extract(ada, conversation)
    ok(await ada.post("/api/memories/reject", {"ids": [proposed[0]["id"]]}))
    tell_model(provider, fact("allergic to almonds"))
    assert await extract(ada, conversation) == []


async def test_what_became_a_projects_is_not_proposed_again(ada: Person) -> None:
    project = ok(await ada.post("/api/projects", {"name": "Bridge"}), 201)["id"]
    conversation = await say(ada, "I am allergic to almonds.")
    proposed = await extract(ada, conversation)
    ok(await ada.post("/api/memories/approve", {"ids": [proposed[0]["id"]]}))
    await correct(ada, proposed[0], project_id=project)
    assert await extract(ada, conversation) == []


async def test_an_edited_question_is_not_proposed_again(ada: Person) -> None:
    turn = await ada.start("I am allergic to almonds. What cake?")
    await ada.finished(turn)
    assert len(await extract(ada, turn["conversation"]["id"])) == 1
    body = {"message": "I am allergic to almonds. Which cake?", "models": ["scripted-fast"]}
    await ada.finished((await ada.post(f"/api/rounds/{turn['round']['id']}/edit", body)).json())
    assert await extract(ada, turn["conversation"]["id"]) == []


async def test_what_is_remembered_is_not_proposed_when_said_again(ada: Person) -> None:
    proposed = await extract(ada, await say(ada, "I am allergic to almonds. What cake?"))
    ok(await ada.post("/api/memories/approve", {"ids": [proposed[0]["id"]]}))
    assert await extract(ada, await say(ada, "I am allergic to almonds. Which ice?")) == []


async def test_memories_of_other_projects_take_no_place_in_prompts(
    ada: Person, provider: ScriptedProvider
) -> None:
    await remember(ada, "My boat is called Quetzal.", pinned=True)
    project = ok(await ada.post("/api/projects", {"name": "Bridge"}), 201)["id"]
    for number in range(50):
        await remember(ada, f"Shelf {number} holds item {number}.", pinned=True, project_id=project)
    await ada.ask("Hello")
    assert "Quetzal" in prompt_of(provider)


async def test_the_latest_messages_are_looked_through(ada: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tertulia.memories.extraction.EXTRACTED_MESSAGES_MAX", 2)
    turn = await ada.start("Hello")
    await ada.finished(turn)
    for text in ("What now?", "I live in Porto."):
        await ada.ask(text, conversation_id=turn["conversation"]["id"])
    assert len(await extract(ada, turn["conversation"]["id"])) == 1


async def test_numbers_of_one_digit_tell_things_apart(ada: Person) -> None:
    await remember(ada, "I use Python 3.")
    await remember(ada, "I take bus 9 to work.")
    await remember(ada, "I stopped using Python 2.")
    await remember(ada, "I no longer take bus 7.")
    assert "I use Python 3." in await contents(ada)
    assert "I take bus 9 to work." in await contents(ada)


async def test_nobody_takes_a_projects_memory_for_themselves(ada: Person, world: World) -> None:
    project = ok(await ada.post("/api/projects", {"name": "Bridge"}), 201)["id"]
    made = await remember(ada, "The bridge has four lanes.", project_id=project)
    bea = await world.person(like=ada)
    await bea.put(f"/api/memories/{made['id']}", {"project_id": None})
    assert await contents(ada) == ["The bridge has four lanes."]


async def test_an_older_word_that_is_approved_later_replaces_nothing(ada: Person) -> None:
    conversation = await say(ada, "I live in Porto. What now?")
    await ada.ask("I live in Rome. And now?", conversation_id=conversation)
    older, newer = await extract(ada, conversation)
    for memory in (newer, older):
        ok(await ada.post("/api/memories/approve", {"ids": [memory["id"]]}))
    assert await contents(ada) == ["I live in Rome."]


async def test_a_conversation_is_looked_through_for_each_who_wants_it(ada: Person, world: World) -> None:
    bea = await world.person(like=ada)
    for person in (ada, bea):
        ok(await person.put("/api/memories/preferences", {"in_background": True}))
    turn = await ada.start("Hello there")
    await ada.finished(turn)
    conversation = turn["conversation"]["id"]
    ok(await ada.put(f"/api/conversations/{conversation}", {"visibility": "workspace"}))
    await bea.ask("I live in Lyon.", conversation_id=conversation)
    jobs = await world.db.read(
        lambda tx: tx.rows("SELECT payload FROM jobs WHERE kind = 'memories'"), by=None
    )
    assert bea.principal.user_id in str(jobs)
    assert ada.principal.user_id in str(jobs)


async def test_nothing_is_looked_through_any_more_for_somebody_who_changed_their_mind(
    ada: Person, world: World
) -> None:
    ok(await ada.put("/api/memories/preferences", {"in_background": True}))
    conversation = await say(ada, "I live in Porto. What now?")
    services = world.server.parts.services
    for is_wanted in (False, True):
        ok(await ada.put("/api/memories/preferences", {"in_background": is_wanted}))
        await extract_in_background(conversation, by=ada.principal, services=services)
        waiting = ok(await ada.get("/api/memories?status=proposed"))["memories"]
        assert [memory["content"] for memory in waiting] == ["I live in Porto."] * is_wanted


async def test_nothing_is_looked_through_for_somebody_who_is_suspended(ada: Person, world: World) -> None:
    boss = await world.person(role="owner", like=ada)
    ok(await ada.put("/api/memories/preferences", {"in_background": True}))
    conversation = await say(ada, "I live in Porto. What now?")
    for status, found in (("suspended", 0), ("active", 1)):
        ok(await boss.client.patch(f"/api/members/{ada.principal.user_id}", json={"status": status}))
        services = world.server.parts.services
        await extract_in_background(conversation, by=ada.principal, services=services)
        count = await world.db.read(lambda tx: tx.value("SELECT count(*) FROM memories"), by=None)
        assert count == found
