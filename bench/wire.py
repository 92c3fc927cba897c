"""A client of HTTP/1.1 that costs next to nothing, so that the load driver measures others and not itself."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import urlsplit

import msgspec

Hear = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request: where to, by whom, and what."""

    path: str
    token: str = ""
    body: object = None
    headers: dict[str, str] = field(default_factory=dict[str, str])

    def encoded(self) -> bytes:
        """Return the request as it is sent."""
        content = b"" if self.body is None else msgspec.json.encode(self.body)
        lines = [f"{'GET' if self.body is None else 'POST'} {self.path} HTTP/1.1", "host: 127.0.0.1"]
        lines += [f"authorization: Bearer {self.token}"] if self.token else []
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        if content:
            lines += ["content-type: application/json", f"content-length: {len(content)}"]
        return "\r\n".join([*lines, "\r\n"]).encode() + content


class Refused(Exception):
    """The server answered with something other than success, or went away."""


class Connection(asyncio.Protocol):
    """One connection: requests one after the other, answers whole or piece by piece."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._in_body = False
        self._left: int | None = None
        self._hear: Hear | None = None
        self._whole = bytearray()
        self._done: asyncio.Future[bytes] | None = None
        self._transport: asyncio.Transport | None = None

    @classmethod
    async def to(cls, url: str) -> "Connection":
        """Connect."""
        address = urlsplit(url)
        assert address.hostname is not None
        assert address.port is not None
        loop = asyncio.get_running_loop()
        _, connection = await loop.create_connection(cls, address.hostname, address.port)
        return connection

    async def ask(self, asked: Asked, hear: Hear | None = None) -> bytes:
        """Send a request and return the body; `hear` is given each piece and returns True to stop there."""
        assert self._transport is not None
        self._hear = hear
        self._whole.clear()
        self._in_body = False
        self._done = asyncio.get_running_loop().create_future()
        self._transport.write(asked.encoded())
        return await self._done

    def close(self) -> None:
        """Leave."""
        if self._transport is not None:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to send."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell who waits that nothing more will come."""
        if self._done is not None and not self._done.done():
            self._done.set_exception(Refused(f"the connection was lost ({exc})"))

    def data_received(self, data: bytes) -> None:
        """Take in bytes as they come."""
        self._buffer += data
        if self._done is None or self._done.done() or (not self._in_body and not self._read_head()):
            return
        if self._left is None:
            self._read_chunks()
        elif len(self._buffer) >= self._left:
            piece = bytes(self._buffer[: self._left])
            del self._buffer[: self._left]
            self._take(piece)
            self._finish()

    def _read_head(self) -> bool:
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            return False
        head = bytes(self._buffer[:end]).lower()
        del self._buffer[: end + 4]
        self._in_body = True
        _, _, length = head.partition(b"content-length:")
        self._left = int(length.split(b"\r\n")[0]) if length else None
        if not head.startswith(b"http/1.1 2"):
            self._fail(f"{head[9:12].decode()} {bytes(self._buffer[:300])!r}")
            return False
        return True

    def _read_chunks(self) -> None:
        while (line := self._buffer.find(b"\r\n")) >= 0:
            size = int(self._buffer[:line], 16)
            end = line + 2 + size
            if len(self._buffer) < end + 2:
                return
            piece = bytes(self._buffer[line + 2 : end])
            del self._buffer[: end + 2]
            if size == 0 or self._take(piece):
                self._finish()
                return

    def _take(self, piece: bytes) -> bool:
        if self._hear is not None:
            return self._hear(piece)
        self._whole += piece
        return False

    def _finish(self) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_result(bytes(self._whole))

    def _fail(self, why: str) -> None:
        if self._done is not None and not self._done.done():
            self._done.set_exception(Refused(why))
