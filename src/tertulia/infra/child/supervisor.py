"""Keeps one child process: started on first use, stopped when idle, started anew after a crash."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

from tertulia.infra.child.process import ChildProcess

CHILD_STOP_GRACE_SECONDS = 3
CHILD_IDLE_SECONDS = 600
CHILD_EXIT_NOTICE_SECONDS = 0.5

log = logging.getLogger("tertulia.child")


class ChildHandle(Protocol):
    """Whatever is known of a child that runs."""

    @property
    def child(self) -> ChildProcess:
        """Return the process itself."""
        ...


C = TypeVar("C", bound=ChildHandle)


class ChildSupervisor(Generic[C]):
    """Keeps a child that several may use at once."""

    def __init__(self, title: str, start: Callable[[], Awaitable[C]], *, idle_seconds: float) -> None:
        self._title = title
        self._start = start
        self._idle_seconds = idle_seconds
        self._handle: C | None = None
        self._starting = asyncio.Lock()
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[C]:
        """Give the child, and keep it running for as long as the block lasts."""
        self._users += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            yield await self._ensure_started()
        finally:
            self._users -= 1
            if self._users == 0:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._idle_seconds, self._stop_if_idle)

    @property
    def pid(self) -> int | None:
        """Return the process's number while it runs."""
        return self._handle.child.pid if self._handle and self._handle.child.is_running else None

    async def has_died(self) -> bool:
        """Tell whether the child is gone, which may be known only a moment after it stopped answering."""
        return self._handle is None or await self._handle.child.ends_within(CHILD_EXIT_NOTICE_SECONDS)

    async def close(self) -> None:
        """Stop the child, if it runs."""
        if self._timer is not None:
            self._timer.cancel()
        async with self._starting:
            if self._handle is not None:
                await self._handle.child.stop(grace_seconds=CHILD_STOP_GRACE_SECONDS)
                self._handle = None

    def _stop_if_idle(self) -> None:
        if self._users == 0:
            task = asyncio.get_running_loop().create_task(self.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _ensure_started(self) -> C:
        async with self._starting:
            if self._handle is not None and not self._handle.child.is_running:
                log.warning("%s stopped by itself and is started again.", self._title)
                self._handle = None
            if self._handle is None:
                self._handle = await self._start()
            return self._handle
