"""Giving way: long work is done in slices, and in each turn of the event loop one slice of all that wait."""

import asyncio
from collections import deque


class Turnstile:
    """Lets one waiting task through in each turn of the event loop, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def wait(self) -> None:
        """Wait for a turn of one's own; whatever else is ready runs before."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        if len(self._waiting) == 1:
            loop.call_soon(self._admit)
        await turn

    def _admit(self) -> None:
        turn = self._waiting.popleft()
        if not turn.done():
            turn.set_result(None)
        if self._waiting:
            turn.get_loop().call_soon(self._admit)
