"""A utility model that fails, is slow, invents or forgets: the conversation goes on all the same."""

import json
from typing import Any

import pytest

from tests.context_world import compressed, conversation_with, done, plan_for, settled, summaries
from tests.long_talk import FACTS, Fact, Spoken
from tests.scripted_provider import Script, ScriptedProvider
from tests.scripted_provider.script import Fault
from tests.world import Json, Person, World
from tests.written_rounds import write_rounds

pytestmark = pytest.mark.asyncio(loop_scope="session")

UTILITY = "scripted-smart"
MADE_BY = "scripted-smart"
REPLY = "That sounds sensible to me."
TALK = [
    *(Spoken(f"{fact.said} What do you make of it?", REPLY) for fact in FACTS[:8]),
    # The last round is left for the next time.
    Spoken("Is that all?", REPLY),
]
#: Figures and decisions among them, which no summary may lose.
NEEDED = [fact for fact in FACTS[:8] if any(letter.isdigit() for letter in fact.answer)]


def answer(**sections: list[tuple[str, list[int]]]) -> str:
    said = {
        name: [{"text": text, "from": numbers} for text, numbers in told] for name, told in sections.items()
    }
    return json.dumps(said)


async def talked(world: World, person: Person) -> str:
    conversation = await conversation_with(person, max_tokens=10_000)
    await write_rounds(world.db, person, conversation, TALK, model="openai/scripted-fast")
    return conversation


def lost(summary: Json, facts: list[Fact]) -> list[str]:
    texts = "\n".join(point["text"] for point in summary["points"])
    return [fact.answer for fact in facts if fact.answer not in texts]


async def check_goes_on(person: Person, conversation: str) -> None:
    """Check that one can go on asking, and that the summary is there."""
    round_ = await person.ask("And now?", models=["openai/scripted-fast"], conversation_id=conversation)
    assert round_["replies"][0]["status"] == "done"
    plan = await plan_for(person, conversation, "And then?", model="openai/scripted-fast")
    assert "summary" in [section["kind"] for section in plan["sections"]]


BROKEN = {
    "fails": Script(fault=Fault(kind="status", status=500)),
    "is silent": Script(fault=Fault(kind="silence")),
    "is cut": Script(reply='{"decisions": [', fault=Fault(kind="drop", after=1)),
    "sends garbage": Script(reply="x", fault=Fault(kind="garbage")),
    "talks": Script(reply="Sure! Here is a lovely poem about the sea."),
    "says nothing": Script(reply=""),
    "echoes": Script(),
    "sends the wrong JSON": Script(reply='{"decisions": 7, "topics": {"text": []}, "entities": [null, 3]}'),
    "names nothing": Script(reply=answer(topics=[("All is well.", [])])),
    "invents sources": Script(reply=answer(decisions=[("We sell the moon.", [99]), ("Or Mars.", [-1, 0])])),
    "invents figures": Script(reply=answer(decisions=[("The rent is 77,777 euros.", [1])])),
    "refuses": Script(reply="", finish="refused"),
}


@pytest.mark.parametrize("script", BROKEN.values(), ids=BROKEN.keys())
async def test_where_the_model_is_of_no_use_the_summary_is_extracted_and_says_so(
    world: World, ada: Person, provider: ScriptedProvider, script: Script
) -> None:
    provider.script(UTILITY, script)
    conversation = await talked(world, ada)
    summary = await compressed(ada, conversation)

    assert provider.requests(UTILITY), "it was asked"
    assert summary["made_by"] == "extractive"
    assert lost(summary, NEEDED) == []
    assert not any("77,777" in point["text"] or "moon" in point["text"] for point in summary["points"])
    await check_goes_on(ada, conversation)


async def test_a_model_that_never_ends_is_not_waited_for(
    world: World, ada: Person, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tertulia.memory.summariser.SUMMARY_MODEL_TIMEOUT_SECONDS", 0.5)
    provider.script(UTILITY, Script(reply="word " * 400, tokens_per_second=20))
    summary = await compressed(ada, conversation := await talked(world, ada))

    assert summary["made_by"] == "extractive"
    assert lost(summary, NEEDED) == []
    assert provider.wait_for(lambda: provider.requests(UTILITY)[0].disconnected)
    await check_goes_on(ada, conversation)


async def test_what_a_model_forgets_is_kept_word_for_word(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    topic = "They talked about a database and a landlord."
    provider.script(UTILITY, Script(reply=answer(topics=[(topic, [1, 7])])))
    summary = await compressed(ada, await talked(world, ada))

    assert len(provider.requests(UTILITY)) == 1
    assert summary["made_by"] == MADE_BY
    assert topic in [point["text"] for point in summary["points"]]
    assert lost(summary, NEEDED) == []


async def test_a_model_that_does_its_work_is_named_and_its_choice_is_quoted(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    decided = "Redis is dropped; the queue stays in PostgreSQL."
    provider.script(UTILITY, Script(reply=f"Here it is:\n```json\n{answer(decisions=[(decided, [5])])}\n```"))
    summary = await compressed(ada, await talked(world, ada))

    assert summary["made_by"] == MADE_BY
    assert "We decided to drop Redis and keep the queue in PostgreSQL." in summary["key_decisions"]
    assert decided not in summary["key_decisions"]
    assert lost(summary, NEEDED) == []


async def test_no_summary_says_the_contrary_of_what_was_said(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    said = (
        "We decided not to sell the boat to the museum.",
        "The lock is 30 metres long and the toll 12 euros.",
    )
    wrong = (
        "We decided to sell the boat to the museum.",
        "The lock is 12 metres long and the toll 30 euros.",
    )
    claims = [(wrong[0], [1]), ("They decided to dismiss Ines Almeida.", [3]), (wrong[1], [3])]
    provider.script(UTILITY, Script(reply=answer(decisions=claims)))
    conversation = await conversation_with(ada, max_tokens=10_000)
    talk = [Spoken(said[0], REPLY), Spoken(said[1], REPLY), *[Spoken("Go on.", REPLY)] * 3]
    await write_rounds(world.db, ada, conversation, talk, model="openai/scripted-fast")
    summary = await compressed(ada, conversation)

    assert summary["made_by"] == MADE_BY
    told = "\n".join(point["text"] for point in summary["points"])
    assert [one in told for one in (*said, *wrong, "Ines Almeida")] == [True, True, False, False, False]
    assert summary["key_decisions"][0] == said[0]


async def test_what_a_summary_costs_is_booked_and_a_spent_budget_is_not_overdrawn(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script(UTILITY, Script(reply=answer(topics=[("A talk about the staging database.", [1])])))
    await compressed(ada, await talked(world, ada))
    sql = "SELECT count(*) FROM spending WHERE purpose = 'summary' AND workspace_id = :workspace"

    assert await world.db.read(lambda tx: tx.value(sql), by=ada.principal) == len(provider.requests(UTILITY))
    await done(ada.client.patch("/api/workspace", json={"settings": {"monthly_limit_usd": 0.0}}))
    asked = len(provider.requests(UTILITY))
    assert (await compressed(ada, await talked(world, ada)))["made_by"] == "extractive"
    assert len(provider.requests(UTILITY)) == asked


@pytest.mark.parametrize("fault", ["fails", "echoes"])
async def test_the_job_that_compresses_by_itself_is_done_although_the_model_is_not(
    world: World, ada: Person, provider: ScriptedProvider, fault: str
) -> None:
    provider.script(UTILITY, BROKEN[fault])
    conversation = await conversation_with(ada, max_tokens=2_000)
    await write_rounds(world.db, ada, conversation, TALK * 4, model="openai/scripted-fast")
    place: dict[str, Any] = {"models": ["openai/scripted-fast"], "conversation_id": conversation}
    for question in ("And now?", "And then?", "And after that?"):
        assert (await ada.ask(question, **place))["replies"][0]["status"] == "done"
        await settled(world)

    current = (await summaries(ada, conversation))["current"]
    assert current["made_by"] == "extractive"
    assert current["watermark"] > 0
