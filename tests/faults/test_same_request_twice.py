"""F9: the same question sent twice is asked once."""

import asyncio

import httpx2
import pytest

from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

BODY = {"message": "Once, please", "models": ["openai/once"], "idempotency_key": "key-1"}


async def rounds_of(world: World, person: Person) -> int:
    sql = "SELECT count(*) FROM rounds WHERE workspace_id = :workspace"
    return await world.db.read(lambda tx: tx.value(sql), by=person.principal)


async def test_twenty_at_once_open_one_round(world: World, ada: Person, provider: ScriptedProvider) -> None:
    answers = await asyncio.gather(*(ada.post("/api/turn", BODY) for _ in range(20)))
    turns = [answer.json() for answer in answers]
    await ada.finished(turns[0])

    assert {answer.status_code for answer in answers} == {202}
    assert len({turn["round"]["id"] for turn in turns}) == 1
    assert len({turn["conversation"]["id"] for turn in turns}) == 1
    assert await rounds_of(world, ada) == 1
    assert len(provider.requests("once")) == 1


async def test_a_lost_answer_is_asked_for_again(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("once", Script(reply="Only once.", tokens_per_second=20))
    with pytest.raises(httpx2.ReadTimeout):
        await ada.post("/api/turn", BODY, timeout=httpx2.Timeout(5, read=0.0001))
    turn = (await ada.post("/api/turn", BODY)).json()
    round_ = await ada.finished(turn)
    late = (await ada.post("/api/turn", BODY)).json()

    assert round_["replies"][0]["content"] == "Only once."
    assert late["round"]["id"] == round_["id"]
    assert await rounds_of(world, ada) == 1
    assert len(provider.requests("once")) == 1


async def test_the_repeated_answer_says_where_the_news_begins(ada: Person) -> None:
    first = (await ada.post("/api/turn", BODY)).json()
    await ada.finished(first)
    again = (await ada.post("/api/turn", BODY)).json()
    round_ = await ada.finished(again)

    assert round_["replies"][0]["status"] == "done"


async def test_a_key_stands_for_one_message(world: World, ada: Person) -> None:
    await ada.finished((await ada.post("/api/turn", BODY)).json())
    for other in ({"message": "Twice"}, {"models": ["openai/another"]}, {"policy": "own"}):
        refused = await ada.post("/api/turn", BODY | other)
        assert refused.status_code == 409
        assert refused.json()["error"]["code"] == "idempotency_key_reused"

    assert await rounds_of(world, ada) == 1


async def test_parallel_requests_with_one_key_and_different_bodies_open_one_round(
    world: World, ada: Person
) -> None:
    bodies = [BODY | {"message": f"Number {number}"} for number in range(10)]
    answers = await asyncio.gather(*(ada.post("/api/turn", body) for body in bodies))

    assert sorted(answer.status_code for answer in answers) == [202] + [409] * 9
    assert await rounds_of(world, ada) == 1


async def test_the_key_may_come_as_a_header(world: World, ada: Person) -> None:
    body = {"message": "Once", "models": ["openai/once"]}
    headers = {"Idempotency-Key": "in-the-header"}
    turns = [(await ada.post("/api/turn", body, headers=headers)).json() for _ in range(2)]

    assert turns[0]["round"]["id"] == turns[1]["round"]["id"]
    assert await rounds_of(world, ada) == 1


async def test_one_persons_key_is_nothing_to_another(world: World, ada: Person) -> None:
    bob = await world.person(like=ada)
    mine = (await ada.post("/api/turn", BODY)).json()
    theirs = (await bob.post("/api/turn", BODY)).json()

    assert mine["round"]["id"] != theirs["round"]["id"]


async def test_one_person_may_use_a_key_in_each_of_their_workspaces(world: World, ada: Person) -> None:
    other = await world.person_elsewhere(ada)
    answers = [await ada.post("/api/turn", BODY), await other.post("/api/turn", BODY)]

    assert [answer.status_code for answer in answers] == [202, 202]
    assert answers[0].json()["round"]["id"] != answers[1].json()["round"]["id"]
