"""Asking servers that an admin named, and following their redirects, each checked like the first address.

A server on one's own network can be reached where the admin named it: by such an address or
name. A name of the outside that leads inside is refused, whenever it begins to.
"""

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

import httpx2

from tertulia.core.errors import Invalid, Upstream
from tertulia.infra.http.outbound import REACH_EXTENSION, DestinationRefused
from tertulia.infra.http.ssrf import is_private_host
from tertulia.models.connection_urls import check_base_url, host_in, network_reach_of
from tertulia.models.errors import ConnectionInvalid

TOOL_CONNECT_TIMEOUT_SECONDS = 10.0
TOOL_REDIRECTS_MAX = 3
#: Bytes of one answer.
TOOL_ANSWER_MAX_BYTES = 8_000_000
#: Failures before anything was sent.
NOT_SENT_ERRORS = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.LocalProtocolError)


class ToolAddressRefused(Invalid):
    """An address that no tool may ask."""

    code = "tool_address_refused"

    def __init__(self, why: str) -> None:
        super().__init__(why)


class ToolServerUnreachable(Upstream):
    """A server did not answer, or not in a way that can be used."""

    code = "tool_server_unreached"

    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message)
        #: Whether the server may have heard the question, and so done what it asks.
        self.was_sent = was_sent


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request to a server. Headers may hold secrets, so they are never shown."""

    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    content: bytes = field(default=b"", repr=False)
    seconds: float = 30.0


def check_url(url: str) -> str:
    """Return an address that an admin may name for tools, or raise."""
    try:
        return check_base_url(url)
    except ConnectionInvalid as error:
        raise ToolAddressRefused(error.message.replace("serves models", "may be asked")) from None


def origin_of(url: str) -> tuple[str, str]:
    """Return what decides which server is asked, and so is given a secret."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


@asynccontextmanager
async def open_response(client: httpx2.AsyncClient, request: HttpRequest) -> AsyncGenerator[httpx2.Response]:
    """Ask a server as far as its address may lead, and give the beginning of its answer."""
    try:
        answer = await client.send(build_request(client, request), stream=True, follow_redirects=False)
    except DestinationRefused:
        raise ToolAddressRefused("That address leads into a network that it may not.") from None
    except httpx2.InvalidURL:
        raise ToolAddressRefused("That is not the address of a server.") from None
    except httpx2.HTTPError as error:
        heard = not isinstance(error, NOT_SENT_ERRORS)
        raise ToolServerUnreachable(
            f"The server did not answer: {describe_error(error)}.", was_sent=heard
        ) from None
    try:
        yield answer
    finally:
        await answer.aclose()


def build_request(client: httpx2.AsyncClient, request: HttpRequest) -> httpx2.Request:
    """Return a question as it is sent: into our own network only where it was named as such."""
    return client.build_request(
        request.method,
        request.url,
        headers={"Accept-Encoding": "identity", "User-Agent": "Tertulia", **request.headers},
        content=request.content or None,
        timeout=httpx2.Timeout(request.seconds, connect=TOOL_CONNECT_TIMEOUT_SECONDS),
        extensions={REACH_EXTENSION: network_reach_of(request.url, may_be_private=True)},
    )


async def fetch(
    client: httpx2.AsyncClient, request: HttpRequest, *, secrets: tuple[str, ...] = ()
) -> tuple[httpx2.Response, bytes]:
    """Ask and return the whole answer; what only looks follows redirects, without secrets to elsewhere."""
    for _ in range(TOOL_REDIRECTS_MAX + 1):
        async with open_response(client, request) as answer:
            if not answer.is_redirect or request.method not in ("GET", "HEAD"):
                return answer, await read_body(answer)
            request = redirect(request, answer.headers.get("location", ""), secrets)
    raise ToolServerUnreachable(f"The server sent us elsewhere more than {TOOL_REDIRECTS_MAX} times.")


def redirect(request: HttpRequest, location: str, secrets: tuple[str, ...]) -> HttpRequest:
    """Return the question for another place: into our own network only where one was already."""
    url = urljoin(request.url, location)
    after = urlsplit(url)
    same = origin_of(request.url) == origin_of(url)
    if not same:
        check_url(f"{after.scheme}://{after.netloc}")
        if is_private_host(host_in(after)):
            raise ToolAddressRefused("The server sent us into a network of its choice, which it may not.")
    hidden = {name.lower() for name in secrets}
    kept = {name: value for name, value in request.headers.items() if same or name.lower() not in hidden}
    return HttpRequest(request.method, url, kept, seconds=request.seconds)


async def read_body(answer: httpx2.Response, max_bytes: int = TOOL_ANSWER_MAX_BYTES) -> bytes:
    """Return the body of an answer, or raise where it is too large."""
    pieces = bytearray()
    try:
        async for piece in answer.aiter_raw():
            pieces += piece
            if len(pieces) > max_bytes:
                raise ToolServerUnreachable(
                    f"The answer has more than {max_bytes // 1_000_000} MB. Ask for less."
                )
    except httpx2.HTTPError as error:
        raise ToolServerUnreachable(f"The answer broke off: {describe_error(error)}.") from None
    return bytes(pieces)


def describe_error(error: Exception) -> str:
    """Return in a few words what is wrong with a connection."""
    return str(error)[:200] or type(error).__name__
