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

from tertulia.core.fair_scheduler import FairScheduler
from tertulia.infra.http.http1_connection import Http1Connection
from tertulia.infra.http.ssrf import (
    IpAddress,
    NetworkReach,
    is_allowed_address,
    is_allowed_private_host,
    is_forbidden_host,
    parse_address,
)

#: How long an unused connection is kept for the next question, and how many of one server.
IDLE_CONNECTION_SECONDS = 30
IDLE_CONNECTIONS_PER_SERVER_MAX = 100

#: Scheme, host, port, and how far a request there may go.
ServerKey = tuple[str, str, int, NetworkReach]
#: The extension of a request that says how far it may go; without it, to the open internet alone.
REACH_EXTENSION = "tertulia.reach"

Resolver = Callable[[str, int], Awaitable[list[str]]]


class DestinationRefused(httpx2.ConnectError):
    """A request was not sent, because its host leads where it may not go."""


def make_client(private_hosts: tuple[str, ...] = ()) -> httpx2.AsyncClient:
    """Return a client of our own; where the environment names a proxy, one that knows proxies."""
    pool = ConnectionPool(private_hosts=private_hosts)
    proxies = {scheme: url for scheme, url in getproxies().items() if scheme in ("http", "https", "all")}
    return httpx2.AsyncClient(transport=ProxyTransport(pool, proxies) if proxies else pool, trust_env=False)


async def resolve_host(host: str, port: int) -> list[str]:
    """Return the addresses of a host."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


class ConnectionPool(httpx2.AsyncBaseTransport):
    """Carries requests over connections that are kept and used again."""

    def __init__(
        self,
        *,
        private_hosts: tuple[str, ...] = (),
        resolve: Resolver | None = None,
        idle_per_server: int = IDLE_CONNECTIONS_PER_SERVER_MAX,
    ) -> None:
        self._private_hosts = private_hosts
        self._resolve = resolve or resolve_host
        self._idle_per_server = idle_per_server
        self._scheduler = FairScheduler()
        self._idle: dict[ServerKey, list[tuple[float, Http1Connection]]] = {}
        self._ssl_context: ssl.SSLContext | None = None
        self._ssl_lock = asyncio.Lock()

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request and return its answer once the headers are there."""
        head, content = encode_request_head(request), await request.aread()
        timeout = request.extensions.get("timeout", {})
        server_key = self.server_key_of(request)
        connection = self._take_idle(server_key) or await self._connect(server_key, timeout.get("connect"))
        try:
            async with asyncio.timeout(timeout.get("read")):
                await connection.send(head, content)
        except TimeoutError:
            connection.close()
            raise httpx2.ReadTimeout("the server did not answer in time") from None
        except BaseException:
            connection.close()
            raise
        return httpx2.Response(
            connection.status, headers=connection.headers, stream=ResponseBody(connection, self, server_key)
        )

    def server_key_of(self, request: httpx2.Request) -> ServerKey:
        """Return the server that a request is for, and how far it may go."""
        url = request.url
        if url.scheme not in ("http", "https") or not url.host:
            raise httpx2.UnsupportedProtocol("only http and https addresses can be asked")
        port = url.port or (443 if url.scheme == "https" else 80)
        host = url.raw_host.decode("ascii").lower()
        listed = is_allowed_private_host(host.rstrip("."), self._private_hosts)
        reach = (
            NetworkReach.NETWORK if listed else request.extensions.get(REACH_EXTENSION, NetworkReach.INTERNET)
        )
        return url.scheme, host, port, reach

    async def aclose(self) -> None:
        """Close every connection that waits."""
        for idle in self._idle.values():
            for _, connection in idle:
                connection.close()
        self._idle.clear()

    def release(self, server_key: ServerKey, connection: Http1Connection) -> None:
        """Keep a connection for the next question."""
        self._close_expired()
        idle = self._idle.setdefault(server_key, [])
        idle.append((time.monotonic() + IDLE_CONNECTION_SECONDS, connection))
        if len(idle) > self._idle_per_server:
            idle.pop(0)[1].close()

    def _close_expired(self) -> None:
        """Close what was kept too long, also where nobody asks anything any more."""
        now = time.monotonic()
        for server_key, idle in list(self._idle.items()):
            while idle and idle[0][0] < now:
                idle.pop(0)[1].close()
            if not idle:
                del self._idle[server_key]

    def _take_idle(self, server_key: ServerKey) -> Http1Connection | None:
        """Return a kept connection that is still good; the others are let go."""
        idle = self._idle.get(server_key, [])
        while idle:
            until, connection = idle.pop()
            if connection.is_open and connection.is_idle and time.monotonic() < until:
                return connection
            connection.close()
        return None

    async def _connect(self, server_key: ServerKey, seconds: float | None) -> Http1Connection:
        scheme, host, port, reach = server_key
        context = await self._load_ssl_context() if scheme == "https" else None
        try:
            async with asyncio.timeout(seconds):
                addresses = await self._resolve_allowed(host, port, reach)
                make_connection = partial(Http1Connection, self._scheduler)
                return await connect_first(
                    addresses, port, context=context, host=host, make_connection=make_connection
                )
        except TimeoutError:
            raise httpx2.ConnectTimeout(f"{host} did not answer in time") from None
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(str(error)) from error

    async def _resolve_allowed(self, host: str, port: int, reach: NetworkReach) -> list[IpAddress]:
        """Return the addresses of a host, or raise where any of them is one that it must not have."""
        check_literal_host(host, reach)
        literal = parse_address(host)
        texts = [str(literal)] if literal is not None else await self._resolve(host, port)
        addresses = [address for text in texts if (address := parse_address(text)) is not None]
        if not all(is_allowed_address(address, reach) for address in addresses):
            raise DestinationRefused(f"{host} leads to an address that may not be asked")
        return list(dict.fromkeys(addresses))

    async def _load_ssl_context(self) -> ssl.SSLContext:
        """Return whom to trust: loaded once, when first needed, away from the event loop."""
        async with self._ssl_lock:
            if self._ssl_context is None:
                self._ssl_context = await asyncio.to_thread(httpx2.create_ssl_context)
                self._ssl_context.set_alpn_protocols(["http/1.1"])
            return self._ssl_context


class ResponseBody(httpx2.AsyncByteStream):
    """The body of an answer; a line whose answer was read to its end is kept, any other is closed."""

    def __init__(self, connection: Http1Connection, pool: ConnectionPool, server_key: ServerKey) -> None:
        self._connection: Http1Connection | None = connection
        self._pieces = connection.body()
        self._pool = pool
        self._server_key = server_key

    def __aiter__(self) -> AsyncGenerator[bytes, None]:
        """Give the pieces as they come."""
        return self._pieces

    async def aclose(self) -> None:
        """Let go of the line."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        await self._pieces.aclose()
        if connection.is_idle and connection.is_open:
            self._pool.release(self._server_key, connection)
        else:
            await connection.close_and_wait()


class ProxyTransport(httpx2.AsyncBaseTransport):
    """Carries requests through the proxies of the environment, and directly where `NO_PROXY` says so.

    A proxy resolves the names it is asked for, so of those only the spelling can be checked here.
    """

    def __init__(self, pool: ConnectionPool, proxies: dict[str, str]) -> None:
        self._pool = pool
        limits = httpx2.Limits(
            max_connections=None, max_keepalive_connections=IDLE_CONNECTIONS_PER_SERVER_MAX
        )
        self._proxies = {
            scheme: httpx2.AsyncHTTPTransport(proxy=with_http_scheme(url), limits=limits)
            for scheme, url in proxies.items()
        }

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request the way that the environment wants."""
        scheme, host, _, reach = self._pool.server_key_of(request)
        proxy = self._proxies.get(scheme) or self._proxies.get("all")
        if proxy is None or proxy_bypass(host):
            return await self._pool.handle_async_request(request)
        check_literal_host(host, reach)
        return await proxy.handle_async_request(request)

    async def aclose(self) -> None:
        """Close every connection, direct or not."""
        await self._pool.aclose()
        for proxy in self._proxies.values():
            await proxy.aclose()


def with_http_scheme(proxy: str) -> str:
    """Return a proxy's address; people leave out that it speaks HTTP."""
    return proxy if "://" in proxy else f"http://{proxy}"


def check_literal_host(host: str, reach: NetworkReach) -> None:
    """Raise where a host leads where it may not by its very spelling."""
    address = parse_address(host.rstrip("."))
    if is_forbidden_host(host.rstrip(".")) or (
        address is not None and not is_allowed_address(address, reach)
    ):
        raise DestinationRefused(f"{host} is not an address that may be asked")


async def connect_first(
    addresses: list[IpAddress],
    port: int,
    *,
    context: ssl.SSLContext | None,
    host: str,
    make_connection: Callable[[], Http1Connection],
) -> Http1Connection:
    """Return a connection to the first of a host's addresses that takes one."""
    loop = asyncio.get_running_loop()
    problem = OSError(f"{host} has no address")
    for address in addresses:
        try:
            # A certificate is for the name, wherever the name was found.
            _, connection = await loop.create_connection(
                make_connection, str(address), port, ssl=context, server_hostname=host if context else None
            )
        except OSError as error:
            problem = error
        else:
            return connection
    raise problem


def encode_request_head(request: httpx2.Request) -> bytes:
    """Write the head of a request; a line break in it would be somebody's second request."""
    first = b"%b %b HTTP/1.1" % (request.method.encode("ascii"), request.url.raw_path)
    lines = [first, *(b"%b: %b" % pair for pair in request.headers.raw)]
    if any(b"\r" in line or b"\n" in line or b"\0" in line for line in lines):
        raise httpx2.LocalProtocolError("a header holds a line break")
    return b"\r\n".join(lines) + b"\r\n\r\n"
