"""Processes of our own that run models: what they are given, and how long they are kept."""

import asyncio
import logging
import os
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Generic, Protocol, TypeVar

CHILD_STOP_GRACE_SECONDS = 3
CHILD_IDLE_SECONDS = 600
CHILD_EXIT_NOTICE_SECONDS = 0.5
#: All of the environment that a process is given: no keys, no addresses.
CHILD_ENVIRONMENT_NAMES = (
    "PATH",
    "HOME",
    "LANG",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "SYSTEMROOT",
    "TMPDIR",
    "TEMP",
)

log = logging.getLogger("tertulia.models")


class ChildHandle(Protocol):
    """Whatever is known of a process that runs."""

    @property
    def process(self) -> asyncio.subprocess.Process:
        """Return the process itself."""
        ...


C = TypeVar("C", bound=ChildHandle)


class ChildSupervisor(Generic[C]):
    """Keeps one process: started on first use, stopped when idle, started anew after a crash."""

    def __init__(self, title: str, start: Callable[[], Awaitable[C]], *, idle_seconds: float) -> None:
        self._title = title
        self._start = start
        self._idle_seconds = idle_seconds
        self._child: C | None = None
        self._starting = asyncio.Lock()
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[C]:
        """Give the process, and keep it running for as long as the block lasts."""
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
        alive = self._child is not None and self._child.process.returncode is None
        return self._child.process.pid if self._child and alive else None

    async def has_died(self) -> bool:
        """Tell whether the process is gone, which may be known only a moment after it stopped answering."""
        if self._child is None:
            return True
        try:
            async with asyncio.timeout(CHILD_EXIT_NOTICE_SECONDS):
                await self._child.process.wait()
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Stop the process, if it runs."""
        if self._timer is not None:
            self._timer.cancel()
        async with self._starting:
            if self._child is not None:
                await stop_child(self._child.process)
                self._child = None

    def _stop_if_idle(self) -> None:
        if self._users == 0:
            task = asyncio.get_running_loop().create_task(self.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _ensure_started(self) -> C:
        async with self._starting:
            if self._child is not None and self._child.process.returncode is not None:
                log.warning("%s stopped by itself and is started again.", self._title)
                self._child = None
            if self._child is None:
                self._child = await self._start()
            return self._child


def child_environment() -> dict[str, str]:
    """Return the environment for a process that needs no secrets."""
    return {name: os.environ[name] for name in CHILD_ENVIRONMENT_NAMES if name in os.environ}


async def stop_child(process: asyncio.subprocess.Process) -> None:
    """End the process: kindly, and if that does not help, at once."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(CHILD_STOP_GRACE_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
