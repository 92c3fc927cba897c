"""Open streams of a process: how many a person may have, and how many of them prepare something at a time."""

import asyncio
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tertulia.core.errors import Limited
from tertulia.core.principal import Principal

#: More than anybody has tabs and devices that show a conversation at the same time. It bounds what a person
#: costs one process, and so each process counts for itself.
STREAMS_PER_PERSON_MAX = 32
#: What is prepared may be a long reply, several times over: the rest of one person's streams wait.
PREPARED_PER_PERSON_MAX = 2


class TooManyStreams(Limited):
    """One person has as many event streams open as we hold."""

    code = "too_many_streams"
    retry_after = 5

    def __init__(self) -> None:
        super().__init__(
            f"You have {STREAMS_PER_PERSON_MAX} event streams open, which is the most. "
            "Close some, or try again in a moment."
        )


@dataclass(slots=True, eq=False)
class OpenStream:
    """One stream, as long as it is open."""

    principal: Principal
    #: Set when the stream has something to do.
    wake: asyncio.Event
    #: What it takes to prepare news for it.
    preparing: asyncio.Semaphore
    is_revoked: bool = False


@dataclass(slots=True)
class PersonStreams:
    """The streams that one person has open."""

    open: set[OpenStream] = field(default_factory=set[OpenStream])
    preparing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PREPARED_PER_PERSON_MAX))


class OpenStreams:
    """The streams that are open now, by person."""

    def __init__(self) -> None:
        self._by_person: dict[str, PersonStreams] = {}

    def has_room(self, user_id: str) -> bool:
        """Tell whether a person may open one more stream."""
        streams = self._by_person.get(user_id)
        return streams is None or len(streams.open) < STREAMS_PER_PERSON_MAX

    @property
    def principals(self) -> frozenset[Principal]:
        """Return as whom streams are open."""
        return frozenset(stream.principal for stream in self._list_open())

    @contextmanager
    def add(self, principal: Principal, *, wake: asyncio.Event) -> Generator[OpenStream]:
        """Count a stream for as long as it is open; `wake` is set when its principal may not hear more."""
        streams = self._by_person.setdefault(principal.user_id, PersonStreams())
        stream = OpenStream(principal, wake, streams.preparing)
        streams.open.add(stream)
        try:
            yield stream
        finally:
            streams.open.discard(stream)
            if not streams.open:
                del self._by_person[principal.user_id]

    def revoke(self, principals: Collection[Principal]) -> None:
        """End the streams of some principals."""
        for stream in self._list_open():
            if stream.principal in principals:
                stream.is_revoked = True
                stream.wake.set()

    def _list_open(self) -> Iterator[OpenStream]:
        return (stream for streams in self._by_person.values() for stream in streams.open)
