"""The machine's clock is set back or ahead, while the server runs and between two runs."""

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clocks import DAY_MS, HOUR_MS, Machine, telling
from tests.databases import open_database
from tests.scripted_provider import ScriptedProvider
from tests.scripted_provider.script import Fault, Script
from tests.world import Person, World

from tertulia.core.clock import CLOCK_SET_BACK_MAX_MS, LEASE_MAX, SHARED_CLOCK_SPAN_MS, SteadyClock
from tertulia.core.ids import new_id
from tertulia.infra.courier.news import JobsQueued
from tertulia.infra.jobs import queue
from tertulia.infra.undo.domain import UNDO_WINDOW
from tertulia.turns import store
from tertulia.turns.domain import Run

KINDS = ["context", "deletion", "prune_events", "title"]
UNDO_MS = int(UNDO_WINDOW.total_seconds() * 1000)


JUMPS = st.lists(st.tuples(st.integers(-3 * DAY_MS, 3 * DAY_MS), st.integers(0, HOUR_MS)), max_size=30)


@given(jumps=JUMPS)
def test_ids_follow_each_other_whatever_the_clock_does(jumps: list[tuple[int, int]]) -> None:
    with telling() as told:
        made = [new_id("msg")]
        for jump, elapsed in jumps:
            told.wall += jump + elapsed
            told.uptime += elapsed
            made += [new_id("msg"), new_id("msg")]
    assert made == sorted(set(made))


@given(jumps=JUMPS)
def test_moments_go_back_only_when_they_were_far_from_true(jumps: list[tuple[int, int]]) -> None:
    steady = SteadyClock()
    with telling() as told:
        before = steady.now_ms()
        for jump, elapsed in jumps:
            told.wall += jump + elapsed
            told.uptime += elapsed
            moment = steady.now_ms()
            assert moment >= before or before - told.wall > CLOCK_SET_BACK_MAX_MS - HOUR_MS
            assert told.wall <= moment <= told.wall + CLOCK_SET_BACK_MAX_MS
            before = moment


def test_a_clock_that_was_ahead_is_met_again() -> None:
    steady = SteadyClock()
    with telling() as told:
        steady.now_ms()
        told.wall -= HOUR_MS
        steady.now_ms()
        told.wall += 2 * HOUR_MS
        told.uptime += 2 * HOUR_MS
        assert steady.now_ms() == told.wall


def test_a_shared_clock_is_followed_whatever_the_machines_own_says() -> None:
    steady = SteadyClock()
    with telling() as told:
        shared = told.wall - HOUR_MS
        steady.follow(shared)
        told.wall += DAY_MS
        told.uptime += 1_000
        assert steady.now_ms() == shared + 1_000


def test_of_the_answers_of_a_shared_clock_the_quickest_counts() -> None:
    steady = SteadyClock()
    with telling() as told:
        shared = told.wall + HOUR_MS
        for delay in (300, 0, 500):
            steady.follow(shared - delay)
        assert steady.now_ms() == shared


def test_a_shared_clock_that_was_set_back_is_met_again() -> None:
    steady = SteadyClock()
    with telling() as told:
        began, set_back = told.uptime, told.wall - HOUR_MS
        steady.follow(told.wall)
        for _ in range(2):
            told.uptime += SHARED_CLOCK_SPAN_MS + 1
            steady.follow(set_back + told.uptime - began)
        told.uptime += 3 * HOUR_MS
        assert steady.now_ms() == set_back + told.uptime - began


async def asked(ada: Person, conversation_id: str) -> list[str]:
    """Return the questions of a conversation in the order in which the API lists them."""
    page = (await ada.get(f"/api/conversations/{conversation_id}/messages?limit=200")).json()
    return [one["content"] for one in page["messages"] if one["speaker"] == "user"]


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("jump", [-DAY_MS, DAY_MS, -400 * DAY_MS])
async def test_what_was_said_later_stands_later(
    machine: Machine, tmp_path: Path, provider: ScriptedProvider, jump: int, restarts: bool
) -> None:
    said = [f"question {number}" for number in range(3)]
    machine.ahead_ms = -jump
    async with World.open(tmp_path, provider=provider) as world:
        ada = await world.person(role="owner")
        first = await ada.start(said[0])
        await ada.finished(first)
        here = first["conversation"]["id"]
        machine.ahead_ms = 0
        if not restarts:
            await go_on(ada, here, said[1:])
    if restarts:
        machine.new_process()
        async with World.open(tmp_path, provider=provider) as world:
            ada = Person(ada.principal, ada.token, world.client(ada.token))
            await go_on(ada, here, said[1:])
            await ada.client.aclose()


async def go_on(ada: Person, here: str, questions: list[str]) -> None:
    """Ask on, and see all questions in their order."""
    before = await asked(ada, here)
    for question in questions:
        await ada.ask(question, conversation_id=here)
    assert await asked(ada, here) == before + questions
    rounds = (await ada.get(f"/api/conversations/{here}?limit=200")).json()["rounds"]
    assert [one["number"] for one in rounds] == list(range(1, len(before + questions) + 1))


async def test_an_attempt_cut_short_is_continued_and_written_anew_with_the_clock_a_day_behind(
    machine: Machine, world: World, ada: Person, provider: ScriptedProvider
) -> None:
    cut = Script(reply="one two three four five six", fault=Fault(kind="cut", after=3, times=2))
    provider.script("scripted-fast", cut)
    round_ = await ada.ask("Count.")
    [whole] = round_["replies"]
    machine.ahead_ms = -DAY_MS
    again = await ada.post(f"/api/replies/{whole['id']}/regenerate")
    assert again.status_code == 202, again.text
    round_ = await ada.finished(again.json())
    newest = round_["replies"][-1]
    assert [one["attempt"] for one in round_["replies"]] == [1, 2]
    assert newest["status"] == "interrupted"

    machine.ahead_ms = -2 * DAY_MS
    continued = await ada.post(f"/api/replies/{newest['id']}/continue")
    assert continued.status_code == 202, continued.text
    round_ = await ada.finished(continued.json())
    assert [one["attempt"] for one in round_["replies"]] == [1, 2, 3]


@pytest.mark.parametrize("jump", [-DAY_MS, DAY_MS, -400 * DAY_MS, 400 * DAY_MS])
async def test_a_lease_lasts_as_long_as_it_was_taken_for(
    machine: Machine, world: World, ada: Person, provider: ScriptedProvider, jump: int
) -> None:
    provider.script("scripted-fast", Script(reply="slow " * 200, tokens_per_second=20))
    turn = await ada.start("Slowly, please.")

    async def left() -> list[Run]:
        return await world.db.read(
            lambda tx: store.find_lapsed_runs(tx, worker="another", lapsed=tx.uptime()), by=None
        )

    machine.ahead_ms = jump
    assert await left() == []
    await ada.post(f"/api/rounds/{turn['round']['id']}/stop")
    await ada.finished(turn)


async def test_a_lease_of_before_the_machine_was_started_has_lapsed(machine: Machine, tmp_path: Path) -> None:
    db = open_database(tmp_path / "tertulia.db")
    try:
        await db.write(lambda tx: queue.enqueue(tx, "title", key="title:1", payload={}), by=None)
        assert await db.write(lambda tx: queue.claim_job(tx, "one", kinds=KINDS), by=None)
        assert await db.write(lambda tx: queue.claim_job(tx, "another", kinds=KINDS), by=None) is None
        machine.slept_ms = -int(2 * LEASE_MAX.total_seconds() * 1000)
        assert await db.write(lambda tx: queue.claim_job(tx, "another", kinds=KINDS), by=None)
    finally:
        db.close()


@pytest.mark.parametrize("jump", [-DAY_MS, -400 * DAY_MS])
async def test_work_that_waits_is_done_although_the_clock_was_set_back(
    machine: Machine, tmp_path: Path, jump: int
) -> None:
    db = open_database(tmp_path / "tertulia.db")
    try:
        for number in range(3):
            key = f"title:{number}"
            await db.write(lambda tx, key=key: queue.enqueue(tx, "title", key=key, payload={}), by=None)
            machine.ahead_ms += jump
        machine.new_process()
        for _ in range(3):
            job = await db.write(lambda tx: queue.claim_job(tx, "one", kinds=KINDS), by=None)
            assert job is not None
            await db.write(lambda tx, job=job: queue.fail_job(tx, job, "not yet", is_retried=True), by=None)
        machine.ahead_ms -= 400 * DAY_MS
        machine.slept_ms += 60_000
        assert await db.write(lambda tx: queue.claim_job(tx, "one", kinds=KINDS), by=None)
    finally:
        db.close()


@pytest.mark.parametrize("jump", [HOUR_MS, -3 * DAY_MS, 400 * DAY_MS, -400 * DAY_MS])
async def test_a_deletion_can_be_undone_for_as_long_as_was_promised(
    machine: Machine, world: World, ada: Person, jump: int
) -> None:
    in_time, too_late = await ada.ask("Restore me."), await ada.ask("Erase me.")
    answers = [
        await ada.post(f"/api/conversations/{round_['conversation_id']}/deletion")
        for round_ in (in_time, too_late)
    ]
    first, second = (answer.json()["id"] for answer in answers)
    machine.ahead_ms = jump
    machine.slept_ms = UNDO_MS - 10_000
    while job := await world.db.write(lambda tx: queue.claim_job(tx, "another", kinds=KINDS), by=None):
        assert job.kind != "deletion"
    assert (await ada.post(f"/api/deletions/{first}/restore")).status_code == 204

    machine.slept_ms = UNDO_MS
    assert (await ada.post(f"/api/deletions/{second}/restore")).status_code == 404
    await erased(world, too_late["conversation_id"])


async def test_a_deletion_of_before_the_machine_was_started_is_final(
    machine: Machine, world: World, ada: Person
) -> None:
    round_ = await ada.ask("Erase me.")
    deletion = await ada.post(f"/api/conversations/{round_['conversation_id']}/deletion")
    machine.slept_ms = -HOUR_MS
    assert (await ada.post(f"/api/deletions/{deletion.json()['id']}/restore")).status_code == 404
    await erased(world, round_["conversation_id"])


async def erased(world: World, conversation_id: str) -> None:
    """Wait until nothing is left of a conversation."""
    world.server.parts.services.courier.publish(JobsQueued())
    sql = "SELECT count(*) FROM conversations WHERE id = :id"
    for _ in range(1_000):
        if not await world.db.read(lambda tx: tx.value(sql, id=conversation_id), by=None):
            return
        await asyncio.sleep(0.01)
    raise AssertionError("the conversation is still there")
