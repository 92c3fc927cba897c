"""Listeners cost little, however long what they are told is and however slowly they take it."""

from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace

import pytest
from tests.world import World

from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.events import EventEntry, EventLog, streams
from tertulia.infra.events.log import SLICE_MAX_BYTES, SLICE_MAX_ENTRIES
from tertulia.live.event_stream import END_OF_EVENT, Subscription, long_bodies, sse_frames

ADA = Principal(new_id("usr"), new_id("wsp"), Role.MEMBER)
LONG = f'"{"Käse" * 100_000}"'


async def allow(topics: Collection[str]) -> None:
    assert topics


async def show_all(entries: Sequence[EventEntry]) -> Sequence[EventEntry]:
    return entries


def listen(log: EventLog, *topics: str) -> AsyncGenerator[bytes, None]:
    followed = [Subscription(topic, 0) for topic in topics]
    return sse_frames(followed, [0] * len(topics), by=ADA, log=log, check=allow, redact=show_all, first=b"")


async def append(world: World, topic: str, bodies: Sequence[str]) -> None:
    log = world.server.parts.events
    await world.server.parts.db.write(lambda tx: log.append(tx, topic, bodies), by=None)


async def test_listeners_who_take_nothing_hold_a_long_event_once(world: World) -> None:
    await append(world, "topic", [LONG, LONG])
    async with AsyncExitStack() as stack:
        for _ in range(5):
            stream = await stack.enter_async_context(aclosing(listen(world.server.parts.events, "topic")))
            assert (await anext(stream)).startswith(b"event: ping")
            assert await anext(stream) == b"id: 1\ndata: "
            await anext(stream)
        assert len(long_bodies) == 1
    assert not long_bodies


async def test_a_backlog_is_read_in_slices_that_are_bounded_in_bytes(world: World) -> None:
    bodies = ["1" * 100_000] * 7 + [LONG] + ["2"] * 200
    await append(world, "topic", bodies)
    log = world.server.parts.events
    heard: list[Sequence[EventEntry]] = []
    async with aclosing(log.subscribe("topic", 0, idle_seconds=5)) as batches:
        async for entries in batches:
            heard.append(entries)
            if entries[-1].seq == len(bodies):
                break
    assert [entry.body for entries in heard for entry in entries] == bodies
    assert all(len(entries) <= SLICE_MAX_ENTRIES for entries in heard)
    sizes = [sum(len(entry.body.encode()) for entry in entries) for entries in heard if len(entries) > 1]
    assert max(sizes) <= SLICE_MAX_BYTES


async def test_nothing_more_is_read_for_a_listener_before_they_took_what_was_sent(world: World) -> None:
    await append(world, "topic", [LONG, LONG])
    checks: list[Collection[str]] = []

    async def note(topics: Collection[str]) -> None:
        checks.append(topics)

    log = world.server.parts.events
    stream = sse_frames(
        [Subscription("topic", 0)], [0], by=ADA, log=log, check=note, redact=show_all, first=b""
    )
    async with aclosing(stream):
        while await anext(stream) != END_OF_EVENT:
            assert len(checks) <= 1


async def test_what_happened_in_a_conversation_comes_before_what_the_feed_says_of_it(world: World) -> None:
    await append(world, "feed", [LONG] * 2)
    await append(world, "conversation", ["1", "2"])
    async with aclosing(listen(world.server.parts.events, "feed", "conversation")) as stream:
        ids = [piece.split(b"\n")[0] async for piece in stream_until(stream, b"id: 2.2")]
    assert [number for number in ids if number != b"id: 0.1"] == [b"id: 1.2", b"id: 2.2"]


async def stream_until(stream: AsyncGenerator[bytes, None], start: bytes) -> AsyncGenerator[bytes, None]:
    async for piece in stream:
        if piece.startswith(b"id: "):
            yield piece
        if piece.startswith(start):
            return


async def test_one_person_has_a_limited_number_of_streams(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "STREAMS_PER_PERSON_MAX", 2)
    ada, bea = await world.person(role="owner"), await world.person()
    log = world.server.parts.events
    me = replace(ADA, user_id=(await ada.get("/api/me")).json()["user"]["id"])
    async with AsyncExitStack() as stack:
        for _ in range(2):
            stream = sse_frames(
                [Subscription("t", 0)], [0], by=me, log=log, check=allow, redact=show_all, first=b""
            )
            await anext(await stack.enter_async_context(aclosing(stream)))
        refused = await ada.get("/api/events")
        assert refused.status_code == 429
        assert refused.json()["error"]["code"] == "too_many_streams"
        assert log.streams.has_room((await bea.get("/api/me")).json()["user"]["id"])
    assert log.streams.has_room(me.user_id)
