"""Whose job is next."""

import asyncio

import pytest

from tertulia.sandbox.errors import SandboxBusy
from tertulia.sandbox.run_queue import RunQueue


def some_turns(at_once: int = 1, *, most_waiting: int = 100, most_for_one: int = 50) -> RunQueue:
    return RunQueue(at_once, max_waiting=most_waiting, max_waiting_per_owner=most_for_one)


async def test_somebody_with_one_job_does_not_wait_for_all_of_somebody_elses() -> None:
    turns, order = some_turns(), list[str]()

    async def job(owner: str) -> None:
        async with turns.acquire(owner, asyncio.Event()):
            order.append(owner)
            await asyncio.sleep(0)

    await asyncio.gather(*[job("busy") for _ in range(5)], job("ada"), job("bob"))

    assert order == ["busy", "busy", "ada", "bob", "busy", "busy", "busy"]


async def test_no_more_run_at_once_than_may() -> None:
    turns, running, most = some_turns(3), 0, 0

    async def job(owner: int) -> None:
        nonlocal running, most
        async with turns.acquire(str(owner % 4), asyncio.Event()):
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.001)
            running -= 1

    await asyncio.gather(*map(job, range(60)))

    assert (most, turns.waiting) == (3, 0)


async def test_whoever_comes_when_too_many_wait_is_told_so() -> None:
    turns, stop, enough = some_turns(most_waiting=3, most_for_one=2), asyncio.Event(), asyncio.Event()

    async def job(owner: str) -> bool:
        async with turns.acquire(owner, stop) as mine:
            await (enough if mine else stop).wait()
            return mine

    tasks = [asyncio.create_task(job(owner)) for owner in ("ada", "ada", "ada")]
    await asyncio.sleep(0)
    with pytest.raises(SandboxBusy, match="2 runs"):
        await job("ada")
    tasks.append(asyncio.create_task(job("bob")))
    await asyncio.sleep(0)
    with pytest.raises(SandboxBusy):
        await job("cleo")
    stop.set()
    assert await asyncio.gather(*tasks[1:]) == [False, False, False]
    assert turns.waiting == 0
    enough.set()
    assert await tasks[0]


async def test_a_place_that_is_given_up_is_not_waited_for() -> None:
    turns = some_turns()

    async def job(owner: str) -> str:
        async with turns.acquire(owner, asyncio.Event()):
            await asyncio.sleep(0.001)
            return owner

    tasks = [asyncio.create_task(job(owner)) for owner in ("ada", "bob", "cleo", "dan")]
    await asyncio.sleep(0)
    tasks[0].cancel()
    tasks[1].cancel()
    tasks[2].cancel()

    assert await asyncio.wait_for(tasks[3], 1) == "dan"
    assert await asyncio.wait_for(job("eve"), 1) == "eve"
