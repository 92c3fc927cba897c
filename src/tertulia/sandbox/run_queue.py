"""Whose job is next: everybody in turn, however many jobs somebody has."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tertulia.sandbox.errors import SandboxBusy


class RunQueue:
    """Lets some run at once; the others wait in a queue for each owner, which take turns."""

    def __init__(self, concurrent: int, *, max_waiting: int, max_waiting_per_owner: int) -> None:
        self._free = concurrent
        self._max_waiting = max_waiting
        self._max_waiting_per_owner = max_waiting_per_owner
        self._queues: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """Return how many wait."""
        return sum(map(len, self._queues.values()))

    @asynccontextmanager
    async def acquire(self, owner: str, stop: asyncio.Event) -> AsyncGenerator[bool]:
        """Wait for a turn and keep it for as long as the block lasts; False when stopped before."""
        if self._free > 0:
            self._free -= 1
        elif not await self._wait(owner, stop):
            yield False
            return
        try:
            yield True
        finally:
            self._release()

    async def _wait(self, owner: str, stop: asyncio.Event) -> bool:
        mine = self._queues.get(owner, ())
        if self.waiting >= self._max_waiting or len(mine) >= self._max_waiting_per_owner:
            raise SandboxBusy(len(mine) or self.waiting)
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queues.setdefault(owner, deque()).append(place)
        stopping = asyncio.ensure_future(stop.wait())
        try:
            await asyncio.wait({place, stopping}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self._leave_queue(place)
            raise
        finally:
            stopping.cancel()
        if not place.done():
            self._leave_queue(place)
            return False
        return True

    def _leave_queue(self, place: asyncio.Future[None]) -> None:
        """Give up a place in a queue, or the turn that came of it just now."""
        if place.done():
            self._release()
        place.cancel()
        self._queues = OrderedDict(
            (owner, rest)
            for owner, queue in self._queues.items()
            if (rest := deque(future for future in queue if future is not place))
        )

    def _release(self) -> None:
        """Give a turn that is over to the first of the next owner."""
        if self._queues:
            owner, queue = self._queues.popitem(last=False)
            future = queue.popleft()
            if queue:
                self._queues[owner] = queue
            future.set_result(None)
        else:
            self._free += 1
