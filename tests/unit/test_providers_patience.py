"""Waiting, but not for ever."""

import asyncio
from contextlib import suppress

import pytest

from tertulia.models.providers.patience import Patience


async def never() -> None:
    await asyncio.Event().wait()


async def test_it_gives_up_when_its_time_is_over() -> None:
    patience = Patience(0.05)
    started = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await patience.wait(never())

    assert 0.04 < asyncio.get_running_loop().time() - started < 1


async def test_many_short_waits_add_up() -> None:
    patience = Patience(0.1)
    waits: list[float] = []

    async def keep_waiting() -> None:
        while len(waits) < 100:
            waits.append(await patience.wait(asyncio.sleep(0.02, 0.02)))

    with pytest.raises(TimeoutError):
        await keep_waiting()
    assert 1 <= len(waits) <= 6


async def test_renewed_patience_lasts() -> None:
    patience = Patience(0.1)
    for _ in range(10):
        await patience.wait(asyncio.sleep(0.02))
        patience.renew(0.1)
    patience.stop()


async def test_it_can_be_made_shorter() -> None:
    patience = Patience(60)
    patience.renew(0.05)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(patience.wait(never()), 5)


async def test_time_between_two_waits_does_not_count() -> None:
    patience = Patience(0.05)
    await asyncio.sleep(0.15)

    assert await patience.wait(asyncio.sleep(0, "there")) == "there"
    patience.stop()


async def test_a_cancelled_task_stays_cancelled() -> None:
    patience = Patience(60)
    task = asyncio.create_task(patience.wait(never()))
    await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    patience.stop()


async def test_the_task_goes_on_unharmed_after_it_gave_up() -> None:
    with pytest.raises(TimeoutError):
        await Patience(0.01).wait(never())
    await asyncio.sleep(0.02)

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
