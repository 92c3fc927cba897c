"""What is known of one topic while someone listens: its newest number, and its newest entries in memory."""

import asyncio
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

BUFFERED_EVENTS_MAX = 512


@dataclass(frozen=True, slots=True)
class EventEntry:
    """One numbered event of a topic; `body` is its JSON."""

    topic: str
    seq: int
    body: str


class TopicFeed:
    """Lets listeners that keep up read from memory; one that fell behind is sent to the database.

    Memory holds one unbroken sequence that ends with the newest number known. News that leaves a gap begins
    another sequence, news that is known already is passed over, and whoever needs what memory does not hold
    reads it by its number. So nothing depends on how often or in which order news arrives.
    """

    def __init__(self, topic: str) -> None:
        self.topic = topic
        self.subscribers: set[asyncio.Event] = set()
        #: What is heard last of a topic that was deleted.
        self.farewell: EventEntry | None = None
        #: Whether it was deleted and its farewell never came.
        self.is_missing = False
        self._last_seq = 0
        self._entries: deque[EventEntry] = deque(maxlen=BUFFERED_EVENTS_MAX)

    @property
    def last_seq(self) -> int:
        """The newest number known; 0 when none is."""
        return self._last_seq

    def hear(self, last_seq: int, bodies: Sequence[str] = ()) -> None:
        """Take in that the topic has come to a number, with the bodies of the newest events or without."""
        if last_seq > self._last_seq:
            first = last_seq - len(bodies) + 1
            if first > self._last_seq + 1:
                self._entries.clear()
            fresh = bodies[max(0, self._last_seq + 1 - first) :]
            first = last_seq - len(fresh) + 1
            self._entries.extend(EventEntry(self.topic, seq, body) for seq, body in enumerate(fresh, first))
            self._last_seq = last_seq
        self.wake_all()

    def catch_up(self, stored_seq: int | None) -> None:
        """Take in what the database says: how far the topic has come, or that it is not there."""
        # Before its first event there is no topic either.
        self.is_missing = stored_seq is None and self._last_seq > 0 and self.farewell is None
        if self.is_missing:
            self.wake_all()
        elif stored_seq is not None and stored_seq > self._last_seq:
            self.hear(stored_seq)

    def end(self, last_seq: int, farewell: str) -> None:
        """Take in that the topic was deleted: what it said is gone, and only this is still to be heard."""
        self._entries.clear()
        self._last_seq = max(self._last_seq, last_seq)
        self.farewell = EventEntry(self.topic, last_seq, farewell)
        self.wake_all()

    def wake_all(self) -> None:
        """Wake everyone who listens."""
        for wake in self.subscribers:
            wake.set()

    def entries_after(self, cursor: int) -> list[EventEntry] | None:
        """Return the entries after number `cursor`, or None when memory cannot tell."""
        if self.farewell is not None:
            return None
        if cursor >= self._last_seq > 0:
            return []
        if not self._entries or self._entries[0].seq > cursor + 1:
            return None
        return list(self._entries)[cursor + 1 - self._entries[0].seq :]
