"""The event log: every event of a topic has the next number, is stored, and only then heard.

A listener asks for all that comes after a number. What it missed and what is
yet to come are one sequence, so a reload, a second device and a restart are the
same case. Events are heard only after their commit: nothing that a person saw
can be lost.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from tertulia.core.errors import TertuliaError
from tertulia.infra.courier import Courier, InProcessCourier
from tertulia.infra.courier.news import EventsStored, NewsMayBeLost, StoredEvents, TopicEnded
from tertulia.infra.db import Database, Tx, bound_list, bound_rows
from tertulia.infra.events.streams import OpenStreams
from tertulia.infra.events.topic_feed import EventEntry, TopicFeed

log = logging.getLogger("tertulia.events")

EVENTS_PAGE_SIZE = 500
#: What a listener is given at a time: few enough to be read without a thread.
SLICE_MAX_ENTRIES = 50
#: What these have together; a longer entry comes by itself.
SLICE_MAX_BYTES = 256_000


@dataclass(frozen=True, slots=True)
class EventRow:
    """A row of the log."""

    seq: int
    body: str


@dataclass(frozen=True, slots=True)
class TopicCounter:
    """A topic and the number of its newest event."""

    topic: str
    last_seq: int


# One statement however many topics: in a busy process each statement waits for its turn among the threads.
ADVANCE_TOPICS_SQL = f"""
    INSERT INTO topics (topic, last_seq)
    SELECT topic, events FROM {bound_rows("counts", "topic", "events BIGINT")} AS counts WHERE true
    ON CONFLICT (topic) DO UPDATE SET last_seq = topics.last_seq + excluded.last_seq
    RETURNING topic, last_seq"""
INSERT_EVENTS_SQL = f"""
    INSERT INTO events (topic, seq, body)
    SELECT topic, seq, body FROM {bound_rows("entries", "topic", "seq BIGINT", "body")} AS entries"""
# A long body would be written into the JSON and read from it three times: it is bound by itself.
INSERT_LONG_EVENT_SQL = "INSERT INTO events (topic, seq, body) VALUES (:topic, :seq, :body)"
LONG_EVENT_MIN_CHARS = 4_000


@dataclass(frozen=True, slots=True)
class AddedEvents:
    """The events that a transaction appends to topics, in their order."""

    tx: Tx
    courier: Courier
    bodies: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def write(self) -> None:
        """Number and store them."""
        # In one order for all: the row of each topic is locked until the commit, which numbers its events.
        counts = sorted((topic, len(bodies)) for topic, bodies in self.bodies.items() if bodies)
        if not counts:
            return
        counters = self.tx.all(TopicCounter, ADVANCE_TOPICS_SQL, counts=counts)
        last = {counter.topic: counter.last_seq for counter in counters}
        entries = [
            EventEntry(topic, seq, body)
            for topic, count in counts
            for seq, body in enumerate(self.bodies[topic], last[topic] - count + 1)
        ]
        insert_events(self.tx, entries)
        stored = tuple(StoredEvents(topic, last[topic], tuple(self.bodies[topic])) for topic, _ in counts)
        self.tx.after_commit(lambda: self.courier.publish(EventsStored(stored)))


class EventLog:
    """Appends to topics and lets any number of listeners follow them."""

    def __init__(self, db: Database, *, courier: Courier | None = None) -> None:
        self._db = db
        self.courier: Courier = courier or InProcessCourier()
        self._feeds: dict[str, TopicFeed] = {}
        self.is_closed = False
        self.streams = OpenStreams()
        self.courier.subscribe(EventsStored, self._hear_stored)
        self.courier.subscribe(TopicEnded, self._hear_ended)
        self.courier.subscribe(NewsMayBeLost, self._look_for_lost_news)
        self._looking: asyncio.Task[None] | None = None

    def append(self, tx: Tx, topic: str, bodies: Sequence[str]) -> None:
        """Number and store events as part of `tx`; listeners hear them once it is committed."""
        self.append_all(tx, {topic: bodies})

    def append_all(self, tx: Tx, bodies_by_topic: Mapping[str, Sequence[str]]) -> None:
        """Append to many topics at once; what a transaction appends is stored together at its end."""
        added = tx.collect(self, lambda: AddedEvents(tx, self.courier))
        for topic, bodies in bodies_by_topic.items():
            added.bodies.setdefault(topic, []).extend(bodies)

    def delete_topic(self, tx: Tx, topic: str, farewell: str) -> None:
        """Delete a topic for good; those who listen just now hear `farewell` as its last event."""
        tx.write_late()
        last = last_seq(tx, topic)
        tx.run("DELETE FROM topics WHERE topic = :topic", topic=topic)
        tx.after_commit(lambda: self.courier.publish(TopicEnded(topic, last + 1, farewell)))

    def suspend_topic(self, tx: Tx, topic: str, farewell: str) -> None:
        """End a topic that may be taken up again: `farewell` is stored as its last event so far."""
        self.append(tx, topic, [farewell])
        last = last_seq(tx, topic)
        tx.after_commit(lambda: self.courier.publish(TopicEnded(topic, last, None)))

    def overwrite_events(self, tx: Tx, topic: str, *, mentioned_id: str, body: str) -> None:
        """Put `body` in the place of every stored event that names something; the numbers stay."""
        tx.write_late()
        tx.run(
            "UPDATE events SET body = :body WHERE topic = :topic AND body LIKE :pattern",
            topic=topic,
            body=body,
            pattern=f'%"{mentioned_id}"%',
        )

    def overwrite_events_by_prefix(self, tx: Tx, topic: str, *, prefix: str, after: int, body: str) -> None:
        """Put `body` in the place of events after number `cursor` whose JSON begins so; the numbers stay."""
        tx.write_late()
        tx.run(
            """UPDATE events SET body = :body WHERE topic = :topic AND seq > :after
               AND substr(body, 1, length(:beginning)) = :beginning""",
            topic=topic,
            after=after,
            body=body,
            beginning=prefix,
        )

    async def subscribe(
        self, topic: str, cursor: int, *, idle_seconds: float
    ) -> AsyncGenerator[Sequence[EventEntry], None]:
        """Yield all entries after number `cursor`, in order and each once; [] when it is quiet or gone."""
        with self.listen({topic: cursor}) as listener:
            while not self.is_closed:
                if entries := await listener.read():
                    yield entries
                elif not await listener.wait(idle_seconds) or listener.has_lost_topic:
                    yield []

    @contextmanager
    def listen(self, after: Mapping[str, int]) -> Generator["Listener"]:
        """Give a listener of topics that starts after the given number of each."""
        feeds = {topic: self._feeds.setdefault(topic, TopicFeed(topic)) for topic in after}
        listener = Listener(after, feeds=feeds, db=self._db)
        for topic, feed in feeds.items():
            feed.subscribers.add(listener.wake)
            feed.catch_up(after[topic])
        try:
            yield listener
        finally:
            for topic, feed in feeds.items():
                feed.subscribers.discard(listener.wake)
                if not feed.subscribers:
                    self._feeds.pop(topic, None)

    def close(self) -> None:
        """End every listener's stream: the server is about to stop."""
        self.is_closed = True
        if self._looking is not None:
            self._looking.cancel()
        for feed in self._feeds.values():
            feed.wake_all()

    def _hear_stored(self, news: EventsStored) -> None:
        for stored in news.topics:
            if feed := self._feeds.get(stored.topic):
                feed.hear(stored.last_seq, stored.bodies)

    def _hear_ended(self, news: TopicEnded) -> None:
        if news.farewell is not None and (feed := self._feeds.get(news.topic)):
            feed.end(news.last_seq, news.farewell)

    def _look_for_lost_news(self, _: NewsMayBeLost) -> None:
        if self._feeds and not self.is_closed and (self._looking is None or self._looking.done()):
            self._looking = asyncio.create_task(self._catch_up())

    async def _catch_up(self) -> None:
        """Tell every feed how far its topic has come, whatever was heard of that."""
        topics = list(self._feeds)
        try:
            last = await self._db.read(lambda tx: last_seqs(tx, topics), by=None)
        except TertuliaError as error:
            log.warning("It could not be looked up what is new: %s", error)
            return
        for topic in topics:
            if feed := self._feeds.get(topic):
                feed.catch_up(last.get(topic))


class Listener:
    """How far one listener has come in some topics, and what comes next: a slice at a time."""

    def __init__(self, after: Mapping[str, int], *, feeds: Mapping[str, TopicFeed], db: Database) -> None:
        self.wake = asyncio.Event()
        self._after = dict(after)
        self._feeds = feeds
        #: The topics of which all that was said before is read. That is read from the database alone: it may
        #: have been deleted there since.
        self._caught_up: set[str] = set()
        self._db = db

    async def read(self) -> Sequence[EventEntry]:
        """Return the next entries of one topic, or none; those of the topic that was named last come first.

        What a person's feed says of a conversation is committed together with what happened in it, and
        can only be understood after that.
        """
        self.wake.clear()
        for topic in reversed(self._after):
            if entries := await self.read_topic(topic):
                return entries
        return []

    async def read_topic(self, topic: str) -> Sequence[EventEntry]:
        """Return the next entries of one topic, or none."""
        if entries := await self._read(topic):
            self._after[topic] = entries[-1].seq
        return entries

    @property
    def has_lost_topic(self) -> bool:
        """Tell whether a topic is gone without a word."""
        return any(feed.is_missing for feed in self._feeds.values())

    async def wait(self, seconds: float) -> bool:
        """Wait for something new; False when nothing came for so long, and all is looked up again."""
        if await wait_for_wake(self.wake, seconds):
            return True
        self._caught_up.clear()
        return False

    async def _read(self, topic: str) -> Sequence[EventEntry]:
        after, feed = self._after[topic], self._feeds[topic]
        recent = feed.entries_after(after) if topic in self._caught_up else None
        if recent is not None:
            return recent[: count_within(len(entry.body) for entry in recent)]
        farewell = feed.farewell
        stored = await self._db.read_inline(lambda tx: read_slice(tx, topic, after), by=None)
        if stored:
            return stored
        self._caught_up.add(topic)
        return [farewell] if farewell is not None and farewell.seq > after else []


def count_within(sizes: Iterable[int]) -> int:
    """Return how many of the first entries, of these sizes, are one slice: at least one."""
    total = 0
    for count, size in enumerate(islice(sizes, SLICE_MAX_ENTRIES)):
        total += size
        if total > SLICE_MAX_BYTES:
            return max(1, count)
    return SLICE_MAX_ENTRIES


def read_slice(tx: Tx, topic: str, after: int) -> list[EventEntry]:
    """Return the next stored entries of a topic, as many as one slice has."""
    sizes = tx.column(
        """SELECT octet_length(body) FROM events WHERE topic = :topic AND seq > :after
           ORDER BY seq LIMIT :limit""",
        topic=topic,
        after=after,
        limit=SLICE_MAX_ENTRIES,
    )
    return read_events(tx, topic, after, limit=count_within(sizes)) if sizes else []


def insert_events(tx: Tx, entries: Sequence[EventEntry]) -> None:
    """Store numbered entries."""
    short = [
        (entry.topic, entry.seq, entry.body) for entry in entries if len(entry.body) < LONG_EVENT_MIN_CHARS
    ]
    if short:
        tx.run(INSERT_EVENTS_SQL, entries=short)
    for entry in entries:
        if len(entry.body) >= LONG_EVENT_MIN_CHARS:
            tx.run(INSERT_LONG_EVENT_SQL, topic=entry.topic, seq=entry.seq, body=entry.body)


def read_events(tx: Tx, topic: str, after: int, *, limit: int = EVENTS_PAGE_SIZE) -> list[EventEntry]:
    """Return the next stored entries of a topic."""
    tx.write_late()
    rows = tx.all(
        EventRow,
        "SELECT seq, body FROM events WHERE topic = :topic AND seq > :after ORDER BY seq LIMIT :limit",
        topic=topic,
        after=after,
        limit=limit,
    )
    return [EventEntry(topic, row.seq, row.body) for row in rows]


def is_stored(tx: Tx, topic: str, body: str) -> bool:
    """Tell whether a topic has an event with this body: for whoever does not know what became of a write."""
    sql = "SELECT 1 FROM events WHERE topic = :topic AND body = :body LIMIT 1"
    return tx.value(sql, topic=topic, body=body) is not None


def last_seq(tx: Tx, topic: str) -> int:
    """Return the number of a topic's newest event; 0 when it has none."""
    tx.write_late()
    return int(tx.value("SELECT last_seq FROM topics WHERE topic = :topic", topic=topic) or 0)


def last_seqs(tx: Tx, topics: Sequence[str]) -> dict[str, int]:
    """Return the number of the newest event of each topic that there is."""
    sql = f"SELECT topic, last_seq FROM topics WHERE topic IN {bound_list('topics')}"
    return {row.topic: row.last_seq for row in tx.all(TopicCounter, sql, topics=list(topics))}


def first_stored_seq(tx: Tx, topic: str) -> int:
    """Return the number of the oldest event that is still stored; what came before was pruned."""
    oldest = tx.value("SELECT min(seq) FROM events WHERE topic = :topic", topic=topic)
    return int(oldest) if oldest is not None else last_seq(tx, topic) + 1


def delete_topics_by_suffix(tx: Tx, suffix: str) -> None:
    """Forget the topics whose names end so: it reads through all of them."""
    tx.run("DELETE FROM topics WHERE topic LIKE :pattern", pattern=f"%{suffix}")


def delete_events_through(tx: Tx, topic: str, through: int) -> None:
    """Forget a topic's events up to and including number `through`; numbering goes on."""
    tx.write_late()
    tx.run("DELETE FROM events WHERE topic = :topic AND seq <= :through", topic=topic, through=through)


async def wait_for_wake(wake: asyncio.Event, seconds: float) -> bool:
    """Wait to be woken; False when nothing came for `seconds`."""
    # A bare timer: every event of every listener comes through here, and `asyncio.timeout` is not free.
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    timer = loop.call_at(until, wake.set)
    try:
        await wake.wait()
    finally:
        timer.cancel()
    return loop.time() < until
