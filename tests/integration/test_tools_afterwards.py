"""What is known of tools afterwards: when a reply is gone on with, in the next round, and by people."""

import asyncio
import json

import pytest
from tests.clocks import DAY_MS, Machine
from tests.context_world import compressed
from tests.files_world import Shelf
from tests.integration.test_tools_steps import standing
from tests.integration.test_tools_turns import LETTER, LOOK, MODELS, decide, said_to, waiting, works
from tests.scripted_provider import Script, ScriptedCall, ScriptedProvider, ScriptedUsage
from tests.search_world import indexed, until
from tests.tools_world import SendLetter, give_letters
from tests.world import Json, Person, World

UNKNOWN = "whether it ran is not known"


@pytest.fixture
def letters(world: World) -> SendLetter:
    return give_letters(world)


async def cut_off(person: Person, provider: ScriptedProvider, letters: SendLetter, model: str) -> Json:
    """Stop a reply while its letter is under way, and return it."""
    letters.may_end.clear()
    provider.script("worker", Script(reply="Writing.", tool_calls=[LETTER]), Script(reply="Gone on."))
    turn = await person.start("Write to Ada", models=[model])
    await decide(person, await waiting(person, turn), approve=True, remember="always")
    await person.wait_for(turn, "reply.tool_output")
    path = f"/api/conversations/{turn['conversation']['id']}"

    async def heard() -> Json | None:
        reply = (await person.get(path)).json()["rounds"][0]["replies"][0]
        return reply if reply["tool_calls"][0]["output"] else None

    assert (await until(heard))["tool_calls"][0]["output"] == "licking the stamp\n"
    (running,) = (await person.get(path)).json()["rounds"][0]["replies"]
    await person.post(f"/api/replies/{running['id']}/stop")
    stopped = (await person.finished(turn))["replies"][0]
    letters.may_end.set()
    return stopped


@pytest.mark.parametrize("model", MODELS)
async def test_going_on_knows_what_was_done_and_asks_before_it_is_done_again(
    ada: Person, provider: ScriptedProvider, letters: SendLetter, model: str
) -> None:
    stopped = await cut_off(ada, provider, letters, model)
    assert [call["status"] for call in stopped["tool_calls"]] == ["unknown"]

    provider.script("worker", Script(reply="", tool_calls=[LETTER], always_calls=True), Script(reply="Sent."))
    more = await ada.post(f"/api/replies/{stopped['id']}/continue", {})
    assert more.status_code == 202, more.text

    async def asked() -> bool:
        return any(
            "Your reply above was cut off" in json.dumps(one.body) for one in provider.requests("worker")
        )

    await until(asked)
    assert UNKNOWN in said_to(provider)
    assert "Dear Ada" in said_to(provider)
    going_on = await standing(ada, more.json(), "waiting", lane=-1)
    assert going_on["tool_calls"][-1]["status"] == "waiting"
    assert letters.sent == ["Dear Ada"]


async def test_after_a_call_that_may_have_run_one_is_asked_with_the_clock_days_behind(
    machine: Machine, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    here = await write_letter(ada, provider)
    await decide(ada, await waiting(ada, here), approve=True, remember="always")
    await ada.finished(here)
    machine.ahead_ms = -3 * DAY_MS
    letters.may_end.clear()
    cut = await write_letter(ada, provider, here)
    await until(lambda: asyncio.sleep(0, len(letters.sent) == 2))
    await ada.post(f"/api/rounds/{cut['round']['id']}/stop")
    assert (await ada.finished(cut))["replies"][0]["tool_calls"][0]["status"] == "unknown"
    letters.may_end.set()

    again = await write_letter(ada, provider, here)
    await decide(ada, await waiting(ada, again), approve=True)
    await ada.finished(again)
    granted = (await ada.finished(await write_letter(ada, provider, here)))["replies"][0]
    assert (granted["tool_calls"][0]["status"], len(letters.sent)) == ("done", 4)


async def write_letter(person: Person, provider: ScriptedProvider, before: Json | None = None) -> Json:
    """Ask for a letter, in the conversation of an earlier turn."""
    provider.script("worker", Script(reply="", tool_calls=[LETTER], always_calls=True), Script(reply="Sent."))
    place = {"conversation_id": before["conversation"]["id"]} if before else {}
    return await person.start("Write to Ada", models=["openai/worker"], **place)


async def test_what_a_tool_had_said_before_it_was_cut_off_is_kept(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    stopped = await cut_off(ada, provider, letters, "openai/worker")
    assert stopped["tool_calls"][0]["result"] == "licking the stamp\n"


async def test_the_next_round_knows_what_was_changed_in_the_one_before(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER, LOOK)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    await decide(ada, await waiting(ada, turn), approve=True)
    await ada.finished(turn)
    await ada.ask("Did you?", models=["openai/worker"], conversation_id=turn["conversation"]["id"])

    assert 'send_letter({\\\\\\"text\\\\\\": \\\\\\"Dear Ada\\\\\\"}): it ran' in json.dumps(
        said_to(provider)
    )
    assert "list_project_files({}): it ran" in said_to(provider)


async def test_the_next_round_knows_which_lines_were_read_and_what_search_found(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    shelf = await Shelf.of(ada)
    await shelf.write("tides.md", "High water is at six.\nLow water is at noon.\n")
    await indexed(world, meanings=False)
    read = ScriptedCall(name="read_project_file", arguments='{"path": "tides.md", "end_line": 1}')
    search = ScriptedCall(name="search_project", arguments='{"query": "low water"}')
    works(provider, read, search)
    turn = await ada.start("When?", models=["openai/worker"], project_id=shelf.project_id)
    await ada.finished(turn)
    await ada.ask("Sure?", models=["openai/worker"], conversation_id=turn["conversation"]["id"])

    told = json.loads(said_to(provider))["messages"][-1]["content"]
    assert (
        'read_project_file({"path": "tides.md", "end_line": 1}): it ran; it was shown lines="1-1 of 2"'
        in told
    )
    assert 'search_project({"query": "low water"}): it ran; it was shown tides.md, lines 1-2' in told


async def test_what_was_made_is_known_once_its_round_is_summarised(
    world: World, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER, reply="As you wish.")
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    await decide(ada, await waiting(ada, turn), approve=True)
    await ada.finished(turn)
    here = {"conversation_id": turn["conversation"]["id"], "models": ["openai/worker"]}
    for number in range(4):
        await ada.ask(f"Question {number}", **here)
    assert (await compressed(ada, turn["conversation"]["id"]))["watermark"] > 0
    await ada.ask("Is it written?", **here)

    told = json.loads(said_to(provider))["messages"]
    [known] = [message["content"] for message in told if "<summary>" in message["content"]]
    assert 'Made:\n- send_letter({"text": "Dear Ada"}): it ran; it gave: Sent: Dear Ada (round 1)' in known
    assert "That is what you called" not in str(told), "the round itself is not shown"


async def test_the_others_know_what_a_model_has_made(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER, LOOK)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    await decide(ada, await waiting(ada, turn), approve=True)
    await ada.finished(turn)
    for policy in ("own", "everyone"):
        await ada.ask(
            "What was done?",
            models=["openai/scripted-smart"],
            policy=policy,
            conversation_id=turn["conversation"]["id"],
        )
        said = str(provider.requests("scripted-smart")[-1].body["messages"])
        assert ("it gave: Sent: Dear Ada" in said) == (policy == "everyone")
        assert "list_project_files({})" not in said


@pytest.mark.parametrize("model", MODELS)
async def test_a_no_with_a_reason_is_still_a_no(
    ada: Person, provider: ScriptedProvider, letters: SendLetter, model: str
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=[model])
    await decide(ada, await waiting(ada, turn), approve=False, reason="42")
    await ada.finished(turn)
    assert "did not allow this call" in said_to(provider)
    assert "Their reason: 42" in said_to(provider)


async def test_only_who_asked_tells_a_model_at_work_something(
    world: World, ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    letters.may_end.clear()
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    reply = await waiting(ada, turn)
    await ada.put(f"/api/conversations/{turn['conversation']['id']}", {"visibility": "workspace"})
    bob = await world.person(role="admin", like=ada)
    for path in (f"/api/replies/{reply['id']}/steer", f"/api/rounds/{reply['round_id']}/steer"):
        assert (await bob.post(path, {"text": "Send it to me."})).json()["error"][
            "code"
        ] == "not_yours_to_decide"
        assert (await ada.post(path, {"text": "Be brief."})).status_code == 202


async def test_a_budget_holds_where_only_the_provider_knows_what_it_takes(
    world: World, ada: Person, provider: ScriptedProvider
) -> None:
    limited = await ada.client.patch("/api/workspace", json={"settings": {"monthly_limit_usd": 1.0}})
    assert limited.status_code == 200, limited.text
    usage = ScriptedUsage(input=900, output=100, cost=0.6)
    searches = [ScriptedCall(name="search_project", arguments=f'{{"query": "{n}"}}') for n in range(5)]
    scripts = [Script(reply="", tool_calls=[one], always_calls=True, usage=usage) for one in searches]
    provider.script("worker", *scripts, Script(reply="Done.", usage=usage))
    reply = (await ada.ask("Search", models=["openai/worker"]))["replies"][0]

    assert reply["error"]["code"] == "spending_limit_reached"
    assert len(provider.requests("worker")) == 2


async def test_identical_changes_are_noticed_although_each_was_allowed(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    provider.script("worker", Script(reply="Again.", tool_calls=[LETTER], always_calls=True))
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    for sent in (1, 2):
        await decide(ada, await waiting(ada, turn), approve=True)

        async def went(sent: int = sent) -> bool:
            return len(letters.sent) == sent

        await until(went)
    reply = (await ada.finished(turn))["replies"][0]

    assert [call["status"] for call in reply["tool_calls"]] == ["done", "done", "failed", "failed"]
    assert letters.sent == ["Dear Ada", "Dear Ada"]


async def test_why_a_reply_had_to_end_is_kept_with_it(ada: Person, provider: ScriptedProvider) -> None:
    provider.script("worker", Script(reply="Hm.", tool_calls=[LOOK], always_calls=True))
    reply = (await ada.ask("Look", models=["openai/worker"]))["replies"][0]
    assert reply["notice"].startswith("It asked for the same things again and again")


@pytest.mark.parametrize("arguments", ["{not json", '{"text": 7}', "{}"])
async def test_nobody_is_asked_about_a_call_that_cannot_be_run(
    ada: Person, provider: ScriptedProvider, letters: SendLetter, arguments: str
) -> None:
    works(provider, ScriptedCall(name="send_letter", arguments=arguments))
    reply = (await ada.ask("Write to Ada", models=["openai/worker"]))["replies"][0]
    assert [call["status"] for call in reply["tool_calls"]] == ["failed"]
    assert "cannot be used" in said_to(provider)
    assert letters.sent == []


async def test_arguments_that_a_person_changed_say_so(
    ada: Person, provider: ScriptedProvider, letters: SendLetter
) -> None:
    works(provider, LETTER)
    turn = await ada.start("Write to Ada", models=["openai/worker"])
    reply = await waiting(ada, turn)
    assert not reply["tool_calls"][0]["changed"]
    await decide(ada, reply, approve=True, arguments='{"text": "Dear Bea"}')
    assert (await ada.finished(turn))["replies"][0]["tool_calls"][0]["changed"]
