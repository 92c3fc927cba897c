"""Waiting, but not for ever."""

import asyncio
import socket
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
import uvloop

from tertulia.models.providers.silence_timeout import SilenceTimeout


async def never() -> None:
    await asyncio.Event().wait()


async def test_it_gives_up_when_its_time_is_over() -> None:
    timeout = SilenceTimeout(0.05)
    started = asyncio.get_running_loop().time()
    with pytest.raises(TimeoutError):
        await timeout.wait(never())

    assert 0.04 < asyncio.get_running_loop().time() - started < 1


async def test_many_short_waits_add_up() -> None:
    timeout = SilenceTimeout(0.1)
    waits: list[float] = []

    async def keep_waiting() -> None:
        while len(waits) < 100:
            waits.append(await timeout.wait(asyncio.sleep(0.02, 0.02)))

    with pytest.raises(TimeoutError):
        await keep_waiting()
    assert 1 <= len(waits) <= 6


async def test_renewed_patience_lasts() -> None:
    timeout = SilenceTimeout(0.1)
    for _ in range(10):
        await timeout.wait(asyncio.sleep(0.02))
        timeout.reset(0.1)
    timeout.stop()


async def test_it_can_be_made_shorter() -> None:
    timeout = SilenceTimeout(60)
    timeout.reset(0.05)

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(timeout.wait(never()), 5)


async def test_time_between_two_waits_does_not_count() -> None:
    timeout = SilenceTimeout(0.05)
    await asyncio.sleep(0.15)

    assert await timeout.wait(asyncio.sleep(0, "there")) == "there"
    timeout.stop()


async def hear_after_being_busy() -> bytes:
    """Wait for what arrives while the event loop does something else for longer than the timeout."""
    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    timeout = SilenceTimeout(0.05)
    waiting = asyncio.create_task(timeout.wait(reader.readexactly(5)))

    def be_busy() -> None:
        theirs.sendall(b"there")
        time.sleep(0.1)

    asyncio.get_running_loop().call_later(0.01, be_busy)
    try:
        return await waiting
    finally:
        timeout.stop()
        writer.close()
        theirs.close()


@pytest.mark.parametrize("make_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_what_came_while_we_were_busy_ourselves_is_no_silence(
    make_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    with asyncio.Runner(loop_factory=make_loop) as runner:
        assert runner.run(hear_after_being_busy()) == b"there"


async def test_a_cancelled_task_stays_cancelled() -> None:
    timeout = SilenceTimeout(60)
    task = asyncio.create_task(timeout.wait(never()))
    await asyncio.sleep(0)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    timeout.stop()


async def test_the_task_goes_on_unharmed_after_it_gave_up() -> None:
    with pytest.raises(TimeoutError):
        await SilenceTimeout(0.01).wait(never())
    await asyncio.sleep(0.02)

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0
