"""Keeps the built-in model's process: started on first use, stopped when idle, started anew after a crash."""

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tertulia.infra.http.destinations import NetworkReach
from tertulia.models.child import IDLE_SECONDS, Keeper, bare_environment, stop
from tertulia.models.errors import ProviderDown
from tertulia.models.providers.endpoint import Endpoint

SLUG = "builtin"
START_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Running:
    """A process that serves, and where."""

    process: asyncio.subprocess.Process
    endpoint: Endpoint


class Runner:
    """Gives the model's address while it is needed."""

    def __init__(self, weights: Callable[[], Path], *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._keeper = Keeper("The built-in model", lambda: start(weights()), idle_seconds=idle_seconds)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Endpoint]:
        """Give the model's address, and keep it running for as long as the block lasts."""
        async with self._keeper.running() as running:
            yield running.endpoint

    @property
    def pid(self) -> int | None:
        """Return the process's number while it runs."""
        return self._keeper.pid

    async def has_died(self) -> bool:
        """Tell whether the process is gone, which may be known only a moment after it stopped answering."""
        return await self._keeper.has_died()

    async def close(self) -> None:
        """Stop the process, if it runs."""
        await self._keeper.close()


async def start(weights: Path) -> Running:
    """Start the process and return once it serves, which takes a second or a few."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tertulia.models.builtin.process",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=bare_environment(),
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
    return Running(process, Endpoint(SLUG, "openai-compatible", f"{address}/v1", key, NetworkReach.NETWORK))


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
