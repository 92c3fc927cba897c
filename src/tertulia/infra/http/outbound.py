"""The one client with which we ask other servers."""

import asyncio
import ssl
import time
from collections.abc import AsyncGenerator
from urllib.request import getproxies

import httpx2

from tertulia.infra.http.line import Line

#: How long an unused connection is kept for the next question, and how many of one server.
KEPT_SECONDS = 30
MOST_KEPT = 100

#: Scheme, host, port, and the address that the host must be reached at; empty for whatever it resolves to.
Place = tuple[str, str, int, str]
#: The name under which a request says at which address its host was found to be harmless.
PINNED = "tertulia.address"


def make_client() -> httpx2.AsyncClient:
    """Return a client of our own; where the environment names a proxy, one that knows proxies."""
    if any(name in getproxies() for name in ("http", "https", "all")):
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=MOST_KEPT)
        return httpx2.AsyncClient(limits=limits)
    return httpx2.AsyncClient(transport=Lines())


class Lines(httpx2.AsyncBaseTransport):
    """Carries requests over connections that are kept and used again."""

    def __init__(self) -> None:
        self._idle: dict[Place, list[tuple[float, Line]]] = {}
        self._certificates: ssl.SSLContext | None = None
        self._loading = asyncio.Lock()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return its answer once the headers are there."""
        head, content = head_of(request), await request.aread()
        timeout = request.extensions.get("timeout", {})
        place = place_of(request.url, request.extensions.get(PINNED, ""))
        line = self._kept(place) or await self._connect(place, timeout.get("connect"))
        try:
            async with asyncio.timeout(timeout.get("read")):
                await line.send(head, content)
        except TimeoutError:
            line.close()
            raise httpx2.ReadTimeout("the server did not answer in time") from None
        except BaseException:
            line.close()
            raise
        return httpx2.Response(line.status, headers=line.headers, stream=Body(line, self, place))

    async def aclose(self) -> None:
        """Close every connection that waits."""
        for idle in self._idle.values():
            for _, line in idle:
                line.close()
        self._idle.clear()

    def keep(self, place: Place, line: Line) -> None:
        """Keep a connection for the next question."""
        self._let_go()
        idle = self._idle.setdefault(place, [])
        idle.append((time.monotonic() + KEPT_SECONDS, line))
        if len(idle) > MOST_KEPT:
            idle.pop(0)[1].close()

    def _let_go(self) -> None:
        """Close what was kept too long, also where nobody asks anything any more."""
        now = time.monotonic()
        for place, idle in list(self._idle.items()):
            while idle and idle[0][0] < now:
                idle.pop(0)[1].close()
            if not idle:
                del self._idle[place]

    def _kept(self, place: Place) -> Line | None:
        """Return a kept connection that is still good; the others are let go."""
        idle = self._idle.get(place, [])
        while idle:
            until, line = idle.pop()
            if line.is_open and line.is_free and time.monotonic() < until:
                return line
            line.close()
        return None

    async def _connect(self, place: Place, seconds: float | None) -> Line:
        scheme, host, port, pinned = place
        context = await self._trusted() if scheme == "https" else None
        # A certificate is for the name, wherever the name was found.
        name = host if context else None
        try:
            async with asyncio.timeout(seconds):
                loop = asyncio.get_running_loop()
                _, line = await loop.create_connection(
                    Line, pinned or host, port, ssl=context, server_hostname=name
                )
        except TimeoutError:
            raise httpx2.ConnectTimeout(f"{host} did not answer in time") from None
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(str(error)) from error
        return line

    async def _trusted(self) -> ssl.SSLContext:
        """Return whom to trust: loaded once, when first needed, away from the event loop."""
        async with self._loading:
            if self._certificates is None:
                self._certificates = await asyncio.to_thread(httpx2.create_ssl_context)
                self._certificates.set_alpn_protocols(["http/1.1"])
            return self._certificates


class Body(httpx2.AsyncByteStream):
    """The body of an answer; a line whose answer was read to its end is kept, any other is closed."""

    def __init__(self, line: Line, lines: Lines, place: Place) -> None:
        self._line: Line | None = line
        self._pieces = line.body()
        self._lines = lines
        self._place = place

    def __aiter__(self) -> AsyncGenerator[bytes, None]:
        """Give the pieces as they come."""
        return self._pieces

    async def aclose(self) -> None:
        """Let go of the line."""
        line, self._line = self._line, None
        if line is None:
            return
        await self._pieces.aclose()
        if line.is_free and line.is_open:
            self._lines.keep(self._place, line)
        else:
            await line.closed()


def place_of(url: httpx2.URL, pinned: str = "") -> Place:
    """Return the server that an address is about."""
    if url.scheme not in ("http", "https") or not url.host:
        raise httpx2.UnsupportedProtocol("only http and https addresses can be asked")
    port = url.port or (443 if url.scheme == "https" else 80)
    return url.scheme, url.raw_host.decode("ascii"), port, pinned


def head_of(request: httpx2.Request) -> bytes:
    """Write the head of a request; a line break in it would be somebody's second request."""
    first = b"%b %b HTTP/1.1" % (request.method.encode("ascii"), request.url.raw_path)
    lines = [first, *(b"%b: %b" % pair for pair in request.headers.raw)]
    if any(b"\r" in line or b"\n" in line or b"\0" in line for line in lines):
        raise httpx2.LocalProtocolError("a header holds a line break")
    return b"\r\n".join(lines) + b"\r\n\r\n"
