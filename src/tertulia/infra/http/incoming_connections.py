"""Connections: how many there may be, and how long each stage of one may take.

The web server itself has a time for what is idle between two requests alone.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from tertulia.core.errors import TooLarge, Unavailable
from tertulia.infra.http.errors import response_to_error
from tertulia.infra.http.trusted_proxies import Network, is_in_networks, parse_networks
from tertulia.settings import Settings

#: What the line and the headers of a request may have together.
REQUEST_HEAD_MAX_BYTES = 64_000
#: A body must bring so much in the time that it has for it, or it is over.
BODY_PROGRESS_MIN_BYTES = 16_000
#: What chunk headers, their extensions and trailers may have beyond as many bytes of content.
CHUNK_OVERHEAD_MAX_BYTES = 16_000
#: Requests that one connection may send before the first of them is answered.
PIPELINE_MAX_REQUESTS = 100
#: What the parser gets at once: the limits are looked at in between, before it builds much.
PARSER_FEED_BYTES = 4_096
#: What is taken of a body after its answer: enough for a small one to pass, so that the connection goes on.
BODY_DISCARD_MAX_BYTES = 1_000_000
#: A client that sends more has so long to take its answer before its connection is reset.
CONNECTION_RESET_DELAY_SECONDS = 1.0
#: Files that a process needs besides its connections.
RESERVED_OPEN_FILES = 200


class TooManyConnections(Unavailable):
    """There are as many connections as we hold, in all or from one address."""

    code = "too_many_connections"
    retry_after = 5

    def __init__(self) -> None:
        super().__init__("There are too many connections open. Close some, or try again in a moment.")


class HeadTooLarge(TooLarge):
    """The headers of a request are longer than any that mean something."""

    code = "head_too_large"

    def __init__(self) -> None:
        super().__init__(f"The headers of a request may have at most {REQUEST_HEAD_MAX_BYTES:,} bytes.")


class ChunkOverheadTooLarge(TooLarge):
    """A body sent in chunks has more around its content than in it."""

    code = "chunk_overhead_too_large"

    def __init__(self) -> None:
        super().__init__(
            "The chunk headers and trailers of a request may have at most "
            f"{CHUNK_OVERHEAD_MAX_BYTES:,} bytes more than its content."
        )


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections are held, and for how long without news."""

    total: int
    per_address: int
    head_seconds: float
    body_seconds: float
    write_seconds: float
    #: Who speaks for many people, so that no limit per address makes sense.
    proxies: tuple[Network, ...] = ()

    @classmethod
    def from_settings(cls, settings: Settings, *, files: int) -> "ConnectionLimits":
        """Return the limits that the settings ask for, and that the files a process may open allow."""
        return cls(
            total=max(1, min(settings.connections, files - RESERVED_OPEN_FILES)),
            per_address=settings.connections_per_address,
            head_seconds=settings.head_seconds,
            body_seconds=settings.body_seconds,
            write_seconds=settings.write_seconds,
            proxies=parse_networks(settings.trusted_proxies),
        )


@dataclass(slots=True)
class OpenConnections:
    """The connections that are open now, in all and from each address."""

    limits: ConnectionLimits
    total: int = 0
    by_address: Counter[str] = field(default_factory=Counter[str])

    def has_room(self, address: str) -> bool:
        """Tell whether one more connection from an address is held."""
        if self.total >= self.limits.total:
            return False
        return self.by_address[address] < self.limits.per_address or self._is_proxy(address)

    def add(self, address: str) -> None:
        """Count a connection."""
        self.total += 1
        self.by_address[address] += 1

    def remove(self, address: str) -> None:
        """Count a connection no more."""
        self.total -= 1
        self.by_address[address] -= 1
        if not self.by_address[address]:
            del self.by_address[address]

    def _is_proxy(self, address: str) -> bool:
        # A connection without an address comes by a socket in the file system.
        return not address or is_in_networks(address, self.limits.proxies)


class ConnectionStage(Enum):
    """What a connection is at."""

    HEAD = auto()
    BODY = auto()
    #: The rest of a body that was answered before it was there whole: nobody reads it.
    DISCARD = auto()
    #: There is too much of that rest: nothing more is taken from the connection.
    HALTED = auto()
    #: A request is there whole, and being answered, or there is none.
    REST = auto()


class AnswerTransport(asyncio.Transport):
    """What an answer is written to; the connection decides when it is closed after that."""

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        super().__init__()
        self._transport = transport
        self._close = close

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send part of an answer."""
        self._transport.write(data)

    def is_closing(self) -> bool:
        """Tell whether nothing more can be sent."""
        return self._transport.is_closing()

    def close(self) -> None:
        """Say that the connection is to end with this answer."""
        self._close()


class BoundedConnection(HttpToolsProtocol):
    """A connection that ends when a stage of it takes too long; an answer may take as long as it will."""

    limits: ClassVar[ConnectionLimits]
    open_connections: ClassVar[OpenConnections]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._address = ""
        self._is_counted = False
        self._stage = ConnectionStage.HEAD
        #: Bytes of content of a body, since its time began.
        self._content_bytes = 0
        #: Bytes of content that are announced and yet to come.
        self._expected_bytes = 0
        #: Bytes of this stage that are no content; content that comes makes up for as many.
        self._overhead_bytes = 0
        #: Requests whose head is there and whose answer is not over, the first one first.
        self._unanswered: deque[RequestResponseCycle] = deque()
        #: Whether the last answer is over, and the connection with it once the body that was sent has passed.
        self._is_ending = False
        self._deadline: asyncio.TimerHandle | None = None
        self._write_deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Begin to wait for a request, or refuse the connection."""
        super().connection_made(transport)
        self._address = self.client[0] if self.client else ""
        if not self.open_connections.has_room(self._address):
            self._refuse(TooManyConnections())
            return
        self.open_connections.add(self._address)
        self._is_counted = True
        self._enter_stage(ConnectionStage.HEAD)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        # The web server itself tells this to the last request only.
        for cycle in self._unanswered:
            cycle.disconnected = True
            cycle.message_event.set()
        self._cancel_deadline()
        self.resume_writing()
        if self._is_counted:
            self._is_counted = False
            self.open_connections.remove(self._address)

    def data_received(self, data: bytes) -> None:
        """Take what arrived, a little at a time, for as long as it keeps the limits."""
        start = 0
        while (
            start < len(data)
            and self._stage is not ConnectionStage.HALTED
            and not self.transport.is_closing()
        ):
            # What is announced as content builds nothing, however much of it comes at once.
            end = start + max(PARSER_FEED_BYTES, self._expected_bytes)
            self._feed(data[start:end])
            self._check_size()
            start = end

    def _feed(self, data: bytes) -> None:
        """Parse what arrived; the first byte of a request begins the time of its head."""
        if self._stage is ConnectionStage.REST and not self._unanswered:
            self._enter_stage(ConnectionStage.HEAD)
        self._overhead_bytes += len(data)
        super().data_received(data)
        # Content makes up for what came with it, not for what comes later.
        self._overhead_bytes = max(0, self._overhead_bytes)

    def _check_size(self) -> None:
        """Close a connection that sends more than anybody who means it well."""
        if len(self._unanswered) > PIPELINE_MAX_REQUESTS:
            self._close()
        elif self._stage is ConnectionStage.DISCARD and self._content_bytes > BODY_DISCARD_MAX_BYTES:
            self._halt()
        elif self._stage in {ConnectionStage.BODY, ConnectionStage.DISCARD}:
            if self._overhead_bytes > CHUNK_OVERHEAD_MAX_BYTES:
                self._refuse(ChunkOverheadTooLarge())
        elif self._overhead_bytes > REQUEST_HEAD_MAX_BYTES:
            self._refuse(HeadTooLarge())

    def on_message_begin(self) -> None:
        """Note that a request begins."""
        super().on_message_begin()
        if self._stage is ConnectionStage.REST:
            self._enter_stage(ConnectionStage.HEAD)

    def on_headers_complete(self) -> None:
        """Note that the head is there."""
        if self._is_ending:
            return
        self._enter_stage(ConnectionStage.BODY)
        self._expected_bytes = content_length_of(self.headers)
        super().on_headers_complete()
        self.cycle.transport = AnswerTransport(self.transport, partial(self._end_with, self.cycle))
        self._unanswered.append(self.cycle)

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; a trailer is no header, and nobody reads it."""
        if self._stage is ConnectionStage.HEAD:
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """Take content of a body."""
        self._content_bytes += len(body)
        self._expected_bytes -= len(body)
        self._overhead_bytes -= 2 * len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Note that the request is there whole; if it is answered already, the next one is waited for."""
        self._enter_stage(ConnectionStage.REST if self._unanswered else ConnectionStage.HEAD)
        super().on_message_complete()
        if self._is_ending:
            self._close()

    def on_response_complete(self) -> None:
        """Note that a request is answered; what is left of its body has a short time to pass."""
        self._unanswered.popleft()
        if self._is_ending:
            self.server_state.total_requests += 1
            self.flow.resume_reading()
            self._enter_stage(ConnectionStage.DISCARD)
            return
        super().on_response_complete()
        if self.transport.is_closing():
            self._close()
        elif self._stage is ConnectionStage.BODY and not self._unanswered:
            self._enter_stage(ConnectionStage.DISCARD)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP, and close."""
        if not self._is_answering() and not self._is_ending:
            super().send_400_response(msg)
        self._close()

    def timeout_keep_alive_handler(self) -> None:
        """Close a connection that was idle for too long."""
        self._close()

    def pause_writing(self) -> None:
        """Give the client some time to take what waits for it."""
        super().pause_writing()
        self._write_deadline = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on: the client has taken what waited."""
        super().resume_writing()
        if self._write_deadline is not None:
            self._write_deadline.cancel()
            self._write_deadline = None

    def _enter_stage(self, stage: ConnectionStage) -> None:
        """Enter a stage, and give it its time."""
        self._cancel_deadline()
        self._stage = stage
        self._content_bytes = 0
        self._overhead_bytes = 0
        if stage is ConnectionStage.BODY:
            self._deadline = self.loop.call_later(self.limits.body_seconds, self._check_deadline)
        elif stage is ConnectionStage.HALTED:
            self._deadline = self.loop.call_later(CONNECTION_RESET_DELAY_SECONDS, self.transport.abort)
        elif stage is not ConnectionStage.REST:
            self._deadline = self.loop.call_later(self.limits.head_seconds, self._check_deadline)

    def _check_deadline(self) -> None:
        """Go on with a body that grows, and with what we ourselves hold back; close the rest."""
        grows = self._stage is ConnectionStage.BODY and self._content_bytes >= BODY_PROGRESS_MIN_BYTES
        if grows or self.flow.read_paused:
            self._enter_stage(self._stage)
        else:
            self._close()

    def _end_with(self, cycle: RequestResponseCycle) -> None:
        """Close the connection after an answer; a body that is still being sent has its short time to pass.

        To close on top of what nobody read would reset the connection, and the client lose its answer.
        """
        if cycle.response_complete and cycle is self.cycle and self._stage is ConnectionStage.BODY:
            self._is_ending = True
        else:
            self.transport.close()

    def _halt(self) -> None:
        """Take nothing more from a client that sends on after its answer, and soon reset the connection."""
        self._enter_stage(ConnectionStage.HALTED)
        self.flow.pause_reading()

    def _close(self) -> None:
        """Send what still waits and close; who does not take it in time is let go all the same."""
        self._cancel_deadline()
        self.transport.close()
        self._deadline = self.loop.call_later(self.limits.write_seconds, self.transport.abort)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _is_answering(self) -> bool:
        """Tell whether part of an answer is sent, so that nothing else may be said."""
        return any(cycle.response_started for cycle in self._unanswered)

    def _refuse(self, error: Unavailable | TooLarge) -> None:
        """Answer without a request, and close."""
        if not self._is_answering():
            self.transport.write(raw_error_response(error))
        self._close()


def content_length_of(headers: Iterable[tuple[bytes, bytes]]) -> int:
    """Return how long a body says that it is; 0 where it is sent in chunks, or there is none."""
    return next((int(value) for name, value in headers if name == b"content-length"), 0)


def raw_error_response(error: Unavailable | TooLarge) -> bytes:
    """Return an error as a whole answer, after which the connection is closed."""
    answer = response_to_error(error)
    content = bytes(answer.body)
    lines = [f"HTTP/1.1 {answer.status_code} Refused", "content-type: application/json"]
    lines += [f"content-length: {len(content)}", "connection: close", "retry-after: 5", "", ""]
    return "\r\n".join(lines).encode() + content


def protocol_with_limits(limits: ConnectionLimits) -> type[BoundedConnection]:
    """Return the kind of connection that keeps these limits; all of a kind are counted together."""

    class LimitedConnection(BoundedConnection):
        pass

    LimitedConnection.limits = limits
    LimitedConnection.open_connections = OpenConnections(limits)
    return LimitedConnection
