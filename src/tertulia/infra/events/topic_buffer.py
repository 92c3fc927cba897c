"""The newest entries of one topic, kept in memory while someone listens."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

BUFFERED_EVENTS_MAX = 512


class HasSeq(Protocol):
    """Anything that has a place in a sequence."""

    @property
    def seq(self) -> int:
        """The place."""
        ...


T = TypeVar("T", bound=HasSeq)


class TopicBuffer(Generic[T]):
    """Lets listeners that keep up read from memory; one that fell behind is sent to the database."""

    def __init__(self) -> None:
        self.subscribers: set[asyncio.Event] = set()
        self._entries: deque[T] = deque(maxlen=BUFFERED_EVENTS_MAX)

    @property
    def last_seq(self) -> int:
        """The number of the newest entry; 0 when there is none."""
        return self._entries[-1].seq if self._entries else 0

    def publish(self, entries: Sequence[T]) -> None:
        """Take in new entries and wake everyone."""
        if entries and entries[0].seq != self.last_seq + 1:
            # Memory holds one unbroken sequence: a topic that was deleted and begun anew counts from 1.
            self._entries.clear()
        self._entries.extend(entries)
        for wake in self.subscribers:
            wake.set()

    def entries_after(self, cursor: int) -> list[T] | None:
        """Return the entries after number `cursor`, or None when memory does not reach back that far."""
        if not self._entries or self._entries[0].seq > cursor + 1:
            return None
        first = self._entries[0].seq
        return list(self._entries)[max(0, cursor + 1 - first) :] if cursor < self._entries[-1].seq else []
