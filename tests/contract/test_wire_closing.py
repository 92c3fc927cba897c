"""Leaving a stream early ends it upstream; leaving it late keeps the connection."""

import asyncio
import time
from contextlib import aclosing, suppress

from tests.contract.asking import MODEL, Adapter, question
from tests.scripted_provider import Script

SLOW = Script(reply="word " * 200, tokens_per_second=50)


async def test_closing_a_stream_closes_the_connection_at_once(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, SLOW)
    async with aclosing(adapter.provider().stream(question())) as stream:
        await anext(stream)
    closed_at = time.time()

    request = adapter.scripted.requests()[-1]
    assert adapter.scripted.wait_for(lambda: request.ended is not None, seconds=2)
    assert request.disconnected
    assert request.ended_at is not None
    assert request.ended_at - closed_at < 0.5


async def test_cancelling_the_task_closes_the_connection_too(adapter: Adapter) -> None:
    adapter.scripted.script(MODEL, SLOW)
    task = asyncio.create_task(adapter.ask())
    await asyncio.to_thread(adapter.scripted.wait_for, adapter.scripted.requests)
    await asyncio.sleep(0.05)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert adapter.scripted.wait_for(lambda: adapter.scripted.requests()[-1].disconnected, seconds=2)


async def test_a_stream_read_to_its_end_leaves_its_connection_for_the_next(adapter: Adapter) -> None:
    opened = len(adapter.scripted.server.connections)
    for _ in range(3):
        await adapter.ask()

    assert len(adapter.scripted.server.connections) - opened == 1


async def test_many_streams_at_once_do_not_mix(adapter: Adapter) -> None:
    replies = await asyncio.gather(*(adapter.ask(question(f"number {n}")) for n in range(20)))

    assert [reply.text for reply in replies] == [f"{MODEL} heard: number {n}" for n in range(20)]
