"""Keeping a long conversation in mind: facts survive compression, and undoing it restores every byte."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from tests.context_world import (
    compressed,
    conversation_with,
    done,
    plan_for,
    receipt_of,
    set_flags,
    settled,
    summaries,
)
from tests.files_world import Shelf
from tests.long_talk import FACTS, Spoken, talk
from tests.scripted_provider import Script, ScriptedProvider
from tests.search_world import indexed
from tests.world import Person, World
from tests.written_rounds import write_rounds

from tertulia.infra.db import Tx

MODEL = "openai/scripted-smart"
#: Words that were said nowhere, so that nothing is found for them.
ABOUT_NOTHING = "Zyzzyva xylograph?"


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


async def hash_for(person: Person, conversation: str, question: str, **more: Any) -> str:
    return (await plan_for(person, conversation, question, model=MODEL, **more))["hash"]


class Payloads:
    """What was sent to a model for a question that is asked at the end of a conversation."""

    def __init__(self, person: Person, provider: ScriptedProvider, conversation: str, last: str) -> None:
        self.person, self.provider, self.conversation, self.last = person, provider, conversation, last

    async def for_question(self, question: str) -> str:
        # Each question follows the same message, so that none is told what was asked before.
        earlier = len(self.provider.requests())
        place = {"conversation_id": self.conversation, "parent_id": self.last}
        await self.person.start(question, models=[MODEL], **place)
        wanted = json.dumps(question, ensure_ascii=False)[1:-1]

        def sent() -> list[str]:
            bodies = [json.dumps(one.body, ensure_ascii=False) for one in self.provider.requests()[earlier:]]
            return [body for body in bodies if wanted in body]

        assert await asyncio.to_thread(self.provider.wait_for, sent)
        return sent()[0]


async def test_facts_told_over_hundreds_of_rounds_reach_the_questions_that_need_them(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    await set_flags(ada, summary_frequency=0)
    said = talk(rounds=400, facts=FACTS)
    conversation = await conversation_with(ada, max_tokens=10_000)
    questions: list[str] = []
    for begin, end in ((0, 130), (130, 260), (260, 390)):
        questions += await write_rounds(world.db, ada, conversation, said[begin:end])
        await indexed(world, meanings=False)
        for id_ in pinned_among(said[begin:end], questions[begin:end]):
            await done(ada.put(f"/api/messages/{id_}/marks", {"pinned": True}))
        summary = await compressed(ada, conversation)
        assert (summary["made_by"], summary["watermark"]) == ("extractive", end - 2)
    questions += await write_rounds(world.db, ada, conversation, said[390:])
    await indexed(world, meanings=False)

    assert provider.requests() == [], "no model had a part in it"
    payloads = Payloads(ada, provider, conversation, questions[-1])
    lost = [fact.question for fact in FACTS if fact.answer not in await payloads.for_question(fact.question)]
    assert len(lost) <= 0.05 * len(FACTS), lost


async def test_a_short_question_is_looked_for_by_its_own_words_and_by_those_before_it(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    await set_flags(ada, summary_frequency=0)
    conversation = await conversation_with(ada, max_tokens=10_000)
    told = [Spoken("The choir meets in the old fire station.", "Nice."), *talk(rounds=30, facts=[], last=0)]
    told[5] = Spoken("The walrus at the harbour has forty clams for breakfast.", "Lovely.")
    asked = Spoken("What does the walrus at the harbour have for breakfast?", "Who knows.")
    questions = await write_rounds(world.db, ada, conversation, [*told, asked])
    await indexed(world, meanings=False)

    payloads = Payloads(ada, provider, conversation, questions[-1])
    assert "old fire station" in await payloads.for_question("Where does the choir meet?")
    assert "forty clams" in await payloads.for_question("How many?")


def pinned_among(said: list[Spoken], questions: list[str]) -> list[str]:
    """Return the first question with a fact of the person's own."""
    own = [
        id_ for spoken, id_ in zip(said, questions, strict=True) if spoken.fact and spoken.fact.by == "user"
    ]
    return own[:1]


async def test_undoing_restores_every_byte_three_times_back(world: World, ada: Person) -> None:
    await set_flags(ada, summary_frequency=0)
    said = talk(rounds=90, facts=FACTS[:20], last=5)
    conversation = await conversation_with(ada, max_tokens=10_000)
    before: list[tuple[str, str]] = []
    for begin in (0, 30, 60):
        last = (await write_rounds(world.db, ada, conversation, said[begin : begin + 30]))[-1]
        before.append((last, await hash_for(ada, conversation, ABOUT_NOTHING, parent_id=last)))
        await compressed(ada, conversation)
        assert await hash_for(ada, conversation, ABOUT_NOTHING, parent_id=last) != before[-1][1]

    for last, hash_ in reversed(before):
        await done(ada.delete(f"/api/conversations/{conversation}/compression"))
        assert await hash_for(ada, conversation, ABOUT_NOTHING, parent_id=last) == hash_
    assert (await ada.delete(f"/api/conversations/{conversation}/compression")).status_code == 409


async def test_undoing_restores_what_was_found_as_well(world: World, ada: Person) -> None:
    await set_flags(ada, summary_frequency=0)
    said = talk(rounds=60, facts=FACTS[:20], last=20)
    conversation = await conversation_with(ada, max_tokens=10_000)
    await write_rounds(world.db, ada, conversation, said)
    await indexed(world, meanings=False)
    questions = [fact.question for fact in FACTS[:20:4]]

    async def hashes() -> list[str]:
        return [await hash_for(ada, conversation, question) for question in questions]

    before = await hashes()
    await compressed(ada, conversation)
    assert not set(before) & set(await hashes())
    shown = await done(ada.delete(f"/api/conversations/{conversation}/compression"))
    assert shown["current"] is None
    assert await hashes() == before


async def talked(person: Person, rounds: int, **more: Any) -> str:
    """Have a person ask several times, and return the conversation."""
    for number in range(rounds):
        turn = await person.start(f"We decided that pier {number} opens at {number + 6}:30.", **more)
        more["conversation_id"] = turn["conversation"]["id"]
        await person.finished(turn)
    return more["conversation_id"]


@pytest.mark.parametrize(("frequency", "made"), [(0, 0), (2, 3), (3, 2)])
async def test_a_summary_is_made_every_so_many_replies(
    world: World, ada: Person, frequency: int, made: int
) -> None:
    await set_flags(ada, summary_frequency=frequency)
    place: dict[str, str] = {}
    for _ in range(7):
        place["conversation_id"] = await talked(ada, 1, **place)
        await settled(world)

    history = (await summaries(ada, place["conversation_id"]))["history"]
    assert len(history) == made
    assert all(one["watermark"] == 0 for one in history), "nothing was compressed"


async def test_a_summary_that_is_asked_for_holds_all_that_was_decided_made_and_preferred(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    await set_flags(ada, summary_frequency=0)
    assert (await ada.post("/api/conversations", {})).status_code == 201
    provider.script("scripted-fast", Script(reply="I've created the file `piers/plan.md` with all of it."))
    conversation = await talked(ada, 2)
    await ada.ask(
        "Please always answer in Portuguese. Who is the harbour master?", conversation_id=conversation
    )

    made = await done(ada.post(f"/api/conversations/{conversation}/summary"))
    assert made["round_number"] == 3
    assert made["key_decisions"] == [f"We decided that pier {n} opens at {n + 6}:30." for n in range(2)]
    assert any("piers/plan.md" in one for one in made["created_entities"])
    assert {"decision", "preference", "created"} <= {point["kind"] for point in made["points"]}
    assert (await summaries(ada, conversation))["current"]["id"] == made["id"]
    again = await done(ada.post(f"/api/conversations/{conversation}/summary"))
    assert again["id"] == made["id"], "there is nothing new to summarise"


async def test_an_empty_conversation_has_nothing_to_summarise_compress_or_undo(ada: Person) -> None:
    path = f"/api/conversations/{await conversation_with(ada, max_tokens=2_000)}"
    answers = [
        await ada.post(f"{path}/summary"),
        await ada.post(f"{path}/compression"),
        await ada.delete(f"{path}/compression"),
    ]
    assert [one.status_code for one in answers] == [409] * 3
    assert [one.json()["error"]["code"] for one in answers] == [
        "nothing_to_summarise",
        "nothing_to_compress",
        "nothing_to_undo",
    ]


async def test_compression_comes_by_itself_before_the_limit_is_reached(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    said = talk(rounds=30, facts=FACTS[:6], last=8)
    conversation = await conversation_with(ada, max_tokens=2_400)
    marks: list[int] = []
    for spoken in said:
        provider.script("scripted-smart", Script(reply=spoken.answer))
        round_ = await ada.ask(spoken.question, models=[MODEL], conversation_id=conversation)
        plan = (await receipt_of(ada, round_["replies"][0]))["plan"]
        assert plan["tokens"] <= plan["limit"] == 2_400
        assert [one["reason"] for one in plan["left_out"] if one["section"] == "rounds"] in ([], ["older"])
        await settled(world)
        meter = (await done(ada.get(f"/api/conversations/{conversation}/context")))["meter"]
        assert meter["used"] < meter["limit"]
        marks.append(meter["watermark"])

    assert marks == sorted(marks)
    assert len(set(marks)) >= 3, "it was compressed again and again"


async def test_it_comes_in_time_where_files_take_most_of_the_room(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    await set_flags(ada, summary_frequency=0)
    shelf = await Shelf.of(ada)
    await shelf.write("guide.md", "The lamp is trimmed at dusk. " * 150, always_in_context=True)
    made = await ada.post("/api/conversations", {"title": "Long", "project_id": shelf.project_id})
    place = {"conversation_id": made.json()["id"], "models": [MODEL]}
    wish = {"context": {"max_tokens": 3_000}}
    await done(ada.put(f"/api/conversations/{place['conversation_id']}", wish))
    for spoken in talk(rounds=12, facts=[], last=0, seed=4):
        provider.script("scripted-smart", Script(reply=spoken.answer))
        round_ = await ada.ask(spoken.question, **place)
        plan = (await receipt_of(ada, round_["replies"][0]))["plan"]
        assert [one["reason"] for one in plan["left_out"] if one["section"] == "rounds"] in ([], ["older"])
        await settled(world)


async def test_what_somebody_undid_does_not_come_back_by_itself_at_once(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    said = talk(rounds=40, facts=[], last=0)
    conversation = await conversation_with(ada, max_tokens=2_400)
    await write_rounds(world.db, ada, conversation, said[:24])

    async def watermark_after(rounds: int) -> int:
        for spoken in said[24 : 24 + rounds]:
            provider.script("scripted-smart", Script(reply=spoken.answer))
            await ada.ask(spoken.question, models=[MODEL], conversation_id=conversation)
            await settled(world)
        return (await done(ada.get(f"/api/conversations/{conversation}/context")))["meter"]["watermark"]

    assert await watermark_after(1) > 0
    await done(ada.delete(f"/api/conversations/{conversation}/compression"))
    assert await watermark_after(4) == 0, "although it was summarised meanwhile"
    assert (await summaries(ada, conversation))["current"] is not None
    assert await watermark_after(3) > 0


async def test_nobody_waits_for_a_summary(tmp_path: Path, provider: ScriptedProvider) -> None:
    provider.script("utility", Script(reply="{}", first_token_seconds=20))
    env = {"TERTULIA_BUILTIN_MODEL": "off", "TERTULIA_UTILITY_MODEL": "openai/utility"}
    async with World.open(tmp_path / "slow", provider=provider, **env) as world:
        eve = await world.person(role="owner")
        conversation = await conversation_with(eve, max_tokens=2_400)
        await write_rounds(world.db, eve, conversation, talk(rounds=20, facts=[], last=0))
        began = monotonic()
        await eve.ask("And now?", models=[MODEL], conversation_id=conversation)
        assert await asyncio.to_thread(provider.wait_for, lambda: provider.requests("utility"))
        await eve.ask("And then?", models=[MODEL], conversation_id=conversation)

        assert monotonic() - began < 5
        assert (await summaries(eve, conversation))["history"] == [], "it is still being written"


async def test_a_summary_does_not_hold_on_a_branch_that_leaves_before_it(world: World, ada: Person) -> None:
    await set_flags(ada, summary_frequency=0)
    conversation = await conversation_with(ada, max_tokens=10_000)
    questions = await write_rounds(world.db, ada, conversation, talk(rounds=20, facts=FACTS[:5], last=5))
    early = await hash_for(ada, conversation, ABOUT_NOTHING, parent_id=questions[9])
    await compressed(ada, conversation)

    assert await hash_for(ada, conversation, ABOUT_NOTHING, parent_id=questions[9]) == early
    late = await plan_for(ada, conversation, ABOUT_NOTHING, model=MODEL)
    assert "summary" in [section["kind"] for section in late["sections"]]
    await ada.ask("Elsewhere", models=[MODEL], conversation_id=conversation, parent_id=questions[9])
    assert (await summaries(ada, conversation))["current"] is None


async def test_a_summary_no_longer_tells_what_a_reply_said_that_was_asked_for_again(
    ada: Person, provider: ScriptedProvider
) -> None:
    await set_flags(ada, summary_frequency=0, token_budget=0)
    conversation = await talked(ada, 1)
    provider.script("scripted-fast", Script(reply="The harbour master is called Cornelius Vane."))
    round_ = await ada.ask("Who is the harbour master?", conversation_id=conversation)
    provider.script("scripted-fast", Script(reply="The harbour master is called Brunhilde Oak."))
    made = await done(ada.post(f"/api/conversations/{conversation}/summary"))
    assert any("Cornelius Vane" in point["text"] for point in made["points"])
    again = await ada.post(f"/api/replies/{round_['replies'][0]['id']}/regenerate", {})
    await ada.finished(again.json())

    await ada.ask("What was the harbour master called again?", conversation_id=conversation)
    sent = json.dumps(provider.requests("scripted-fast")[-1].body)
    assert "Brunhilde Oak" in sent
    assert "Cornelius Vane" not in sent


def counted(tx: Tx) -> dict[str, int]:
    tables = ("receipts", "receipt_texts", "summaries", "message_marks")
    return {table: tx.value(f"SELECT count(*) FROM {table}") for table in tables}


async def test_deleting_a_conversation_removes_all_that_was_kept_of_its_prompts(
    world: World, ada: Person
) -> None:
    conversation = await talked(ada, 4)
    await compressed(ada, conversation)
    page = await done(ada.get(f"/api/conversations/{conversation}"))
    await done(ada.put(f"/api/messages/{page['rounds'][0]['question']['id']}/marks", {"pinned": True}))
    await settled(world)
    assert all((await world.db.read(counted, by=None)).values())

    assert (await ada.delete(f"/api/conversations/{conversation}")).status_code == 204
    assert not any((await world.db.read(counted, by=None)).values())
