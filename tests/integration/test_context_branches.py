"""Summaries and branches: each branch keeps its own, whatever is made or undone on another."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from tests.context_world import compressed, conversation_with, done, plan_for, set_flags, settled, summaries
from tests.long_talk import FACTS, talk
from tests.scripted_provider import Script, ScriptedProvider, ScriptedUsage
from tests.search_world import indexed
from tests.world import Json, Person, World
from tests.written_rounds import write_rounds

from tertulia.entities.service import read_new_messages

MODEL = "openai/scripted-smart"
#: Words that were said nowhere, so that nothing is found for them.
ABOUT_NOTHING = "Zyzzyva xylograph?"
#: Nothing is learnt from it: how a model counts decides how much its prompts hold.
INCREDIBLE_USAGE = ScriptedUsage(input=1, output=1)


@pytest.fixture
async def world(tmp_path: Path, provider: ScriptedProvider) -> AsyncGenerator[World]:
    async with World.open(tmp_path / "data", provider=provider, TERTULIA_BUILTIN_MODEL="off") as world:
        yield world


class Talk:
    """A conversation of two branches that part after its tenth round."""

    def __init__(
        self, world: World, person: Person, provider: ScriptedProvider, id_: str, questions: list[str]
    ) -> None:
        self.world, self.person, self.provider = world, person, provider
        self.id, self.questions = id_, questions

    @classmethod
    async def begun(cls, world: World, person: Person, provider: ScriptedProvider) -> "Talk":
        await set_flags(person, summary_frequency=0)
        id_ = await conversation_with(person, max_tokens=10_000)
        said = talk(rounds=20, facts=FACTS[:8], last=2)
        questions = await write_rounds(world.db, person, id_, said)
        await read_new_messages(world.db, id_, by=person.principal)
        return cls(world, person, provider, id_, questions)

    async def ask_after(self, question_id: str, rounds: int) -> Json:
        """Ask some questions on a branch of their own, and return its last round."""
        round_: Json = {}
        for spoken in talk(rounds=rounds, facts=[], last=0, seed=7):
            self.provider.script("scripted-smart", Script(reply=spoken.answer, usage=INCREDIBLE_USAGE))
            round_ = await self.person.ask(
                spoken.question, models=[MODEL], conversation_id=self.id, parent_id=question_id
            )
            question_id = round_["question"]["id"]
        await settled(self.world, "entities")
        return round_

    async def show(self, round_id: str) -> None:
        await done(self.person.put(f"/api/conversations/{self.id}/head", {"round_id": round_id}))

    async def head(self) -> str:
        page = await done(self.person.get(f"/api/conversations/{self.id}"))
        return page["rounds"][-1]["id"]

    async def undo(self) -> Json:
        return await done(self.person.delete(f"/api/conversations/{self.id}/compression"))

    async def hash(self) -> str:
        """Return the hash of a prompt once all that was said can be found."""
        await indexed(self.world, meanings=False)
        return (await plan_for(self.person, self.id, ABOUT_NOTHING, model=MODEL))["hash"]


@pytest.fixture
async def two(world: World, ada: Person, provider: ScriptedProvider) -> Talk:
    return await Talk.begun(world, ada, provider)


async def test_undoing_on_one_branch_leaves_the_newer_compression_of_another(two: Talk) -> None:
    main, before = await two.head(), await two.hash()
    await compressed(two.person, two.id)
    beside = (await two.ask_after(two.questions[9], 6))["id"]
    kept = await compressed(two.person, two.id)
    there = await two.hash()

    await two.show(main)
    await two.undo()
    assert await two.hash() == before, "every byte is as it was"
    await two.show(beside)
    assert (await summaries(two.person, two.id))["current"]["id"] == kept["id"]
    assert await two.hash() == there


async def test_undoing_takes_back_its_own_branch_where_another_is_compressed_as_far(two: Talk) -> None:
    main = await two.head()
    mark = (await compressed(two.person, two.id))["watermark"]
    there = await two.hash()
    await two.ask_after(two.questions[9], 10)
    before = await two.hash()
    assert (await compressed(two.person, two.id))["watermark"] == mark

    assert (await two.undo())["current"] is None
    assert await two.hash() == before
    await two.show(main)
    assert (await summaries(two.person, two.id))["current"]["watermark"] == mark
    assert await two.hash() == there


async def test_a_summary_of_rounds_that_branches_share_shortens_no_longer_one(two: Talk) -> None:
    main = await two.head()
    longer = await compressed(two.person, two.id)
    there = await two.hash()
    await two.ask_after(two.questions[9], 1)
    shared = await compressed(two.person, two.id)
    assert (shared["round_number"], longer["round_number"]) == (10, 19)

    await two.show(main)
    assert (await summaries(two.person, two.id))["current"]["id"] == longer["id"]
    assert await two.hash() == there


async def test_undoing_takes_back_what_was_summarised_on_top_of_it(world: World, two: Talk) -> None:
    before = await two.hash()
    await compressed(two.person, two.id)
    [first] = (await summaries(two.person, two.id))["history"]
    await set_flags(two.person, summary_frequency=1)
    await two.ask_after(two.questions[-1], 3)
    await settled(world)
    assert (await summaries(two.person, two.id))["current"]["id"] != first["id"]

    assert (await two.undo())["current"] is None
    shown = await plan_for(two.person, two.id, ABOUT_NOTHING, model=MODEL, parent_id=two.questions[-1])
    assert shown["hash"] == before


async def test_what_was_undone_on_one_branch_does_not_hold_another_up(
    world: World, two: Talk, ada: Person
) -> None:
    await compressed(ada, two.id)
    await two.undo()
    await done(ada.put(f"/api/conversations/{two.id}", {"context": {"max_tokens": 1_500}}))
    await two.ask_after(two.questions[9], 2)
    await settled(world)
    current = (await summaries(ada, two.id))["current"]
    assert current is not None
    assert current["watermark"] > 0


async def test_each_point_leads_to_the_rounds_where_it_was_said(two: Talk) -> None:
    path = f"/api/conversations/{two.id}"
    page = await done(two.person.get(f"{path}?limit=200"))
    made = await compressed(two.person, two.id)
    ids = {round_["number"]: round_["id"] for round_ in page["rounds"]}
    assert made["points"]
    for point in made["points"]:
        assert point["round_ids"] == [ids[number] for number in point["rounds"]]

    await two.ask_after(two.questions[9], 1)
    shown = await summaries(two.person, two.id)
    assert shown["history"][0]["points"] == made["points"], "also where they are on another branch"
    await two.show(page["rounds"][-1]["id"])
    assert (await done(two.person.get(f"{path}/context")))["summary"]["points"] == made["points"]
