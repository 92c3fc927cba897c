"""F9: the same question sent twice is asked once."""

import asyncio
from operator import itemgetter

import httpx2
import pytest

from tests.scripted_provider import Script, ScriptedProvider
from tests.world import Json, Person, World

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


# Every other request that starts paid work keeps the same rule.


async def talked(person: Person, rounds: int = 1) -> Json:
    """Have a conversation with two models, and return its last round."""
    round_ = await person.ask("Hello", models=["openai/once", "anthropic/once"])
    for number in range(1, rounds):
        more = {"conversation_id": round_["conversation_id"], "models": ["openai/once"]}
        round_ = await person.ask(f"Question {number}", **more)
    return round_


def paid_requests(round_: Json) -> dict[str, tuple[str, Json | None, Json | None]]:
    """Return what can be done with a round for money: the path, a body, and another body."""
    first, second = (reply["id"] for reply in round_["replies"])
    model, other = {"model": "openai/once"}, {"model": "anthropic/once"}
    return {
        "merge": (f"/api/rounds/{round_['id']}/merge", model, other),
        "judge": (f"/api/rounds/{round_['id']}/judge", model, other),
        "regenerate": (f"/api/replies/{first}/regenerate", {}, other),
        "edit": (f"/api/rounds/{round_['id']}/edit", {"message": "Anew"}, {"message": "Else"}),
        "again": (f"/api/replies/{second}/regenerate", model, other),
    }


@pytest.mark.parametrize("what", ["merge", "judge", "regenerate", "edit", "again"])
async def test_the_same_paid_request_sent_five_times_is_paid_once(
    ada: Person, provider: ScriptedProvider, what: str
) -> None:
    round_ = await talked(ada)
    path, body, other = paid_requests(round_)[what]
    before, headers = len(provider.requests("once")), {"Idempotency-Key": f"paid-{what}"}
    answers = await asyncio.gather(*(ada.post(path, body, headers=headers) for _ in range(4)))
    # Whoever was answered again hears all of the round, its first end too.
    await ada.finished(max((answer.json() for answer in answers), key=itemgetter("last_event_id")))
    answers.append(await ada.post(path, body, headers=headers))
    refused = await ada.post(path, other, headers=headers)

    assert {answer.status_code for answer in answers} == {202}
    assert len({answer.json()["round"]["id"] for answer in answers}) == 1
    assert len({len(answer.json()["round"]["replies"]) for answer in answers}) == 1
    asked = 2 if what == "edit" else 1
    assert len(provider.requests("once")) - before == asked
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "idempotency_key_reused")


async def test_a_reply_is_continued_once_a_key(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("once", Script(reply="word " * 100, tokens_per_second=50))
    turn = await ada.start("Hello", models=["openai/once"])
    await ada.wait_for(turn, "reply.text")
    await ada.post(f"/api/rounds/{turn['round']['id']}/stop")
    [reply] = (await ada.finished(turn))["replies"]
    provider.script("once", Script(reply="The rest."))
    path, headers = f"/api/replies/{reply['id']}/continue", {"Idempotency-Key": "go-on"}
    first = await ada.post(path, headers=headers)
    await ada.finished(first.json())
    again = await ada.post(path, headers=headers)
    other = await ada.post(f"/api/replies/{reply['id']}/regenerate", {}, headers=headers)

    assert [first.status_code, again.status_code, other.status_code] == [202, 202, 409]
    assert len(again.json()["round"]["replies"]) == 2
    assert len(provider.requests("once")) == 2


async def test_one_key_is_not_for_two_kinds_of_requests(ada: Person) -> None:
    round_ = await talked(ada)
    headers = {"Idempotency-Key": "one-for-all"}
    answers = [
        await ada.post(path, body, headers=headers) for path, body, _ in paid_requests(round_).values()
    ]

    assert [answer.status_code for answer in answers] == [202, 409, 409, 409, 409]


async def test_a_summary_is_made_once_a_key(ada: Person, provider: ScriptedProvider) -> None:
    round_ = await talked(ada, rounds=2)
    path, headers = f"/api/conversations/{round_['conversation_id']}", {"Idempotency-Key": "sum"}
    before = len(provider.requests("scripted-smart"))
    answers = await asyncio.gather(*(ada.post(f"{path}/summary", headers=headers) for _ in range(3)))
    answers.append(await ada.post(f"{path}/summary", headers=headers))
    made = len(provider.requests("scripted-smart"))
    other = await ada.post(f"{path}/compression", headers=headers)

    assert [answer.status_code for answer in answers] == [200] * 4
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert made - before <= 2  # asked once more where its first words cannot be used
    assert (other.status_code, other.json()["error"]["code"]) == (409, "idempotency_key_reused")


async def test_a_program_that_sends_a_completion_again_gets_the_same_one(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("once", Script(reply="Only once."))
    body = {"model": "openai/once", "messages": [{"role": "user", "content": "Once"}]}
    headers = {"Idempotency-Key": "program"}
    answers = [await ada.post("/v1/chat/completions", body, headers=headers) for _ in range(3)]
    refused = await ada.post("/v1/chat/completions", body | {"temperature": 1}, headers=headers)

    assert [answer.status_code for answer in answers] == [200] * 3
    assert len({answer.json()["id"] for answer in answers}) == 1
    assert {answer.json()["choices"][0]["message"]["content"] for answer in answers} == {"Only once."}
    assert len({answer.headers["X-Tertulia-Conversation"] for answer in answers}) == 1
    assert refused.status_code == 409
    assert await rounds_of(world, ada) == 1
    assert len(provider.requests("once")) == 1


async def test_a_note_to_a_model_at_work_is_told_once_a_key(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("once", Script(reply="word " * 100, tokens_per_second=50))
    turn = await ada.start("Hello", models=["openai/once"])
    await ada.wait_for(turn, "reply.text")
    path, headers = f"/api/rounds/{turn['round']['id']}/steer", {"Idempotency-Key": "note"}
    notes = [(await ada.post(path, {"text": "Shorter"}, headers=headers)).json() for _ in range(3)]
    refused = await ada.post(path, {"text": "Longer"}, headers=headers)
    await ada.post(f"/api/rounds/{turn['round']['id']}/stop")
    [reply] = (await ada.finished(turn))["replies"]

    assert notes[0] == notes[1] == notes[2]
    assert refused.status_code == 409
    assert [note["text"] for note in reply["notes"]] == ["Shorter"]
