"""Playing an answer: at its pace, and with its fault."""

import asyncio
from collections.abc import AsyncIterator
from types import ModuleType

from tests.scripted_provider.script import Fault, Frames, Script
from tests.scripted_provider.wire import Connection

HUGE = 50 * 1024 * 1024
WRITE = 64 * 1024
SPLIT = 48
FOREVER = 3600.0


async def play(
    connection: Connection,
    frames: Frames,
    script: Script,
    fault: Fault | None,
    *,
    wire: ModuleType,
    model: str,
    resumed: asyncio.Event,
) -> str:
    """Stream an answer and return how it ended."""
    await connection.open_stream()
    kind = fault.kind if fault else None
    if fault and kind == "split":
        return await in_pieces(connection, frames, size=fault.size or SPLIT)
    if fault and kind not in (None, "no_done", "hang"):
        await paced(connection, frames.head, frames.pieces[: fault.after], script, resumed)
        return await go_wrong(connection, frames, fault, wire, model)
    await paced(connection, frames.head, frames.pieces, script, resumed)
    await connection.send(frames.tail + (b"" if kind in ("no_done", "hang") else frames.done))
    if kind == "hang":
        await asyncio.sleep(FOREVER)
    await connection.end_stream()
    return "finished"


async def paced(
    connection: Connection, head: bytes, pieces: list[bytes], script: Script, resumed: asyncio.Event
) -> None:
    """Send pieces at the script's pace; one that is late is sent at once, so that the pace holds."""
    async for piece in on_time(pieces, script, resumed):
        await connection.send(head + piece)
        head = b""
    if head:
        await connection.send(head)


async def on_time(pieces: list[bytes], script: Script, resumed: asyncio.Event) -> AsyncIterator[bytes]:
    """Yield each piece when it is due, and those after a pause once that is over."""
    now = asyncio.get_running_loop().time
    start = now() + script.first_token_seconds
    gap = 1 / script.tokens_per_second if script.tokens_per_second else 0.0
    for number, piece in enumerate(pieces):
        if number == script.pause_after:
            await resumed.wait()
        wait = start + number * gap - now()
        if wait > 0:
            await asyncio.sleep(wait)
        yield piece


async def in_pieces(connection: Connection, frames: Frames, *, size: int) -> str:
    """Send the whole answer cut at every `size` bytes, through events and characters alike."""
    content = frames.head + b"".join(frames.pieces) + frames.tail + frames.done
    for start in range(0, len(content), size):
        await connection.send(content[start : start + size])
    await connection.end_stream()
    return "finished"


async def go_wrong(connection: Connection, frames: Frames, fault: Fault, wire: ModuleType, model: str) -> str:
    """Do what the fault says once the good pieces are out."""
    match fault.kind:
        case "silence":
            await asyncio.sleep(FOREVER)
        case "keepalive":
            await keep_alive(connection, fault, wire.PING)
        case "dribble":
            rest = b"".join(frames.pieces[fault.after :])
            await dribble(connection, rest + frames.tail + frames.done, fault.seconds)
        case "huge_line":
            await huge_line(connection, fault.size or HUGE)
        case "invalid_utf8":
            await connection.send(wire.text_frame(model, "BROKEN").replace(b"BROKEN", b"\xc3\x28\xff"))
        case "garbage":
            await connection.send(b'data: {"choices": [{"delta"\n\n')
        case "error_event":
            await connection.send(wire.error_frame(fault))
        case "drop":
            connection.close()
            return "dropped"
        case _:
            pass
    await connection.end_stream()
    return "finished"


async def keep_alive(connection: Connection, fault: Fault, ping: bytes) -> None:
    """Say that the connection is alive, and nothing else, for ever."""
    while True:
        await connection.send(ping)
        await asyncio.sleep(fault.seconds)


async def dribble(connection: Connection, content: bytes, seconds: float) -> None:
    """Send one byte at a time."""
    for byte in content:
        await connection.send(bytes([byte]))
        await asyncio.sleep(seconds)


async def huge_line(connection: Connection, size: int) -> None:
    """Send one line that does not end for `size` bytes."""
    await connection.send(b"data: ")
    for _ in range(size // WRITE):
        await connection.send(b"x" * WRITE)
