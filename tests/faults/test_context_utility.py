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
TALK = [Spoken(f"{fact.said} What do you make of it?", REPLY) for fact in FACTS[:8]]
#: The last round is left for the next time.
TALK += [Spoken("Is that all?", REPLY)]
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
    monkeypatch.setattr("tertulia.memory.summarise.PATIENCE_SECONDS", 0.5)
    provider.script(UTILITY, Script(reply="word " * 400, tokens_per_second=20))
    summary = await compressed(ada, conversation := await talked(world, ada))

    assert summary["made_by"] == "extractive"
    assert lost(summary, NEEDED) == []
    assert provider.wait_for(lambda: provider.requests(UTILITY)[0].disconnected)
    await check_goes_on(ada, conversation)


async def test_a_model_that_forgets_figures_is_asked_for_them_once_more(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    first = answer(topics=[("They talked about a database and a landlord.", [1, 7])])
    second = answer(entities=[("The staging database listens on 5439.", [1])])
    provider.script(UTILITY, Script(reply=first), Script(reply=second))
    summary = await compressed(ada, await talked(world, ada))

    assert len(provider.requests(UTILITY)) == 2
    assert summary["made_by"] == MADE_BY
    assert lost(summary, NEEDED) == []
    kinds = {point["text"]: point["kind"] for point in summary["points"]}
    assert kinds["The staging database listens on 5439."] == "entity"
    assert "kept" in kinds.values(), "what was lost both times is kept word for word"


async def test_a_model_that_does_its_work_is_named_and_believed(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    decided = "Redis is dropped; the queue stays in PostgreSQL."
    provider.script(UTILITY, Script(reply=f"Here it is:\n```json\n{answer(decisions=[(decided, [5])])}\n```"))
    summary = await compressed(ada, await talked(world, ada))

    assert summary["made_by"] == MADE_BY
    assert decided in summary["key_decisions"]
    assert lost(summary, NEEDED) == []


async def test_what_a_summary_costs_is_booked_and_a_spent_budget_is_not_overdrawn(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script(UTILITY, Script(reply=answer(topics=[("A talk about many things.", [1])])))
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
