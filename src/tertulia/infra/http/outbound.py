"""The one client with which we ask other servers: it alone decides where a request may go.

A host is resolved when a connection is made, every address that it has is checked, and the
connection goes to one that was checked. A name that leads elsewhere a moment later changes nothing.
"""

import asyncio
import socket
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from functools import partial
from urllib.request import getproxies, proxy_bypass

import httpx2

from tertulia.core.turnstile import Turnstile
from tertulia.infra.http.destinations import (
    Address,
    NetworkReach,
    as_address,
    is_allowed,
    is_forbidden,
    is_listed,
)
from tertulia.infra.http.line import Line

#: How long an unused connection is kept for the next question, and how many of one server.
KEPT_SECONDS = 30
MOST_KEPT = 100

#: Scheme, host, port, and how far a request there may go.
Place = tuple[str, str, int, NetworkReach]
#: The extension of a request that says how far it may go; without it, to the open internet alone.
REACH = "tertulia.reach"

Resolve = Callable[[str, int], Awaitable[list[str]]]


class DestinationRefused(httpx2.ConnectError):
    """A request was not sent, because its host leads where it may not go."""


def make_client(private_hosts: tuple[str, ...] = ()) -> httpx2.AsyncClient:
    """Return a client of our own; where the environment names a proxy, one that knows proxies."""
    lines = Lines(private_hosts=private_hosts)
    proxies = {scheme: url for scheme, url in getproxies().items() if scheme in ("http", "https", "all")}
    return httpx2.AsyncClient(transport=Proxied(lines, proxies) if proxies else lines, trust_env=False)


async def resolve_host(host: str, port: int) -> list[str]:
    """Return the addresses of a host."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class Lines(httpx2.AsyncBaseTransport):
    """Carries requests over connections that are kept and used again."""

    def __init__(
        self,
        *,
        private_hosts: tuple[str, ...] = (),
        resolve: Resolve | None = None,
        kept_connections: int = MOST_KEPT,
    ) -> None:
        self._private_hosts = private_hosts
        self._resolve = resolve or resolve_host
        self._kept_connections = kept_connections
        self._bulk = Turnstile()
        self._idle: dict[Place, list[tuple[float, Line]]] = {}
        self._certificates: ssl.SSLContext | None = None
        self._loading = asyncio.Lock()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return its answer once the headers are there."""
        head, content = head_of(request), await request.aread()
        timeout = request.extensions.get("timeout", {})
        place = self.place_of(request)
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

    def place_of(self, request: httpx2.Request) -> Place:
        """Return the server that a request is for, and how far it may go."""
        url = request.url
        if url.scheme not in ("http", "https") or not url.host:
            raise httpx2.UnsupportedProtocol("only http and https addresses can be asked")
        port = url.port or (443 if url.scheme == "https" else 80)
        host = url.raw_host.decode("ascii").lower()
        listed = is_listed(host.rstrip("."), self._private_hosts)
        reach = NetworkReach.NETWORK if listed else request.extensions.get(REACH, NetworkReach.INTERNET)
        return url.scheme, host, port, reach

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
        if len(idle) > self._kept_connections:
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
        scheme, host, port, reach = place
        context = await self._trusted() if scheme == "https" else None
        try:
            async with asyncio.timeout(seconds):
                addresses = await self._addresses(host, port, reach)
                make_line = partial(Line, self._bulk)
                return await first_open(addresses, port, context=context, host=host, make_line=make_line)
        except TimeoutError:
            raise httpx2.ConnectTimeout(f"{host} did not answer in time") from None
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(str(error)) from error

    async def _addresses(self, host: str, port: int, reach: NetworkReach) -> list[Address]:
        """Return the addresses of a host, or raise where any of them is one that it must not have."""
        check_written(host, reach)
        literal = as_address(host)
        texts = [str(literal)] if literal is not None else await self._resolve(host, port)
        addresses = [address for text in texts if (address := as_address(text)) is not None]
        if not all(is_allowed(address, reach) for address in addresses):
            raise DestinationRefused(f"{host} leads to an address that may not be asked")
        return list(dict.fromkeys(addresses))

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


class Proxied(httpx2.AsyncBaseTransport):
    """Carries requests through the proxies of the environment, and directly where `NO_PROXY` says so.

    A proxy resolves the names it is asked for, so of those only the spelling can be checked here.
    """

    def __init__(self, lines: Lines, proxies: dict[str, str]) -> None:
        self._lines = lines
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=MOST_KEPT)
        self._proxies = {
            scheme: httpx2.AsyncHTTPTransport(proxy=with_scheme(url), limits=limits)
            for scheme, url in proxies.items()
        }

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request the way that the environment wants."""
        scheme, host, _, reach = self._lines.place_of(request)
        proxy = self._proxies.get(scheme) or self._proxies.get("all")
        if proxy is None or proxy_bypass(host):
            return await self._lines.handle_async_request(request)
        check_written(host, reach)
        return await proxy.handle_async_request(request)

    async def aclose(self) -> None:
        """Close every connection, direct or not."""
        await self._lines.aclose()
        for proxy in self._proxies.values():
            await proxy.aclose()


def with_scheme(proxy: str) -> str:
    """Return a proxy's address; people leave out that it speaks HTTP."""
    return proxy if "://" in proxy else f"http://{proxy}"


def check_written(host: str, reach: NetworkReach) -> None:
    """Raise where a host leads where it may not by its very spelling."""
    address = as_address(host.rstrip("."))
    if is_forbidden(host.rstrip(".")) or (address is not None and not is_allowed(address, reach)):
        raise DestinationRefused(f"{host} is not an address that may be asked")


async def first_open(
    addresses: list[Address],
    port: int,
    *,
    context: ssl.SSLContext | None,
    host: str,
    make_line: Callable[[], Line],
) -> Line:
    """Return a connection to the first of a host's addresses that takes one."""
    loop = asyncio.get_running_loop()
    problem = OSError(f"{host} has no address")
    for address in addresses:
        try:
            # A certificate is for the name, wherever the name was found.
            _, line = await loop.create_connection(
                make_line, str(address), port, ssl=context, server_hostname=host if context else None
            )
        except OSError as error:
            problem = error
        else:
            return line
    raise problem


def head_of(request: httpx2.Request) -> bytes:
    """Write the head of a request; a line break in it would be somebody's second request."""
    first = b"%b %b HTTP/1.1" % (request.method.encode("ascii"), request.url.raw_path)
    lines = [first, *(b"%b: %b" % pair for pair in request.headers.raw)]
    if any(b"\r" in line or b"\n" in line or b"\0" in line for line in lines):
        raise httpx2.LocalProtocolError("a header holds a line break")
    return b"\r\n".join(lines) + b"\r\n\r\n"
