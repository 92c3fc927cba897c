"""The newest entries of one topic, kept in memory while someone listens."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Generic, Protocol, TypeVar

KEPT = 512


class Numbered(Protocol):
    """Anything that has a place in a sequence."""

    @property
    def seq(self) -> int:
        """The place."""
        ...


T = TypeVar("T", bound=Numbered)


class Feed(Generic[T]):
    """Lets listeners that keep up read from memory; one that fell behind is sent to the database."""

    def __init__(self) -> None:
        self.listeners: set[asyncio.Event] = set()
        self._entries: deque[T] = deque(maxlen=KEPT)

    @property
    def newest(self) -> int:
        """The number of the newest entry; 0 when there is none."""
        return self._entries[-1].seq if self._entries else 0

    def add(self, entries: Sequence[T]) -> None:
        """Take in new entries and wake everyone."""
        if entries and entries[0].seq != self.newest + 1:
            # Memory holds one unbroken sequence: a topic that was deleted and begun anew counts from 1.
            self._entries.clear()
        self._entries.extend(entries)
        for wake in self.listeners:
            wake.set()

    def since(self, after: int) -> list[T] | None:
        """Return the entries after number `after`, or None when memory does not reach back that far."""
        if not self._entries or self._entries[0].seq > after + 1:
            return None
        first = self._entries[0].seq
        return list(self._entries)[max(0, after + 1 - first) :] if after < self._entries[-1].seq else []
