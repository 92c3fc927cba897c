"""Keeps the built-in model's process: started on first use, stopped when idle, started anew after a crash."""

import asyncio
import secrets
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from tertulia.infra.child.process import ChildGone, ChildProcess, start_module
from tertulia.infra.child.supervisor import CHILD_IDLE_SECONDS, ChildSupervisor
from tertulia.infra.http.ssrf import NetworkReach
from tertulia.models.builtin.frames import BuiltinAddress, BuiltinSetup
from tertulia.models.errors import ProviderDown
from tertulia.models.providers.endpoint import Endpoint

BUILTIN_SLUG = "builtin"
BUILTIN_START_SECONDS = 30
BUILTIN_FRAME_MAX_BYTES = 10_000

address_decoder = msgspec.msgpack.Decoder(BuiltinAddress)


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A process that serves, and where."""

    child: ChildProcess
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
    child = await start_module("tertulia.models.builtin.process", frame_max_bytes=BUILTIN_FRAME_MAX_BYTES)
    key = secrets.token_urlsafe(24)
    try:
        async with asyncio.timeout(BUILTIN_START_SECONDS):
            await child.send(BuiltinSetup(str(weights), key))
            address = await child.receive(address_decoder)
        if not address.base_url.startswith("http://127.0.0.1:"):
            raise ChildGone
    except (TimeoutError, ChildGone) as error:
        await child.stop()
        message = "The built-in model did not start: try again, or pick another model."
        raise ProviderDown(BUILTIN_SLUG, message) from error
    except BaseException:
        await child.stop()
        raise
    base_url = f"{address.base_url}/v1"
    return RunningServer(
        child, Endpoint(BUILTIN_SLUG, "openai-compatible", base_url, key, NetworkReach.NETWORK)
    )
