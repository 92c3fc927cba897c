"""Giving up on silence with one timer per stream.

`asyncio.timeout` around every read costs more than reading the event does, and
one around the whole loop would also cancel whoever consumes the events.
"""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

T = TypeVar("T")
#: What is added once time is up, to read what arrived while our own side was busy.
GRACE_SECONDS = 0.01


class SilenceTimeout:
    """Waits for things, but no more than `seconds` in all until it is renewed.

    Only time spent waiting counts, not what our own side takes between two waits.
    """

    def __init__(self, seconds: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._seconds_left = seconds
        self._started = 0.0
        self._waiting: asyncio.Task[object] | None = None
        #: When the wait began whose time is up.
        self._overdue: float | None = None
        self._timed_out = False
        self._timer = self._loop.call_later(seconds, self._check)

    def reset(self, seconds: float) -> None:
        """Wait for so long from now on; a shorter time is noticed when the timer next looks."""
        shorter = seconds < self._seconds_left
        self._seconds_left = seconds
        if shorter:
            self._schedule_check(seconds)

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Return what `awaitable` gives, or raise TimeoutError once it took too long."""
        task = self._waiting = asyncio.current_task()
        cancelled_before = task.cancelling() if task else 0
        self._started = self._loop.time()
        try:
            return await awaitable
        except asyncio.CancelledError:
            if self._timed_out and task is not None and task.uncancel() <= cancelled_before:
                raise TimeoutError from None
            raise
        finally:
            self._waiting = None
            self._seconds_left -= self._loop.time() - self._started

    def stop(self) -> None:
        """Put the timer away."""
        self._timer.cancel()

    def _check(self) -> None:
        spent = self._loop.time() - self._started if self._waiting else 0.0
        if self._waiting is None or spent < self._seconds_left:
            self._schedule_check(max(self._seconds_left - spent, 0.01))
        elif self._overdue != self._started:
            self._overdue = self._started
            self._schedule_check(GRACE_SECONDS)
        else:
            self._timed_out = True
            self._waiting.cancel()

    def _schedule_check(self, seconds: float) -> None:
        self._timer.cancel()
        self._timer = self._loop.call_later(seconds, self._check)
