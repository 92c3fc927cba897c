"""Giving way: long work is done in slices, and in each turn of the event loop one slice of all that wait."""

import asyncio
from collections import deque


class FairScheduler:
    """Lets one waiting task through in each turn of the event loop, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait_for_slot(self) -> None:
        """Wait for a turn of one's own; whatever else is ready runs before."""
        loop = asyncio.get_running_loop()
        slot: asyncio.Future[None] = loop.create_future()
        self._waiting.append(slot)
        if len(self._waiting) == 1:
            loop.call_soon(self._admit_next)
        await slot

    def _admit_next(self) -> None:
        slot = self._waiting.popleft()
        if not slot.done():
            slot.set_result(None)
        if self._waiting:
            slot.get_loop().call_soon(self._admit_next)
