"""Just enough HTTP/1.1 to be asked and to misbehave: every byte sent is under the script's control."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

READ = 64 * 1024
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came in."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    content: bytes

    def json(self) -> Any:
        """Return the body's value."""
        return msgspec.json.decode(self.content)


class Connection:
    """One client's connection; requests come one after the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._ahead = b""

    async def next_request(self) -> Asked | None:
        """Return the next request, or None once the client is gone."""
        try:
            head = await self._until(b"\r\n\r\n")
            first, *lines = head.decode("latin-1").split("\r\n")
            method, target, _ = first.split(" ", 2)
            pairs = (line.split(":", 1) for line in lines if line)
            headers = {name.strip().lower(): value.strip() for name, value in pairs}
            content = await self._exactly(int(headers.get("content-length", "0")))
        except (ConnectionError, ValueError):
            return None
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        return Asked(method, unquote(parts.path), query, headers, content)

    async def answer(self, status: int, content: bytes, headers: dict[str, str] | None = None) -> None:
        """Send a whole answer."""
        said = {"content-type": "application/json", "content-length": str(len(content)), **(headers or {})}
        self._writer.write(head_of(status, said) + content)
        await self._drain()

    async def open_stream(self) -> None:
        """Begin an event stream."""
        headers = {"content-type": "text/event-stream", "transfer-encoding": "chunked"}
        self._writer.write(head_of(200, headers))
        await self._drain()

    async def send(self, content: bytes) -> None:
        """Send a piece of the stream in one write of its own."""
        self._writer.write(b"%x\r\n%b\r\n" % (len(content), content))
        await self._drain()

    async def end_stream(self) -> None:
        """End the stream properly."""
        self._writer.write(b"0\r\n\r\n")
        await self._drain()

    async def until_gone(self) -> None:
        """Wait until the client disconnects; what it sends early is kept for later."""
        while piece := await self._read_ahead():
            self._ahead += piece

    def close(self) -> None:
        """Drop the connection, whatever was under way."""
        self._writer.close()

    async def _until(self, mark: bytes) -> bytes:
        """Return all up to a mark; a quick client's next request may already be here, whole or in part."""
        while mark not in self._ahead:
            await self._more()
        found, _, self._ahead = self._ahead.partition(mark)
        return found

    async def _exactly(self, size: int) -> bytes:
        while len(self._ahead) < size:
            await self._more()
        found, self._ahead = self._ahead[:size], self._ahead[size:]
        return found

    async def _more(self) -> None:
        piece = await self._reader.read(READ)
        if not piece:
            raise ConnectionResetError
        self._ahead += piece

    async def _read_ahead(self) -> bytes:
        try:
            return await self._reader.read(READ)
        except ConnectionError:
            return b""

    async def _drain(self) -> None:
        if self._writer.is_closing():
            raise ConnectionResetError
        await self._writer.drain()


def head_of(status: int, headers: dict[str, str]) -> bytes:
    """Write the head of an answer."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Scripted')}"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def gone_or_done(connection: Connection, work: asyncio.Task[str]) -> str:
    """Return how an answer ended: as `work` says, or because the client left."""
    gone = asyncio.create_task(connection.until_gone())
    try:
        await asyncio.wait({gone, work}, return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            return "disconnected" if isinstance(work.exception(), ConnectionError) else work.result()
        return "disconnected"
    finally:
        for task in (gone, work):
            task.cancel()
            with suppress(asyncio.CancelledError, ConnectionError):
                await task
