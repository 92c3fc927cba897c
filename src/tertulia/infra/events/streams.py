"""Open streams: how many one person may have, and how many of them prepare something at a time."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tertulia.core.errors import Limited

#: More than anybody has tabs and devices that show a conversation at the same time.
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


@dataclass(slots=True)
class PersonStreams:
    """The streams that one person has open."""

    count: int = 0
    preparing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PREPARED_PER_PERSON_MAX))


class OpenStreams:
    """The streams that are open now, by person."""

    def __init__(self) -> None:
        self._by_person: dict[str, PersonStreams] = {}

    def has_room(self, user_id: str) -> bool:
        """Tell whether a person may open one more stream."""
        streams = self._by_person.get(user_id)
        return streams is None or streams.count < STREAMS_PER_PERSON_MAX

    @contextmanager
    def add(self, user_id: str) -> Generator[asyncio.Semaphore]:
        """Count a stream for as long as it is open, and give what it takes to prepare news for it."""
        streams = self._by_person.setdefault(user_id, PersonStreams())
        streams.count += 1
        try:
            yield streams.preparing
        finally:
            streams.count -= 1
            if not streams.count:
                del self._by_person[user_id]
