"""Keeps the built-in model's process: started on first use, stopped when idle, started anew after a crash."""

import asyncio
import json
import logging
import os
import secrets
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tertulia.models.errors import ProviderDown
from tertulia.models.providers.endpoint import Endpoint

SLUG = "builtin"
START_SECONDS = 30
STOP_SECONDS = 3
IDLE_SECONDS = 600
NOTICE_SECONDS = 0.5
#: All of the environment that the process is given: no keys, no addresses.
PASSED_ON = ("PATH", "HOME", "LANG", "LD_LIBRARY_PATH", "PYTHONPATH", "SYSTEMROOT", "TMPDIR", "TEMP")

log = logging.getLogger("tertulia.models.builtin")


@dataclass(frozen=True, slots=True)
class Running:
    """A process that serves, and where."""

    process: asyncio.subprocess.Process
    endpoint: Endpoint


class Runner:
    """Gives the model's address while it is needed."""

    def __init__(self, weights: Callable[[], Path], *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._weights = weights
        self._idle_seconds = idle_seconds
        self._running: Running | None = None
        self._starting = asyncio.Lock()
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Endpoint]:
        """Give the model's address, and keep it running for as long as the block lasts."""
        self._users += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            yield (await self._started()).endpoint
        finally:
            self._users -= 1
            if self._users == 0:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._idle_seconds, self._stop_if_idle)

    @property
    def pid(self) -> int | None:
        """Return the process's number while it runs."""
        alive = self._running is not None and self._running.process.returncode is None
        return self._running.process.pid if self._running and alive else None

    async def has_died(self) -> bool:
        """Tell whether the process is gone, which may be known only a moment after it stopped answering."""
        if self._running is None:
            return True
        try:
            async with asyncio.timeout(NOTICE_SECONDS):
                await self._running.process.wait()
        except TimeoutError:
            return False
        return True

    async def close(self) -> None:
        """Stop the process, if it runs."""
        if self._timer is not None:
            self._timer.cancel()
        async with self._starting:
            if self._running is not None:
                await stop(self._running.process)
                self._running = None

    def _stop_if_idle(self) -> None:
        if self._users == 0:
            task = asyncio.get_running_loop().create_task(self.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def _started(self) -> Running:
        async with self._starting:
            if self._running is not None and self._running.process.returncode is not None:
                log.warning("The built-in model stopped by itself and is started again.")
                self._running = None
            if self._running is None:
                self._running = await start(self._weights())
            return self._running


async def start(weights: Path) -> Running:
    """Start the process and return once it serves, which takes a second or a few."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tertulia.models.builtin.process",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
    )
    try:
        async with asyncio.timeout(START_SECONDS):
            key = secrets.token_urlsafe(24)
            address = await introduced(process, json.dumps({"weights": str(weights), "key": key}))
    except (TimeoutError, OSError) as error:
        await stop(process)
        message = "The built-in model did not start: try again, or pick another model."
        raise ProviderDown(SLUG, message) from error
    except BaseException:
        process.kill()
        raise
    return Running(process, Endpoint(SLUG, "openai-compatible", f"{address}/v1", key))


async def introduced(process: asyncio.subprocess.Process, orders: str) -> str:
    """Give the process its orders and return the address that it answers with."""
    if process.stdin is None or process.stdout is None:
        raise OSError("the process has no pipes")
    process.stdin.write(f"{orders}\n".encode())
    await process.stdin.drain()
    address = (await process.stdout.readline()).decode().strip()
    if not address.startswith("http://127.0.0.1:"):
        raise OSError("the process ended before it served")
    return address


async def stop(process: asyncio.subprocess.Process) -> None:
    """End the process: kindly, and if that does not help, at once."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
