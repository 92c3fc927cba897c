"""The event log: every event of a topic has the next number, is stored, and only then heard.

A listener asks for all that comes after a number. What it missed and what is
yet to come are one sequence, so a reload, a second device and a restart are the
same case. Events are heard only after their commit: nothing that a person saw
can be lost.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from tertulia.infra.db import Database, Tx
from tertulia.infra.events.feed import Feed
from tertulia.infra.events.streams import OpenStreams

PAGE = 500
#: What a listener is given at a time: few enough to be read without a thread.
SLICE_MAX_ENTRIES = 50
#: What these have together; a longer entry comes by itself.
SLICE_MAX_BYTES = 256_000


@dataclass(frozen=True, slots=True)
class Entry:
    """One numbered event of a topic; `body` is its JSON."""

    topic: str
    seq: int
    body: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A row of the log."""

    seq: int
    body: str


@dataclass(frozen=True, slots=True)
class Numbered:
    """A topic and the number of its newest event."""

    topic: str
    last_seq: int


# One statement however many topics: in a busy process each statement waits for its turn among the threads.
COUNT_ON = """
    INSERT INTO topics (topic, last_seq)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]') FROM json_each(:counts) WHERE true
    ON CONFLICT (topic) DO UPDATE SET last_seq = last_seq + excluded.last_seq
    RETURNING topic, last_seq"""
STORE = """
    INSERT INTO events (topic, seq, body)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]')
    FROM json_each(:entries)"""
# A long body would be written into the JSON and read from it three times: it is bound by itself.
STORE_LONG = "INSERT INTO events (topic, seq, body) VALUES (:topic, :seq, :body)"
LONG_EVENT_MIN_CHARS = 4_000


class EventLog:
    """Appends to topics and lets any number of listeners follow them."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._feeds: dict[str, Feed[Entry]] = {}
        self.is_closed = False
        self.streams = OpenStreams()
        #: Called with the name of each topic that is deleted or suspended, once that is safe on disk.
        self.when_forgotten: list[Callable[[str], None]] = []

    def append(self, tx: Tx, topic: str, bodies: Sequence[str]) -> int:
        """Number and store events as part of `tx`; listeners hear them once it is committed."""
        return self.append_all(tx, {topic: bodies}).get(topic) or last_seq(tx, topic)

    def append_all(self, tx: Tx, news: Mapping[str, Sequence[str]]) -> dict[str, int]:
        """Append to many topics at once, and return the newest number of each that has news."""
        counts = [(topic, len(bodies)) for topic, bodies in news.items() if bodies]
        if not counts:
            return {}
        last = {row.topic: row.last_seq for row in tx.all(Numbered, COUNT_ON, counts=counts)}
        numbered = {
            topic: [Entry(topic, seq, body) for seq, body in enumerate(news[topic], last[topic] - count + 1)]
            for topic, count in counts
        }
        store(tx, [entry for entries in numbered.values() for entry in entries])
        tx.after_commit(lambda: self._publish_all(numbered))
        return last

    def forget(self, tx: Tx, topic: str, farewell: str) -> None:
        """Delete a topic for good; those who listen just now hear `farewell` as its last event."""
        last = last_seq(tx, topic)
        tx.run("DELETE FROM topics WHERE topic = :topic", topic=topic)
        tx.after_commit(lambda: self._part(Entry(topic, last + 1, farewell)))

    def suspend(self, tx: Tx, topic: str, farewell: str) -> None:
        """End a topic that may be taken up again: `farewell` is stored as its last event so far."""
        self.append(tx, topic, [farewell])
        tx.after_commit(lambda: self._tell_forgotten(topic))

    def overwrite(self, tx: Tx, topic: str, *, naming: str, body: str) -> None:
        """Put `body` in the place of every stored event that names something; the numbers stay."""
        tx.run(
            "UPDATE events SET body = :body WHERE topic = :topic AND body LIKE :pattern",
            topic=topic,
            body=body,
            pattern=f'%"{naming}"%',
        )

    def overwrite_beginning(self, tx: Tx, topic: str, *, beginning: str, after: int, body: str) -> None:
        """Put `body` in the place of events after number `after` whose JSON begins so; the numbers stay."""
        tx.run(
            """UPDATE events SET body = :body WHERE topic = :topic AND seq > :after
               AND substr(body, 1, length(:beginning)) = :beginning""",
            topic=topic,
            after=after,
            body=body,
            beginning=beginning,
        )

    async def follow(
        self, topic: str, after: int, *, idle_seconds: float
    ) -> AsyncGenerator[Sequence[Entry], None]:
        """Yield all entries after number `after`, in order and each once; [] when it is quiet for long."""
        with self.listen({topic: after}) as listener:
            while not self.is_closed:
                if entries := await listener.read():
                    yield entries
                elif not await listener.wait(idle_seconds):
                    yield []

    @contextmanager
    def listen(self, after: Mapping[str, int]) -> Generator["Listener"]:
        """Give a listener of topics that starts after the given number of each."""
        feeds = {topic: self._feeds.setdefault(topic, Feed()) for topic in after}
        listener = Listener(after, feeds=feeds, db=self._db)
        for feed in feeds.values():
            feed.listeners.add(listener.wake)
        try:
            yield listener
        finally:
            for topic, feed in feeds.items():
                feed.listeners.discard(listener.wake)
                if not feed.listeners:
                    self._feeds.pop(topic, None)

    def close(self) -> None:
        """End every listener's stream: the server is about to stop."""
        self.is_closed = True
        for feed in self._feeds.values():
            feed.add([])

    def _publish_all(self, numbered: Mapping[str, Sequence[Entry]]) -> None:
        for topic, entries in numbered.items():
            self._publish(topic, entries)

    def _publish(self, topic: str, entries: Sequence[Entry]) -> None:
        if feed := self._feeds.get(topic):
            feed.add(entries)

    def _part(self, farewell: Entry) -> None:
        self._publish(farewell.topic, [farewell])
        self._tell_forgotten(farewell.topic)

    def _tell_forgotten(self, topic: str) -> None:
        for tell in self.when_forgotten:
            tell(topic)


class Listener:
    """How far one listener has come in some topics, and what comes next: a slice at a time."""

    def __init__(self, after: Mapping[str, int], *, feeds: Mapping[str, Feed[Entry]], db: Database) -> None:
        self.wake = asyncio.Event()
        self._after = dict(after)
        self._feeds = feeds
        # What was said before is read from the database alone: it may have been deleted there since.
        self._stored_through = {topic: feed.newest for topic, feed in feeds.items()}
        self._db = db

    async def read(self) -> Sequence[Entry]:
        """Return the next entries of one topic, or none; those of the topic that was named last come first.

        What a person's feed says of a conversation is committed together with what happened in it, and
        can only be understood after that.
        """
        self.wake.clear()
        for topic in reversed(self._after):
            if entries := await self._read(topic):
                self._after[topic] = entries[-1].seq
                return entries
        return []

    async def wait(self, seconds: float) -> bool:
        """Wait for something new; False when nothing came for so long."""
        return await woken(self.wake, seconds)

    async def _read(self, topic: str) -> Sequence[Entry]:
        after = self._after[topic]
        recent = self._feeds[topic].since(after) if after >= self._stored_through[topic] else None
        if recent is None:
            return await self._db.glance(lambda tx: read_slice(tx, topic, after), by=None)
        return recent[: count_within(len(entry.body) for entry in recent)]


def count_within(sizes: Iterable[int]) -> int:
    """Return how many of the first entries, of these sizes, are one slice: at least one."""
    total = 0
    for count, size in enumerate(islice(sizes, SLICE_MAX_ENTRIES)):
        total += size
        if total > SLICE_MAX_BYTES:
            return max(1, count)
    return SLICE_MAX_ENTRIES


def read_slice(tx: Tx, topic: str, after: int) -> list[Entry]:
    """Return the next stored entries of a topic, as many as one slice has."""
    sizes = tx.column(
        """SELECT octet_length(body) FROM events WHERE topic = :topic AND seq > :after
           ORDER BY seq LIMIT :limit""",
        topic=topic,
        after=after,
        limit=SLICE_MAX_ENTRIES,
    )
    return read(tx, topic, after, limit=count_within(sizes)) if sizes else []


def store(tx: Tx, entries: Sequence[Entry]) -> None:
    """Store numbered entries."""
    short = [
        (entry.topic, entry.seq, entry.body) for entry in entries if len(entry.body) < LONG_EVENT_MIN_CHARS
    ]
    if short:
        tx.run(STORE, entries=short)
    for entry in entries:
        if len(entry.body) >= LONG_EVENT_MIN_CHARS:
            tx.run(STORE_LONG, topic=entry.topic, seq=entry.seq, body=entry.body)


def read(tx: Tx, topic: str, after: int, *, limit: int = PAGE) -> list[Entry]:
    """Return the next stored entries of a topic."""
    rows = tx.all(
        Stored,
        "SELECT seq, body FROM events WHERE topic = :topic AND seq > :after ORDER BY seq LIMIT :limit",
        topic=topic,
        after=after,
        limit=limit,
    )
    return [Entry(topic, row.seq, row.body) for row in rows]


def last_seq(tx: Tx, topic: str) -> int:
    """Return the number of a topic's newest event; 0 when it has none."""
    return int(tx.value("SELECT last_seq FROM topics WHERE topic = :topic", topic=topic) or 0)


def first_kept(tx: Tx, topic: str) -> int:
    """Return the number of the oldest event that is still stored; what came before was pruned."""
    oldest = tx.value("SELECT min(seq) FROM events WHERE topic = :topic", topic=topic)
    return int(oldest) if oldest is not None else last_seq(tx, topic) + 1


def prune(tx: Tx, topic: str, through: int) -> None:
    """Forget a topic's events up to and including number `through`; numbering goes on."""
    tx.run("DELETE FROM events WHERE topic = :topic AND seq <= :through", topic=topic, through=through)


async def woken(wake: asyncio.Event, seconds: float) -> bool:
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
