"""News between processes by way of Valkey: heard at once, and its loss is noticed."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from redis.asyncio import Redis
from tests.engines import valkey

from tertulia.core.tasks import cancel_tasks
from tertulia.infra.courier import valkey as valkey_courier
from tertulia.infra.courier.news import EventsStored, JobsQueued, NewsMayBeLost, StopRequested, StoredEvents
from tertulia.infra.courier.valkey import MESSAGE_MAX_CHARS, ValkeyCourier

NOBODY_THERE = "redis://127.0.0.1:1"


class HearingCourier(ValkeyCourier):
    """A courier that keeps what it heard."""

    def __init__(self, url: str, *, channel: str) -> None:
        super().__init__(url, channel=channel)
        self.heard: list[object] = []
        self.looks = 0
        for kind in (EventsStored, JobsQueued, StopRequested):
            self.subscribe(kind, self.heard.append)
        self.subscribe(NewsMayBeLost, self._look)

    def _look(self, _: NewsMayBeLost) -> None:
        self.looks += 1


async def until(condition: Callable[[], object]) -> None:
    for _ in range(2_000):
        if condition():
            return
        await asyncio.sleep(0.01)
    raise AssertionError


@asynccontextmanager
async def two_couriers(url: str) -> AsyncGenerator[tuple[HearingCourier, HearingCourier]]:
    channel = f"test:{uuid4().hex}"
    first, second = (HearingCourier(url, channel=channel) for _ in range(2))
    running = [asyncio.create_task(courier.run()) for courier in (first, second)]
    try:
        await until(lambda: first.is_connected and second.is_connected)
        yield first, second
    finally:
        await cancel_tasks(running)


@pytest.mark.parametrize("option", ["", "?decode_responses=True&socket_timeout=1"])
async def test_news_is_heard_once_in_each_process_and_in_order(option: str) -> None:
    async with two_couriers(valkey.server_url() + option) as (first, second):
        told = [StopRequested((str(number),)) for number in range(50)]
        for news in told:
            first.publish(news)
        assert first.heard == told
        await until(lambda: len(second.heard) >= len(told))
        second.publish(JobsQueued())
        await until(lambda: JobsQueued() in first.heard)

    assert second.heard == [*told, JobsQueued()]
    assert first.heard == [*told, JobsQueued()]


async def test_bodies_that_are_too_long_stay_where_they_are() -> None:
    short, long = StoredEvents("cnv_1", 7, ("x",)), StoredEvents("cnv_2", 9, ("x" * MESSAGE_MAX_CHARS,))
    async with two_couriers(valkey.server_url()) as (first, second):
        first.publish(EventsStored((long, short)))
        await until(lambda: second.heard)

    assert first.heard == [EventsStored((long, short))]
    assert second.heard == [EventsStored((long, StoredEvents("cnv_1", 7)))]


async def test_a_message_that_nobody_understands_makes_everyone_look() -> None:
    async with two_couriers(valkey.server_url()) as (first, second):
        looks = second.looks
        async with Redis.from_url(valkey.server_url()) as stranger:
            await stranger.publish(second._channel, b"hello")
        await until(lambda: second.looks > looks)
        first.publish(JobsQueued())
        await until(lambda: second.heard == [JobsQueued()])


async def test_a_server_that_was_killed_is_found_again_and_everyone_looks() -> None:
    with valkey.mortal_server() as server:
        async with two_couriers(server.url) as (first, second):
            await asyncio.to_thread(server.kill)
            await until(lambda: not first.is_connected and not second.is_connected)
            looks = second.looks
            first.publish(JobsQueued())  # nobody else hears it
            await until(lambda: second.looks > looks)

            await asyncio.to_thread(server.start)
            await until(lambda: first.is_connected and second.is_connected)
            first.publish(StopRequested(()))
            await until(lambda: second.heard)

    assert first.heard == [JobsQueued(), StopRequested(())]
    assert second.heard == [StopRequested(())]


async def test_a_channel_that_says_nothing_is_listened_to_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(valkey_courier, "HEARTBEAT_SECONDS", 3600)
    monkeypatch.setattr(valkey_courier, "CHANNEL_SILENCE_SECONDS", 0.1)
    monkeypatch.setattr(valkey_courier, "CONNECTED_POLL_SECONDS", 3600)
    monkeypatch.setattr(valkey_courier, "NEWS_POLL_SECONDS", 3600)
    async with two_couriers(valkey.server_url()) as (first, _):
        await until(lambda: first.looks >= 3)  # each connection begins with one


@pytest.mark.parametrize("turns", range(40))
async def test_a_courier_ends_at_whatever_moment_it_is_told_to(turns: int) -> None:
    courier = ValkeyCourier(valkey.server_url(), channel="test")
    running = asyncio.create_task(courier.run())
    for _ in range(turns):
        await asyncio.sleep(0)
    async with asyncio.timeout(5):
        await cancel_tasks([running])


async def test_a_process_starts_and_goes_on_where_nobody_answers() -> None:
    courier = HearingCourier(NOBODY_THERE, channel="test")
    running = asyncio.create_task(courier.run())
    courier.publish(JobsQueued())
    await until(lambda: courier.looks >= 2)

    assert courier.heard == [JobsQueued()]
    assert not courier.is_connected
    assert not running.done()
    await cancel_tasks([running])
