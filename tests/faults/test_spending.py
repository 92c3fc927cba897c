"""I6 and whose money it is: figures from outside cannot move a budget that is not their own."""

from typing import Any

import pytest
import pytest_asyncio

from tertulia.turns import finalisation, store
from tests.faults.truth import rows
from tests.raw_provider import DONE, STOP, RawProvider, text, usage
from tests.scripted_provider import Fault, Script, ScriptedProvider
from tests.scripted_provider.script import ScriptedUsage
from tests.world import Json, Person, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

#: A model with a published price.
DEAR = "openai/gpt-4o"
#: Dollars of one reply of the scripted one.
BILL = 0.020730
OWN = "mine/gpt-4o"
#: A model that thinks, with a published price.
THINKER = "openai/gpt-5"


@pytest.fixture
def dear(provider: ScriptedProvider) -> ScriptedProvider:
    provider.script("gpt-4o", Script(reply="Dear words.", usage=ScriptedUsage(input=100, output=2_048)))
    return provider


@pytest_asyncio.fixture(loop_scope="session")
async def bob(world: World, ada: Person) -> Person:
    """Another admin of ada's workspace, who may connect servers on this machine."""
    return await world.person(role="admin", like=ada)


async def limit(person: Person, **settings: float | None) -> None:
    answered = await person.client.patch("/api/workspace", json={"settings": settings})
    assert answered.status_code == 200, answered.text


async def ask(person: Person, *models: str) -> list[Json]:
    return (await person.ask("Hello", models=list(models)))["replies"]


def books(world: World, person: Person) -> list[Any]:
    """Return what was booked for answers; titles are booked whenever they are made."""
    sql = """SELECT cost, counted, personal FROM spending
        WHERE workspace_id = ? AND purpose = 'answer' ORDER BY id"""
    return rows(world.settings.database, sql, person.principal.workspace_id)


@pytest.mark.usefixtures("dear")
async def test_a_limit_that_is_reached_stops_only_what_costs(ada: Person) -> None:
    await limit(ada, monthly_limit_usd=0.02)
    [paid] = await ask(ada, DEAR)
    refused = await ada.post("/api/turn", {"message": "Hello", "models": [DEAR]})
    async with RawProvider.running() as local:
        local.say(text("From this machine."), STOP, DONE)
        await local.connect(ada, personal=False, slug="local")
        free = await ask(ada, "librarian", "local/odd")

    assert (paid["status"], refused.status_code) == ("done", 402)
    assert [reply["status"] for reply in free] == ["done", "done"]
    assert [reply["cost"] for reply in free] == [0, 0]


@pytest.mark.usefixtures("dear")
async def test_in_a_mixed_round_the_paid_lanes_alone_are_refused_each_with_its_reason(ada: Person) -> None:
    await limit(ada, monthly_limit_per_person_usd=0.02)
    await ask(ada, DEAR)
    paid, free, twice = await ask(ada, DEAR, "librarian", DEAR)

    assert free["status"] == "done"
    for reply in (paid, twice):
        assert (reply["status"], reply["error"]["code"]) == ("failed", "spending_limit_reached")
        assert "Your monthly limit of $0.02" in reply["error"]["message"]


@pytest.mark.usefixtures("dear")
async def test_what_follows_a_round_is_refused_at_the_limit_only_where_it_costs(ada: Person) -> None:
    await limit(ada, monthly_limit_usd=0.02)
    round_ = await ada.ask("Hello", models=[DEAR, "librarian"])
    by_lane = {reply["model"]: reply["id"] for reply in round_["replies"]}
    answers = [
        await ada.post(f"/api/rounds/{round_['id']}/{verb}", {"model": model})
        for verb in ("merge", "judge")
        for model in (DEAR, "librarian")
    ]
    answers += [await ada.post(f"/api/replies/{reply_id}/regenerate") for reply_id in by_lane.values()]

    assert [answer.status_code for answer in answers] == [402, 202, 402, 202, 402, 202]


@pytest.mark.parametrize("cost", [-1_000_000, 1e300, 5_000])
async def test_a_persons_own_server_never_touches_the_workspaces_budget(
    world: World, ada: Person, bob: Person, dear: ScriptedProvider, cost: float
) -> None:
    async with RawProvider.running() as own:
        own.models = [{"id": "gpt-4o"}]
        own.say(text("Hm."), STOP, usage(prompt_tokens=100, completion_tokens=2, cost=cost), DONE)
        await own.connect(bob, kind="openai", slug="mine")
        await limit(ada, monthly_limit_usd=0.03)
        [first] = await ask(bob, OWN)
        [paid] = await ask(ada, DEAR)
        [again] = await ask(ada, DEAR)
        [after] = await ask(bob, OWN)
    refused = await ada.post("/api/turn", {"message": "Hello", "models": [DEAR]})

    assert [first["status"], paid["status"], again["status"], after["status"]] == ["done"] * 4
    assert refused.status_code == 402
    assert 0 <= first["cost"] <= 0.001
    assert [personal for *_, personal in books(world, ada)] == [1, 0, 0, 1]


async def test_a_persons_own_server_counts_for_their_own_limit(ada: Person, bob: Person) -> None:
    async with RawProvider.running() as own:
        own.models = [{"id": "gpt-4o"}]
        own.say(text("Hm."), STOP, usage(prompt_tokens=10_000, completion_tokens=2_000), DONE)
        await own.connect(bob, kind="openai", slug="mine")
        await limit(ada, monthly_limit_per_person_usd=0.04)
        [first] = await ask(bob, OWN)
        refused = await bob.post("/api/turn", {"message": "Hello", "models": [OWN]})

    assert (first["status"], refused.status_code) == ("done", 402)


@pytest.mark.parametrize(("model", "thinks"), [(DEAR, False), (THINKER, True)])
async def test_a_reply_that_is_stopped_shows_what_it_cost_as_far_as_known(
    world: World, ada: Person, provider: ScriptedProvider, model: str, thinks: bool
) -> None:
    provider.script(model.partition("/")[2], Script(reply="word " * 200, tokens_per_second=50))
    turn = await ada.start("Hello", models=[model])
    await ada.wait_for(turn, "reply.text")
    await ada.post(f"/api/rounds/{turn['round']['id']}/stop")
    [reply] = (await ada.finished(turn))["replies"]
    [(cost, counted, _)] = books(world, ada)

    assert (reply["status"], reply["usage"]["estimated"]) == ("stopped", True)
    assert reply["usage"]["input"] > 0
    assert 0 < reply["cost"] == cost < 0.01
    # What a model thought out of sight is billed too, so limits count all that was set aside.
    assert counted > 10 * cost if thinks else counted == cost


async def test_a_reply_that_is_lost_to_a_crash_shows_what_it_cost_as_far_as_known(
    world: World, ada: Person, dear: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    close, failures = finalisation.finalise_reply, 3

    def fail_once(tx: Any, reply: Any, **more: Any) -> None:
        nonlocal failures
        failures -= 1
        if failures >= 0:
            raise KeyError("as if the server died here")
        close(tx, reply, **more)

    monkeypatch.setattr(finalisation, "finalise_reply", fail_once)
    [reply] = await ask(ada, DEAR)
    [(cost, counted, _)] = books(world, ada)

    assert (reply["status"], reply["content"]) == ("interrupted", "Dear words.")
    assert reply["usage"]["estimated"]
    assert reply["usage"]["input"] > 0
    assert 0 < reply["cost"] == cost < 0.01
    # The provider may bill up to what was set aside: limits count that.
    assert counted >= BILL


async def asked_with_cuts(person: Person, provider: ScriptedProvider, times: int | None) -> Json:
    """Return the reply of a provider whose stream ends so many times before it says a word."""
    said = ScriptedUsage(input=100, output=10)
    provider.script("gpt-4o", Script(reply="Dear.", usage=said, fault=Fault(kind="cut", times=times)))
    [reply] = await ask(person, DEAR)
    return reply


async def test_every_prompt_that_was_cut_off_after_it_was_sent_is_counted(
    world: World, ada: Person, provider: ScriptedProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    reserved: list[float] = []
    write = store.write_reservation

    def note(tx: Any, reply_id: str, reservation: Any) -> None:
        reserved.append(reservation.amount)
        write(tx, reply_id, reservation)

    monkeypatch.setattr(store, "write_reservation", note)
    whole = await asked_with_cuts(ada, provider, 0)
    retried = await asked_with_cuts(ada, provider, 1)
    lost = await asked_with_cuts(ada, provider, None)
    # One request that was answered, one cut off and answered, two cut off.
    assert len(provider.requests("gpt-4o")) == 5
    [(first, *_), (second, counted, _), (third, *_)] = books(world, ada)

    assert (whole["usage"]["input"], whole["usage"]["estimated"]) == (100, False)
    prompt = retried["usage"]["input"] - 100
    assert prompt > 0
    assert (retried["status"], retried["usage"]["estimated"]) == ("done", True)
    assert second == retried["cost"] == counted == pytest.approx(first + prompt * 2.5e-6, abs=1e-6)
    assert (lost["status"], lost["usage"]["input"]) == ("failed", 2 * prompt)
    assert third == lost["cost"] == pytest.approx(2 * prompt * 2.5e-6, abs=1e-6)
    once, *again = reserved
    assert again == pytest.approx([once, once + prompt * 2.5e-6] * 2, abs=1e-6)
    assert max(first, second, third) < once


async def test_a_budget_that_a_cut_off_prompt_used_up_pays_for_no_other(
    ada: Person, provider: ScriptedProvider
) -> None:
    lost = await asked_with_cuts(ada, provider, None)
    await limit(ada, monthly_limit_usd=lost["cost"] + 0.000001)
    refused = await asked_with_cuts(ada, provider, None)

    assert (refused["status"], refused["error"]["code"]) == ("failed", "spending_limit_reached")
    assert len(provider.requests("gpt-4o")) == 3
    assert 2 * refused["usage"]["input"] == lost["usage"]["input"]
