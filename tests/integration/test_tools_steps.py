"""Models work in many steps: what each did is kept, told in order, and paid for; every limit says why."""

import json
from collections.abc import AsyncGenerator
from typing import Any

import pytest
from tests.scripted_provider import Fault, Script, ScriptedCall, ScriptedProvider
from tests.scripted_provider.script import ScriptedUsage
from tests.search_world import until
from tests.tools_world import Letter, SendLetter, give_letters
from tests.world import Json, Person, World

from tertulia.agents.loop_limits import LoopLimits
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput

MODELS = ["openai/worker", "anthropic/worker", "google/worker"]
LOOK = ScriptedCall(name="list_project_files")
FIND = ScriptedCall(name="search_project", arguments='{"query": "lighthouse"}')
LETTER = ScriptedCall(name="send_letter", arguments='{"text": "Dear Ada"}')


class ReadLetter(SendLetter):
    """A tool that only looks, and can be held up."""

    name = "read_letter"
    effect = Effect.READ


class HugeLetter(ReadLetter):
    """Gives ten million characters."""

    async def run(self, arguments: Letter, caller: ToolCaller) -> ToolOutput:
        return ToolOutput("".join(f"line {number} of a letter\n" for number in range(600_000)))


READ = ScriptedCall(name="read_letter", arguments='{"text": "Dear Ada"}')


@pytest.fixture
def letters(world: World) -> SendLetter:
    return give_letters(world)


async def reply_in(person: Person, turn: Json, *, lane: int = 0) -> Json:
    path = f"/api/conversations/{turn['conversation']['id']}"
    return (await person.get(path)).json()["rounds"][-1]["replies"][lane]


async def standing(person: Person, turn: Json, status: str, *, call: str = "", lane: int = 0) -> Json:
    """Wait until a reply, and a call of it, stand as they should, and return it."""

    async def look() -> Json | None:
        reply = await reply_in(person, turn, lane=lane)
        calls = [one["status"] for one in reply["tool_calls"]]
        return reply if reply["status"] == status and (not call or call in calls) else None

    return await until(look)


async def decide(person: Person, reply: Json, place: int = 0, **decision: Any) -> Any:
    call = reply["tool_calls"][place]["id"]
    return await person.post(f"/api/replies/{reply['id']}/calls/{call}/decision", decision)


def sent(provider: ScriptedProvider, place: int = -1) -> str:
    return json.dumps(provider.requests("worker")[place].body, ensure_ascii=False)


@pytest.mark.parametrize("model", MODELS)
async def test_steps_and_calls_at_once_are_kept_in_order_and_paid_for_together(
    ada: Person, provider: ScriptedProvider, model: str
) -> None:
    provider.script(
        "worker",
        Script(reply="Let me look.", tool_calls=[LOOK, FIND], usage=ScriptedUsage(input=100, output=10)),
        Script(
            reply="One more.",
            tool_calls=[ScriptedCall(name="search_project", arguments='{"query": "boats"}')],
            always_calls=True,
            usage=ScriptedUsage(input=200, output=20),
        ),
        Script(reply="Nothing there.", usage=ScriptedUsage(input=300, output=30)),
    )
    reply = (await ada.ask("What is there?", models=[model]))["replies"][0]

    assert reply["status"] == "done"
    assert reply["content"] == "Let me look.\n\nOne more.\n\nNothing there."
    calls = reply["tool_calls"]
    assert [(call["name"], call["step"]) for call in calls] == [
        ("list_project_files", 0),
        ("search_project", 0),
        ("search_project", 1),
    ]
    assert [call["at"] for call in calls] == [12, 12, 23]
    assert all(call["status"] == "done" and call["result"] and call["ms"] is not None for call in calls)
    assert len({call["id"] for call in calls}) == 3
    assert (reply["usage"]["input"], reply["usage"]["output"]) == (600, 60)
    assert not reply["usage"]["estimated"]


async def test_what_was_used_before_a_yes_and_after_it_adds_up(
    world: World, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    provider.script(
        "worker",
        Script(reply="", tool_calls=[LETTER], usage=ScriptedUsage(input=100, output=10)),
        Script(reply="Sent.", usage=ScriptedUsage(input=200, output=20)),
    )
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    reply = await standing(ada, turn, "waiting")
    assert (reply["usage"]["input"], reply["usage"]["estimated"]) == (100, False)
    await decide(ada, reply, approve=True)
    done = (await ada.finished(turn))["replies"][0]

    assert (done["usage"]["input"], done["usage"]["output"], done["usage"]["estimated"]) == (300, 30, False)
    sql = "SELECT sum(input) FROM spending WHERE workspace_id = :workspace AND purpose = 'answer'"
    assert await world.db.read(lambda tx: tx.value(sql), by=ada.principal) == 300
    receipt = await ada.get(f"/api/replies/{reply['id']}/receipt")
    assert receipt.status_code == 200, receipt.text


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("call", "told"),
    [
        (ScriptedCall(name="no_such_tool", arguments='{"a": 1}'), "There is no tool called"),
        (ScriptedCall(name="search_project", arguments='{"query": 7, "kinds": 3}'), "cannot be used"),
    ],
    ids=["unknown", "malformed"],
)
async def test_a_call_that_makes_no_sense_fails_and_the_model_goes_on(
    ada: Person, provider: ScriptedProvider, model: str, call: ScriptedCall, told: str
) -> None:
    provider.script("worker", Script(reply="", tool_calls=[call]), Script(reply="Then without."))
    reply = (await ada.ask("What is there?", models=[model]))["replies"][0]

    assert (reply["status"], reply["content"]) == ("done", "Then without.")
    assert [one["status"] for one in reply["tool_calls"]] == ["failed"]
    assert told in reply["tool_calls"][0]["result"]
    assert told in sent(provider)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (400, "registry.example/library/gemma:latest does not support tools"),
        (404, "No endpoints found that support tool use."),
    ],
)
async def test_a_model_that_refuses_tools_gets_them_in_blocks_from_then_on(
    ada: Person, provider: ScriptedProvider, status: int, message: str
) -> None:
    refusal = Fault(kind="status", status=status, message=message)
    block = '```tool\n{"name": "list_project_files", "arguments": {}}\n```\n'
    answer = Script(reply="Nothing is there.")
    provider.script("worker", Script(reply="", fault=refusal), Script(reply=block), answer, answer)
    reply = (await ada.ask("What is there?", models=["openai/worker"]))["replies"][0]

    assert (reply["status"], reply["content"]) == ("done", "Nothing is there.")
    assert [(call["name"], call["status"]) for call in reply["tool_calls"]] == [
        ("list_project_files", "done")
    ]
    await ada.ask("And now?", models=["openai/worker"])
    assert ["tools" in one.body for one in provider.requests("worker")] == [True, False, False, False]


@pytest.mark.parametrize("model", MODELS)
async def test_a_result_of_ten_megabytes_is_cut_and_says_so(
    world: World, ada: Person, provider: ScriptedProvider, model: str
) -> None:
    give_letters(world, HugeLetter())
    provider.script("worker", Script(reply="", tool_calls=[READ]), Script(reply="That was long."))
    reply = (await ada.ask("Read it", models=[model]))["replies"][0]

    assert (reply["status"], reply["tool_calls"][0]["status"]) == ("done", "done")
    assert len(reply["tool_calls"][0]["result"]) <= 4_000
    assert f"[Cut: of {reply['tool_calls'][0]['length']:,} characters" in sent(provider)
    assert len(sent(provider)) < 60_000


@pytest.mark.parametrize("model", MODELS)
async def test_what_was_cut_is_kept_for_the_person_and_the_model_can_read_on_in_it(
    world: World, ada: Person, provider: ScriptedProvider, model: str
) -> None:
    give_letters(world, HugeLetter())
    wanted = [{"offset": 7_000_000}, {"find": "LINE 333333 "}, {"offset": 99_000_000}, {"call": "another"}]
    reading = [
        ScriptedCall(name="read_tool_result", arguments=json.dumps({"call": "huge"} | one)) for one in wanted
    ]
    provider.script(
        "worker",
        Script(reply="", tool_calls=[ScriptedCall(name="read_letter", arguments=READ.arguments, id="huge")]),
        Script(reply="", tool_calls=reading, always_calls=True),
        Script(reply="That was long."),
    )
    reply = (await ada.ask("Read it", models=[model]))["replies"][0]
    cut, part, places, beyond, another = reply["tool_calls"]

    assert "read_tool_result(call='huge', offset=" in sent(provider, 1)
    assert "7000000-7016000 of " in part["result"]
    assert "line 333333 of a letter" in places["result"]
    assert places["result"].count("At ") == 1
    assert (beyond["status"], another["status"]) == ("failed", "failed")
    whole = await ada.get(f"/api/replies/{reply['id']}/calls/huge/result")
    assert len(whole.text) == cut["length"] > 10_000_000
    assert whole.headers["content-type"].startswith("text/plain")


async def test_nobody_else_reads_what_a_tool_gave(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    provider.script("worker", Script(reply="", tool_calls=[LOOK]), Script(reply="Nothing."))
    reply = (await ada.ask("What is there?", models=["openai/worker"]))["replies"][0]
    path = f"/api/replies/{reply['id']}/calls/{reply['tool_calls'][0]['id']}/result"

    assert (await ada.get(path)).text == reply["tool_calls"][0]["result"]
    assert (await ada.get(path.replace("/calls/", "/calls/no-"))).status_code == 404
    bea = await world.person(like=ada)
    assert (await bea.get(path)).status_code == 404


@pytest.mark.parametrize("model", MODELS)
async def test_a_model_that_asks_the_same_for_ever_is_asked_to_answer(
    ada: Person, provider: ScriptedProvider, model: str
) -> None:
    provider.script("worker", Script(reply="Hm.", tool_calls=[LOOK], always_calls=True))
    turn = await ada.start("Look", models=[model])
    said = await ada.wait_for(turn, "reply.status", code="tool_calls_repeated")
    reply = (await ada.finished(turn))["replies"][0]

    assert "answer with what it has" in said["message"]
    assert reply["status"] == "done"
    assert [one["status"] for one in reply["tool_calls"]] == ["done", "done", "failed", "failed"]
    assert len(provider.requests("worker")) == 5


async def test_a_model_that_never_has_enough_is_asked_to_answer(
    ada: Person, provider: ScriptedProvider
) -> None:
    steps = [
        Script(
            reply="",
            tool_calls=[
                ScriptedCall(name="search_project", arguments=json.dumps({"query": f"try {number}"}))
            ],
            always_calls=True,
        )
        for number in range(LoopLimits().max_steps)
    ]
    provider.script("worker", *steps, Script(reply="Enough."))
    turn = await ada.start("Search", models=["openai/worker"])
    await ada.wait_for(turn, "reply.status", code="tool_steps_used_up")
    reply = (await ada.finished(turn))["replies"][0]

    assert (reply["status"], reply["content"]) == ("done", "Enough.")
    assert len(reply["tool_calls"]) == LoopLimits().max_steps


async def test_a_change_that_time_cut_off_is_not_known_to_have_happened(
    world: World,
    ada: Person,
    provider: ScriptedProvider,
    letters: SendLetter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tertulia.turns.streaming.LoopLimits", lambda: LoopLimits(max_seconds=0.3))
    letters.may_end.clear()
    provider.script("worker", Script(reply="", tool_calls=[LETTER]), Script(reply="Not sure."))
    turn = await ada.start("Write", models=["openai/worker"])
    await decide(ada, await standing(ada, turn, "waiting"), approve=True)
    await ada.wait_for(turn, "reply.status", code="tool_time_used_up")
    reply = (await ada.finished(turn))["replies"][0]

    assert (reply["status"], reply["tool_calls"][0]["status"]) == ("done", "unknown")
    assert letters.sent == ["Dear Ada"]


@pytest.mark.parametrize("model", MODELS)
async def test_each_call_is_told_from_its_start_over_what_it_says_to_its_end(
    world: World, ada: Person, provider: ScriptedProvider, model: str
) -> None:
    give_letters(world, ReadLetter())
    provider.script("worker", Script(reply="Wait.", tool_calls=[READ]), Script(reply="Read."))
    turn = await ada.start("Read it", models=[model])
    await ada.finished(turn)
    heard = [event async for event in heard_all(ada, turn, after=turn["last_event_id"])]

    told = [
        event["call"]["status"] if event["type"] == "reply.tool_call" else "output"
        for event in heard
        if event["type"] in ("reply.tool_call", "reply.tool_output")
    ]
    assert told == ["running", "output", "done"]
    middle = next(event["seq"] for event in heard if event["type"] == "reply.tool_output")
    rest = [event async for event in heard_all(ada, turn, after=middle)]
    assert rest == [event for event in heard if event["seq"] > middle]


async def heard_all(person: Person, turn: Json, *, after: int) -> AsyncGenerator[Json]:
    async for event in person.events(turn["conversation"]["id"], after=after):
        yield event
        if event["type"] == "round.closed":
            return


async def test_calls_are_exported_and_come_back_the_same(ada: Person, provider: ScriptedProvider) -> None:
    wrong = ScriptedCall(name="no_such_tool", arguments='{"text": "*not* _markup_"}')
    provider.script("worker", Script(reply="", tool_calls=[LOOK, wrong]), Script(reply="Nothing there."))
    turn = await ada.start("Look", models=["openai/worker"])
    calls = (await ada.finished(turn))["replies"][0]["tool_calls"]
    whole, written = await exported(ada, turn["conversation"]["id"])
    assert r"list\_project\_files" in written
    assert calls[1]["result"] in written
    assert [call["name"] for call in calls] == ["list_project_files", "no_such_tool"]

    added = (await ada.post("/api/conversations/import", whole)).json()
    again = (await ada.get(f"/api/conversations/{added['id']}")).json()["rounds"][0]["replies"][0]
    assert again["tool_calls"] == [call | {"asked_by": ""} for call in calls]
    assert (await exported(ada, added["id"]))[0]["rounds"] == whole["rounds"]


async def exported(person: Person, conversation_id: str) -> tuple[Json, str]:
    path = f"/api/conversations/{conversation_id}/export"
    whole = await person.post(path, {"format": "json"})
    return whole.json(), (await person.post(path, {"format": "markdown"})).text
