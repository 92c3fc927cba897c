"""The courier of processes that share a Valkey or Redis server: news is heard within milliseconds.

Each piece of news is published to one channel that all processes listen to. While the server cannot be
reached nothing is kept for it: everyone looks for news by themselves, four times a second, and once more
when the channel is heard again. And everyone looks once a second in any case, for what was lost unnoticed.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import Any, TypeVar, cast

import msgspec
from redis.exceptions import RedisError

from tertulia.core.ids import new_id
from tertulia.infra.courier.handlers import NewsHandlers
from tertulia.infra.courier.news import EventsStored, LocalNews, News, NewsMayBeLost, StoredEvents
from tertulia.infra.courier.polling import NEWS_POLL_SECONDS
from tertulia.infra.courier.valkey_client import explain_valkey_error, make_client

log = logging.getLogger("tertulia.courier")

N = TypeVar("N", bound=News | LocalNews)

#: How often everyone looks while the channel is heard.
CONNECTED_POLL_SECONDS = 1.0
RECONNECT_MIN_SECONDS = 0.05
RECONNECT_MAX_SECONDS = 2.0
#: A server that does not answer for so long is not there.
ANSWER_TIMEOUT_SECONDS = 2.0
#: Each process says so often that it is there, which it hears itself.
HEARTBEAT_SECONDS = 5.0
HEARTBEAT = b""
#: A connection on which nothing is heard for so long is dead.
CHANNEL_SILENCE_SECONDS = 15.0
#: Longer bodies are left out of a message: whoever follows their topic reads them by number.
MESSAGE_MAX_CHARS = 256_000
#: What waits to be sent; where it would be more, all of it is dropped.
UNSENT_MAX_MESSAGES = 10_000


class ValkeyMessage(msgspec.Struct, frozen=True, array_like=True):
    """What goes through the channel: news, and which process tells it."""

    sender: str
    news: News


encoder = msgspec.msgpack.Encoder()
decoder = msgspec.msgpack.Decoder(ValkeyMessage)


class ValkeyCourier:
    """Publishes news to a channel and hears what other processes publish there."""

    def __init__(self, url: str, *, channel: str) -> None:
        self._client = make_client(url)
        self._channel = channel
        self._sender = new_id("prc")
        self._handlers = NewsHandlers()
        self._unsent: list[bytes] = []
        self._has_unsent = asyncio.Event()
        self.is_connected = False

    def publish(self, news: News) -> None:
        """Tell this process at once, and the others as soon as can be."""
        self._handlers.call(news)
        if self.is_connected:
            self._send(encoder.encode(ValkeyMessage(self._sender, without_long_bodies(news))))

    def subscribe(self, kind: type[N], handler: Callable[[N], None]) -> None:
        """Have `handler` called with each piece of news of a kind."""
        self._handlers.add(kind, handler)

    async def run(self) -> None:
        """Send, hear, and have everyone look now and then, for as long as the process runs."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._hear_forever())
                tasks.create_task(self._send_forever())
                tasks.create_task(self._poll_forever())
                tasks.create_task(self._beat_forever())
        finally:
            await self._client.aclose()

    async def _hear_forever(self) -> None:
        attempts = 0
        while True:
            try:
                async for _ in self._hear_connection():
                    attempts = 0
            except (RedisError, OSError) as error:
                if self.is_connected or not attempts:
                    reason = explain_valkey_error(error)
                    log.warning("News of other processes arrives late, as Valkey cannot be used: %s.", reason)
            self.is_connected = False
            attempts += 1
            await asyncio.sleep(min(RECONNECT_MAX_SECONDS, RECONNECT_MIN_SECONDS * 2**attempts))

    async def _hear_connection(self) -> AsyncGenerator[None]:
        """Listen on one connection until it fails; yield for each message."""
        async with self._client.pubsub() as listening:
            async with asyncio.timeout(ANSWER_TIMEOUT_SECONDS):
                await listening.subscribe(self._channel)
            messages = cast("AsyncIterator[dict[str, Any]]", listening.listen())
            while True:
                async with asyncio.timeout(CHANNEL_SILENCE_SECONDS):
                    message = await anext(messages)
                if message["type"] == "subscribe":
                    self._begin_hearing()
                elif message["data"] != HEARTBEAT:
                    self._hear(message["data"])
                yield

    def _begin_hearing(self) -> None:
        """From here on all is heard that is published; what came before may have been missed."""
        self.is_connected = True
        self._handlers.call(NewsMayBeLost())

    def _hear(self, data: bytes) -> None:
        try:
            message = decoder.decode(data)
        except msgspec.DecodeError:
            # Of a newer version of ours, perhaps: what it is about can be looked up.
            self._handlers.call(NewsMayBeLost())
            return
        if message.sender != self._sender:
            self._handlers.call(message.news)

    def _send(self, data: bytes) -> None:
        if len(self._unsent) >= UNSENT_MAX_MESSAGES:
            self._unsent.clear()
        self._unsent.append(data)
        self._has_unsent.set()

    async def _send_forever(self) -> None:
        while True:
            await self._has_unsent.wait()
            self._has_unsent.clear()
            taken, self._unsent = self._unsent, []
            try:
                async with (
                    asyncio.timeout(ANSWER_TIMEOUT_SECONDS),
                    self._client.pipeline(transaction=False) as pipeline,
                ):
                    for data in taken:
                        pipeline.publish(self._channel, data)
                    await pipeline.execute()
            except (RedisError, OSError) as error:
                reason = explain_valkey_error(error)
                log.warning("News could not be told to other processes, who find it late: %s.", reason)

    async def _poll_forever(self) -> None:
        while True:
            await asyncio.sleep(CONNECTED_POLL_SECONDS if self.is_connected else NEWS_POLL_SECONDS)
            self._handlers.call(NewsMayBeLost())

    async def _beat_forever(self) -> None:
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            if self.is_connected:
                self._send(HEARTBEAT)


def without_long_bodies(news: News) -> News:
    """Return news as it fits into a message: bodies that would make it too long are left out."""
    if not isinstance(news, EventsStored):
        return news
    room = MESSAGE_MAX_CHARS
    kept: list[StoredEvents] = []
    for stored in news.topics:
        chars = sum(map(len, stored.bodies))
        fits = chars <= room
        room -= chars if fits else 0
        kept.append(stored if fits else StoredEvents(stored.topic, stored.last_seq))
    return EventsStored(tuple(kept))
