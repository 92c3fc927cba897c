"""Keeps the built-in model's process: started on first use, stopped when idle, started anew after a crash."""

import asyncio
import json
import secrets
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tertulia.infra.http.ssrf import NetworkReach
from tertulia.models.child import CHILD_IDLE_SECONDS, ChildSupervisor, child_environment, stop_child
from tertulia.models.errors import ProviderDown
from tertulia.models.providers.endpoint import Endpoint

BUILTIN_SLUG = "builtin"
BUILTIN_START_SECONDS = 30


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A process that serves, and where."""

    process: asyncio.subprocess.Process
    endpoint: Endpoint


class BuiltinProcess:
    """Gives the model's address while it is needed."""

    def __init__(self, weights: Callable[[], Path], *, idle_seconds: float = CHILD_IDLE_SECONDS) -> None:
        self._supervisor = ChildSupervisor(
            "The built-in model", lambda: start_server(weights()), idle_seconds=idle_seconds
        )

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[Endpoint]:
        """Give the model's address, and keep it running for as long as the block lasts."""
        async with self._supervisor.running() as running:
            yield running.endpoint

    @property
    def pid(self) -> int | None:
        """Return the process's number while it runs."""
        return self._supervisor.pid

    async def has_died(self) -> bool:
        """Tell whether the process is gone, which may be known only a moment after it stopped answering."""
        return await self._supervisor.has_died()

    async def close(self) -> None:
        """Stop the process, if it runs."""
        await self._supervisor.close()


async def start_server(weights: Path) -> RunningServer:
    """Start the process and return once it serves, which takes a second or a few."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tertulia.models.builtin.process",
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=child_environment(),
    )
    try:
        async with asyncio.timeout(BUILTIN_START_SECONDS):
            key = secrets.token_urlsafe(24)
            address = await send_setup(process, json.dumps({"weights": str(weights), "key": key}))
    except (TimeoutError, OSError) as error:
        await stop_child(process)
        message = "The built-in model did not start: try again, or pick another model."
        raise ProviderDown(BUILTIN_SLUG, message) from error
    except BaseException:
        process.kill()
        raise
    return RunningServer(
        process, Endpoint(BUILTIN_SLUG, "openai-compatible", f"{address}/v1", key, NetworkReach.NETWORK)
    )


async def send_setup(process: asyncio.subprocess.Process, setup: str) -> str:
    """Give the process its orders and return the address that it answers with."""
    if process.stdin is None or process.stdout is None:
        raise OSError("the process has no pipes")
    process.stdin.write(f"{setup}\n".encode())
    await process.stdin.drain()
    address = (await process.stdout.readline()).decode().strip()
    if not address.startswith("http://127.0.0.1:"):
        raise OSError("the process ended before it served")
    return address
