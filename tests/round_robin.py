"""A balancer of a few lines: each connection goes to the next server, and to one that is there."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import count

from tests.listening import listening

PIPE_CHUNK_BYTES = 65536


@asynccontextmanager
async def balancing(ports: Callable[[], Sequence[int]]) -> AsyncGenerator[int]:
    """Forward connections to these ports in turn; the ports are asked for anew each time."""
    turns = count()

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await connect_to_any(ports(), first=next(turns))
        except OSError:
            writer.close()
            return
        # Whoever ends first ends both: a stream whose server was killed is broken off.
        sides = [
            asyncio.create_task(pipe(reader, far_writer)),
            asyncio.create_task(pipe(far_reader, writer)),
        ]
        try:
            with suppress(asyncio.CancelledError):  # at the end of the test
                await asyncio.wait(sides, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for side in sides:
                side.cancel()
            far_writer.close()
            writer.close()

    async with listening(forward) as port:
        yield port


async def connect_to_any(
    ports: Sequence[int], *, first: int
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Connect to the server whose turn it is, or to the next that answers."""
    for place in range(first, first + len(ports)):
        with suppress(OSError):
            return await asyncio.open_connection("127.0.0.1", ports[place % len(ports)])
    raise OSError("no server answers")


async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Hand over what comes until it ends or breaks."""
    with suppress(OSError):
        while data := await reader.read(PIPE_CHUNK_BYTES):
            writer.write(data)
            await writer.drain()
