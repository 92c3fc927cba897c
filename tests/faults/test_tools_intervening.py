"""People step in while models work with tools: at any moment, and each time with a defined end."""

import asyncio
import json
from typing import Any

import pytest

from tertulia.tools.domain import Effect
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider
from tests.scripted_provider.script import ScriptedUsage
from tests.search_world import until
from tests.tools_world import SendLetter, give_letters
from tests.world import Json, Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

MODELS = ["openai/worker", "anthropic/worker", "google/worker"]
LETTER = ScriptedCall(name="send_letter", arguments='{"text": "Dear Ada"}')
READ = ScriptedCall(name="read_letter", arguments='{"text": "Dear Ada"}')
SECRET_WORD = "Mention the lighthouse."


class ReadLetter(SendLetter):
    """A tool that only looks, and can be held up."""

    name = "read_letter"
    effect = Effect.READ


@pytest.fixture
def letters(world: World) -> SendLetter:
    return give_letters(world)


@pytest.fixture
def reading(world: World) -> SendLetter:
    return give_letters(world, ReadLetter())


async def standing(person: Person, turn: Json, call: str, *, lane: int = 0) -> Json:
    """Wait until some call of a reply stands as it should, and return the reply."""
    path = f"/api/conversations/{turn['conversation']['id']}"

    async def look() -> Json | None:
        reply = (await person.get(path)).json()["rounds"][-1]["replies"][lane]
        return reply if call in [one["status"] for one in reply["tool_calls"]] else None

    return await until(look)


async def waiting(person: Person, turn: Json, *, lane: int = 0) -> Json:
    """Wait until a reply has nothing to do but wait for a yes."""

    async def look() -> Json | None:
        reply = await standing(person, turn, "waiting", lane=lane)
        return reply if reply["status"] == "waiting" else None

    return await until(look)


async def decide(person: Person, reply: Json, place: int = 0, **decision: Any) -> Any:
    call = reply["tool_calls"][place]["id"]
    return await person.post(f"/api/replies/{reply['id']}/calls/{call}/decision", decision)


async def steer(person: Person, reply: Json, text: str = SECRET_WORD) -> Any:
    return await person.post(f"/api/replies/{reply['id']}/steer", {"text": text})


def sent(provider: ScriptedProvider, model: str = "worker") -> list[str]:
    return [json.dumps(one.body, ensure_ascii=False) for one in provider.requests(model)]


@pytest.mark.parametrize("model", MODELS)
async def test_stopped_before_the_first_word_no_tool_runs(
    ada: Person, provider: ScriptedProvider, reading: SendLetter, model: str
) -> None:
    provider.script("worker", Script(reply="", tool_calls=[READ], first_token_seconds=0.4))
    turn = await ada.start("Read", models=[model])
    await ada.wait_for(turn, "reply.started")
    await ada.post(f"/api/replies/{turn['round']['replies'][0]['id']}/stop")
    reply = (await ada.finished(turn))["replies"][0]
    assert (reply["status"], reply["tool_calls"], reading.sent) == ("stopped", [], [])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("tool", "call", "ends"), [(ReadLetter, READ, "stopped"), (SendLetter, LETTER, "unknown")]
)
async def test_stopped_during_a_call_it_ends_at_once(  # noqa: PLR0917 - each of these is a fixture or a case
    world: World,
    ada: Person,
    provider: ScriptedProvider,
    model: str,
    tool: type[SendLetter],
    call: ScriptedCall,
    ends: str,
) -> None:
    letters = give_letters(world, tool())
    letters.may_end.clear()
    provider.script("worker", Script(reply="", tool_calls=[call]), Script(reply="Never."))
    turn = await ada.start("Do it", models=[model])
    if ends == "unknown":
        await decide(ada, await waiting(ada, turn), approve=True)
    reply = await standing(ada, turn, "running")
    await until(lambda: asyncio.sleep(0, letters.sent))
    await ada.post(f"/api/replies/{reply['id']}/stop")
    async with asyncio.timeout(2):
        reply = (await ada.finished(turn))["replies"][0]
    assert (reply["status"], [one["status"] for one in reply["tool_calls"]]) == ("stopped", [ends])
    assert reply["usage"]["input"] > 0
    assert len(provider.requests("worker")) == 1
    assert len(letters.sent) == 1


async def test_stopped_after_a_call_what_it_gave_is_kept(
    ada: Person, provider: ScriptedProvider, reading: SendLetter
) -> None:
    slow = Script(reply="one two three four " * 50, tokens_per_second=40)
    provider.script("worker", Script(reply="", tool_calls=[READ]), slow)
    turn = await ada.start("Read", models=["openai/worker"])
    await ada.wait_for(turn, "reply.text")
    await ada.post(f"/api/replies/{turn['round']['replies'][0]['id']}/stop")
    reply = (await ada.finished(turn))["replies"][0]
    assert (reply["status"], reply["tool_calls"][0]["status"]) == ("stopped", "done")
    assert reply["tool_calls"][0]["result"] == "Sent: Dear Ada"


@pytest.mark.parametrize("model", MODELS)
async def test_a_word_during_a_call_reaches_the_next_step_once(
    ada: Person, provider: ScriptedProvider, reading: SendLetter, model: str
) -> None:
    reading.may_end.clear()
    provider.script("worker", Script(reply="", tool_calls=[READ]), Script(reply="Read."))
    turn = await ada.start("Read", models=[model])
    reply = await standing(ada, turn, "running")
    assert (await steer(ada, reply)).status_code == 202
    reading.may_end.set()
    done = (await ada.finished(turn))["replies"][0]

    assert [body.count(SECRET_WORD) for body in sent(provider)] == [0, 1]
    assert [(note["text"], note["taken"]) for note in done["notes"]] == [(SECRET_WORD, True)]
    assert (await steer(ada, done)).status_code == 409


async def test_words_at_every_step_stay_where_they_were_said(
    ada: Person, provider: ScriptedProvider, reading: SendLetter, letters: SendLetter
) -> None:
    reading.may_end.clear()
    provider.script(
        "worker",
        Script(reply="", tool_calls=[READ]),
        Script(reply="", tool_calls=[LETTER], always_calls=True),
        Script(reply="All done."),
    )
    turn = await ada.start("Read, then write", models=["openai/worker"])
    await steer(ada, await standing(ada, turn, "running"), "First word.")
    reading.may_end.set()
    reply = await waiting(ada, turn)
    await steer(ada, reply, "Second word.")
    await decide(ada, reply, 1, approve=True)
    done = (await ada.finished(turn))["replies"][0]

    bodies = sent(provider)
    assert [body.count("First word.") for body in bodies] == [0, 1, 1]
    assert [body.count("Second word.") for body in bodies] == [0, 0, 1]
    assert [note["taken"] for note in done["notes"]] == [True, True]
    assert letters.sent == ["Dear Ada"]


async def test_a_word_to_all_reaches_those_that_still_work(
    ada: Person, provider: ScriptedProvider, reading: SendLetter
) -> None:
    reading.may_end.clear()
    provider.script("worker", Script(reply="", tool_calls=[READ]), Script(reply="Read."))
    provider.script("other", Script(reply="", tool_calls=[READ]), Script(reply="Read too."))
    provider.script("quick", Script(reply="Done already."))
    turn = await ada.start("Read", models=["openai/worker", "anthropic/other", "openai/quick"])
    await standing(ada, turn, "running", lane=0)
    await standing(ada, turn, "running", lane=1)
    await ada.wait_for(turn, "reply.closed")
    told = await ada.post(f"/api/rounds/{turn['round']['id']}/steer", {"text": SECRET_WORD})
    assert len(told.json()["notes"]) == 2
    reading.may_end.set()
    await ada.finished(turn)
    for worker in ("worker", "other"):
        assert [body.count(SECRET_WORD) for body in sent(provider, worker)] == [0, 1]
    assert SECRET_WORD not in "".join(sent(provider, "quick"))
    late = await ada.post(f"/api/rounds/{turn['round']['id']}/steer", {"text": SECRET_WORD})
    assert late.json()["error"]["code"] == "not_at_work"


async def test_no_word_is_lost_however_early_it_is_said(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("worker", Script(reply="Hello.", first_token_seconds=0.4))

    async def told(number: int) -> Json:
        turn = await ada.start(f"Hello {number}", models=["openai/worker"])
        assert (await steer(ada, turn["round"]["replies"][0])).status_code == 202
        return (await ada.finished(turn))["replies"][0]

    for reply in await asyncio.gather(*map(told, range(6))):
        assert [(note["text"], note["taken"]) for note in reply["notes"]] == [(SECRET_WORD, True)]
    assert sorted(body.count(SECRET_WORD) for body in sent(provider)) == [0] * 6 + [1] * 6


async def test_two_answers_at_once_and_one_counts(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    provider.script("worker", Script(reply="", tool_calls=[LETTER]), Script(reply="So be it."))
    turn = await ada.start("Write", models=["openai/worker"])
    reply = await waiting(ada, turn)
    answers = await asyncio.gather(
        decide(ada, reply, approve=True),
        decide(ada, reply, approve=False),
        decide(ada, reply, approve=True, arguments='{"text": "Other"}'),
    )
    assert sorted(one.status_code for one in answers) == [200, 409, 409]
    await ada.finished(turn)
    assert len(letters.sent) == (0 if answers[1].status_code == 200 else 1)


async def test_an_answer_while_its_neighbour_still_runs_counts_and_the_reply_can_be_stopped_after(
    ada: Person, provider: ScriptedProvider, reading: SendLetter, letters: SendLetter
) -> None:
    reading.may_end.clear()
    letters.may_end.clear()
    provider.script("worker", Script(reply="", tool_calls=[READ, LETTER]), Script(reply="Never."))
    turn = await ada.start("Both", models=["openai/worker"])
    reply = await standing(ada, turn, "waiting")
    assert (await decide(ada, reply, 1, approve=True)).status_code == 200
    assert letters.sent == []
    reading.may_end.set()
    await until(lambda: asyncio.sleep(0, letters.sent))
    await ada.post(f"/api/replies/{reply['id']}/stop")
    async with asyncio.timeout(2):
        stopped = (await ada.finished(turn))["replies"][0]
    assert [one["status"] for one in stopped["tool_calls"]] == ["done", "unknown"]
    assert (stopped["status"], letters.sent, reading.sent) == ("stopped", ["Dear Ada"], ["Dear Ada"])


async def test_others_go_on_while_one_waits_and_it_takes_nobodys_place(
    world: World, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    provider.script("worker", Script(reply="", tool_calls=[LETTER]), Script(reply="Sent."))
    provider.script("quick", Script(reply="Done already."))
    limited = await ada.client.patch("/api/workspace", json={"settings": {"lanes_per_person": 2}})
    assert limited.status_code == 200, limited.text
    turn = await ada.start("Write", models=["openai/worker", "openai/quick"])
    reply = await waiting(ada, turn)
    closed = await ada.wait_for(turn, "reply.closed")
    assert closed["reply"]["content"] == "Done already."

    both = await ada.ask("More", models=["openai/quick", "anthropic/quick"])
    assert [one["status"] for one in both["replies"]] == ["done", "done"]
    await decide(ada, reply, approve=True)
    assert (await ada.finished(turn))["replies"][0]["status"] == "done"


async def test_deleting_a_conversation_ends_what_waits_in_it(
    world: World, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    provider.script("worker", Script(reply="", tool_calls=[LETTER]), Script(reply="Never."))
    turn = await ada.start("Write", models=["openai/worker"])
    reply = await waiting(ada, turn)
    assert (await ada.delete(f"/api/conversations/{turn['conversation']['id']}")).status_code == 204
    assert (await decide(ada, reply, approve=True)).status_code == 404
    for table in ("tool_runs", "tool_steps", "runs"):
        sql = f"SELECT count(*) FROM {table} WHERE workspace_id = :workspace"
        assert await world.db.read(lambda tx, sql=sql: tx.value(sql), by=ada.principal) == 0
    assert letters.sent == []
    assert len(provider.requests("worker")) == 1


async def test_a_model_that_goes_on_and_on_overshoots_a_budget_by_one_step_at_most(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    limit, step = 0.065, 0.0305
    limited = await ada.client.patch("/api/workspace", json={"settings": {"monthly_limit_usd": limit}})
    assert limited.status_code == 200, limited.text
    searches = [ScriptedCall(name="search_project", arguments=f'{{"query": "{n}"}}') for n in range(8)]
    # More than the prompt has by our count, which is charged where less is reported of a cut-off reply.
    usage = ScriptedUsage(input=4_000, output=2_048)
    scripts = [Script(reply="", tool_calls=[one], always_calls=True, usage=usage) for one in searches]
    provider.script("gpt-4o", *scripts, Script(reply="Done.", usage=usage))
    reply = (await ada.ask("Search", models=["openai/gpt-4o"]))["replies"][0]

    assert reply["error"]["code"] == "spending_limit_reached"
    assert len(provider.requests("gpt-4o")) == 3
    assert [call["status"] for call in reply["tool_calls"]] == ["done"] * 3
    sql = "SELECT sum(cost) FROM spending WHERE workspace_id = :workspace"
    assert 3 * step * 0.9 < await world.db.read(lambda tx: tx.value(sql), by=ada.principal) < limit + step


async def test_who_lost_a_reply_to_another_worker_neither_tells_nor_goes_on(
    world: World, ada: Person, provider: ScriptedProvider, reading: SendLetter
) -> None:
    reading.may_end.clear()
    provider.script("worker", Script(reply="", tool_calls=[READ]), Script(reply="Never."))
    turn = await ada.start("Read", models=["openai/worker"])
    reply = await standing(ada, turn, "running")
    lost = "UPDATE runs SET worker = 'another', lease_until = 0 WHERE reply_id = :id"
    await world.db.write(lambda tx: tx.run(lost, id=reply["id"]), by=None)
    reading.may_end.set()
    ended = (await ada.finished(turn))["replies"][0]

    assert (ended["status"], ended["error"]["code"]) == ("failed", "server_stopped")
    assert [call["status"] for call in ended["tool_calls"]] == ["stopped"]
    assert len(provider.requests("worker")) == 1


async def test_what_a_reply_cost_before_it_waited_is_counted_when_it_cannot_go_on(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    used = ScriptedUsage(input=100, output=2_048)
    provider.script("gpt-4o", Script(reply="", tool_calls=[LETTER], usage=used))
    turn = await ada.start("Send it", models=["openai/gpt-4o"])
    reply = await waiting(ada, turn)
    await ada.client.patch("/api/workspace", json={"settings": {"monthly_limit_usd": 0.01}})

    await decide(ada, reply, approve=True)

    ended = (await ada.finished(turn))["replies"][0]
    assert (ended["error"]["code"], letters.sent) == ("spending_limit_reached", [])
    assert (ended["usage"], ended["cost"]) == (reply["usage"], reply["cost"])
    assert ended["cost"] > 0.01
    assert (await ada.post("/api/turn", {"message": "More", "models": ["openai/gpt-4o"]})).status_code == 402
