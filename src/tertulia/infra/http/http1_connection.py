"""One outgoing HTTP/1.1 connection, read by a parser in C.

The usual client spends more on a token than everything else we do with it; this
is the little of HTTP that answers of providers need.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from typing import cast

import httptools
import httpx2

from tertulia.core.fair_scheduler import FairScheduler

#: What one answer's headers may take, and what of its body waits in memory before the sender has to wait.
RESPONSE_HEAD_MAX_BYTES = 128 * 1024
UNREAD_BODY_MAX_BYTES = 1024 * 1024
#: What is given at once: what a model says in so many bytes is taken in within two milliseconds.
BODY_PIECE_MAX_BYTES = 16 * 1024


class Http1Connection(asyncio.Protocol):
    """Sends one request at a time and gives its answer as it comes; what is long gives way to others."""

    def __init__(self, scheduler: FairScheduler) -> None:
        self._scheduler = scheduler
        self.status = 0
        self.headers: list[tuple[bytes, bytes]] = []
        #: The line can carry another request: all of the last answer was read.
        self.is_idle = True
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._closed = self._loop.create_future()
        self._parser = httptools.HttpResponseParser(self)
        self._activity: asyncio.Future[None] | None = None
        self._pieces: deque[bytes] = deque()
        self._unread_bytes = 0
        self._head_bytes = 0
        self._has_head = False
        self._is_complete = False
        self._is_paused = False
        self._keeps_alive = False
        self._error: httpx2.TransportError | None = None

    @property
    def is_open(self) -> bool:
        """Tell whether the other side can still be spoken to."""
        return self._error is None and self._transport is not None and not self._transport.is_closing()

    async def send(self, head: bytes, content: bytes) -> None:
        """Send a request and wait for the headers of its answer."""
        self.is_idle = self._has_head = self._is_complete = False
        self.headers, self._head_bytes = [], 0
        if self._transport is not None:
            self._transport.write(head + content)
        while not self._has_head:
            await self._wait_for_activity()

    async def body(self) -> AsyncGenerator[bytes, None]:
        """Yield the body; what came together is given together, but for what is long."""
        while True:
            if self._pieces:
                yield self._take_piece()
                if self._pieces:
                    await self._scheduler.wait_for_slot()
            elif self._is_complete:
                self.is_idle = self._keeps_alive
                return
            else:
                await self._wait_for_activity()

    def close(self) -> None:
        """Hang up at once."""
        if self._transport is not None:
            self._transport.abort()

    async def close_and_wait(self) -> None:
        """Hang up, and wait until the other side can know."""
        self.close()
        await asyncio.shield(self._closed)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way to send."""
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell the reader; an answer without a stated length ends well this way."""
        if self._has_head and not self._is_complete and exc is None and not self._has_length():
            self._is_complete = True
        else:
            self._error = self._error or httpx2.RemoteProtocolError("the server hung up")
        self._wake()
        if not self._closed.done():
            self._closed.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Take in bytes as they come."""
        if self.is_idle:  # a server that speaks without being asked cannot be followed
            self._fail(httpx2.RemoteProtocolError("the server spoke out of turn"))
            return
        try:
            self._head_bytes += 0 if self._has_head else len(data)
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._fail(httpx2.RemoteProtocolError("the server changed the protocol"))
        except httptools.HttpParserError as error:
            self._fail(httpx2.RemoteProtocolError(str(error)))
        if not self._has_head and self._head_bytes > RESPONSE_HEAD_MAX_BYTES:
            self._fail(httpx2.RemoteProtocolError("the server's headers are too long"))
        self._wake()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take in a header."""
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Note that the answer has begun, unless it only says to wait for it."""
        self.status = self._parser.get_status_code()
        self._has_head = self.status >= 200

    def on_body(self, body: bytes) -> None:
        """Take in a piece of the body, and let the sender wait when nobody reads."""
        self._pieces.append(body)
        self._unread_bytes += len(body)
        if self._unread_bytes > UNREAD_BODY_MAX_BYTES and self._transport is not None and not self._is_paused:
            self._transport.pause_reading()
            self._is_paused = True

    def on_message_complete(self) -> None:
        """Note the end of an answer, and whether the server wants to hear more."""
        if self._has_head:
            self._is_complete = True
            self._keeps_alive = self._parser.should_keep_alive()
        else:
            self.headers = []

    def _take_piece(self) -> bytes:
        taken: list[bytes] = []
        room = BODY_PIECE_MAX_BYTES
        while self._pieces and room > 0:
            piece = self._pieces.popleft()
            if len(piece) > room:
                self._pieces.appendleft(piece[room:])
                piece = piece[:room]
            taken.append(piece)
            room -= len(piece)
        self._unread_bytes -= BODY_PIECE_MAX_BYTES - room
        if self._is_paused and not self._pieces and self._transport is not None:
            self._transport.resume_reading()
            self._is_paused = False
        return taken[0] if len(taken) == 1 else b"".join(taken)

    async def _wait_for_activity(self) -> None:
        """Wait for anything to happen; raise when nothing can."""
        if self._error is not None:
            raise self._error
        self._activity = self._loop.create_future()
        try:
            await self._activity
        finally:
            self._activity = None

    def _wake(self) -> None:
        if self._activity is not None and not self._activity.done():
            self._activity.set_result(None)

    def _fail(self, problem: httpx2.TransportError) -> None:
        self._error = self._error or problem
        self.close()

    def _has_length(self) -> bool:
        names = {name.lower() for name, _ in self.headers}
        return bool(names & {b"content-length", b"transfer-encoding"})
