"""Servers of a few lines, for tests that say what goes over the wire."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from ssl import SSLContext
from typing import Any

from tertulia.core.tasks import cancel_tasks

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(handle: Handler, *, tls: SSLContext | None = None) -> AsyncGenerator[int]:
    """Serve on a free port of this machine, which is given; at the end, connections are cut off."""
    handling: set[asyncio.Task[Any]] = set()

    async def keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        handling.add(task)
        task.add_done_callback(handling.discard)
        await handle(reader, writer)

    async with await asyncio.start_server(keep, "127.0.0.1", 0, ssl=tls) as server:
        try:
            yield server.sockets[0].getsockname()[1]
        finally:
            server.close()
            await cancel_tasks(handling)
