"""A few slots for work that many wait for: people take turns, so that nobody's rush holds up another."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Hashable
from contextlib import asynccontextmanager


class FairSlots:
    """Lets so many work at once; those who wait are let in person by person, each one's in their order."""

    def __init__(self, count: int) -> None:
        self._free = count
        #: Who waits for what, the person first who was let in longest ago.
        self._waiting: OrderedDict[Hashable, deque[asyncio.Future[None]]] = OrderedDict()

    @asynccontextmanager
    async def slot(self, person: Hashable) -> AsyncGenerator[None]:
        """Wait for a slot, and hold it for as long as the block lasts."""
        await self._acquire(person)
        try:
            yield
        finally:
            self._release()

    async def _acquire(self, person: Hashable) -> None:
        if self._free:
            self._free -= 1
            return
        admitted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(person, deque()).append(admitted)
        try:
            await admitted
        except asyncio.CancelledError:
            # Let in at the moment of giving up: the slot is the next one's.
            if admitted.done() and not admitted.cancelled():
                self._release()
            raise

    def _release(self) -> None:
        """Let the next one in, or keep the slot for whoever comes."""
        while self._waiting:
            person, queue = self._waiting.popitem(last=False)
            queue = deque(admitted for admitted in queue if not admitted.done())
            if not queue:
                continue
            queue.popleft().set_result(None)
            if queue:
                self._waiting[person] = queue
            return
        self._free += 1
