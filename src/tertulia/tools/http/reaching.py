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
from tertulia.infra.http.destinations import is_private
from tertulia.infra.http.outbound import REACH, DestinationRefused
from tertulia.models.addresses import check_base_url, host_of, reach_of
from tertulia.models.errors import ConnectionInvalid

CONNECT_SECONDS = 10.0
MOST_REDIRECTS = 3
#: Bytes of one answer.
LARGEST_ANSWER = 8_000_000
#: Failures before anything was sent.
UNHEARD = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.LocalProtocolError)


class AddressRefused(Invalid):
    """An address that no tool may ask."""

    code = "tool_address_refused"

    def __init__(self, why: str) -> None:
        super().__init__(why)


class Unreached(Upstream):
    """A server did not answer, or not in a way that can be used."""

    code = "tool_server_unreached"

    def __init__(self, message: str, *, heard: bool = True) -> None:
        super().__init__(message)
        #: Whether the server may have heard the question, and so done what it asks.
        self.heard = heard


@dataclass(frozen=True, slots=True)
class Question:
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
        raise AddressRefused(error.message.replace("serves models", "may be asked")) from None


def origin_of(url: str) -> tuple[str, str]:
    """Return what decides which server is asked, and so is given a secret."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


@asynccontextmanager
async def asked(client: httpx2.AsyncClient, question: Question) -> AsyncGenerator[httpx2.Response]:
    """Ask a server as far as its address may lead, and give the beginning of its answer."""
    try:
        answer = await client.send(request_of(client, question), stream=True, follow_redirects=False)
    except DestinationRefused:
        raise AddressRefused("That address leads into a network that it may not.") from None
    except httpx2.InvalidURL:
        raise AddressRefused("That is not the address of a server.") from None
    except httpx2.HTTPError as error:
        heard = not isinstance(error, UNHEARD)
        raise Unreached(f"The server did not answer: {told(error)}.", heard=heard) from None
    try:
        yield answer
    finally:
        await answer.aclose()


def request_of(client: httpx2.AsyncClient, question: Question) -> httpx2.Request:
    """Return a question as it is sent: into our own network only where it was named as such."""
    return client.build_request(
        question.method,
        question.url,
        headers={"Accept-Encoding": "identity", "User-Agent": "Tertulia", **question.headers},
        content=question.content or None,
        timeout=httpx2.Timeout(question.seconds, connect=CONNECT_SECONDS),
        extensions={REACH: reach_of(question.url, may_be_private=True)},
    )


async def fetched(
    client: httpx2.AsyncClient, question: Question, *, secrets: tuple[str, ...] = ()
) -> tuple[httpx2.Response, bytes]:
    """Ask and return the whole answer; what only looks follows redirects, without secrets to elsewhere."""
    for _ in range(MOST_REDIRECTS + 1):
        async with asked(client, question) as answer:
            if not answer.is_redirect or question.method not in ("GET", "HEAD"):
                return answer, await body_of(answer)
            question = redirected(question, answer.headers.get("location", ""), secrets)
    raise Unreached(f"The server sent us elsewhere more than {MOST_REDIRECTS} times.")


def redirected(question: Question, location: str, secrets: tuple[str, ...]) -> Question:
    """Return the question for another place: into our own network only where one was already."""
    url = urljoin(question.url, location)
    after = urlsplit(url)
    same = origin_of(question.url) == origin_of(url)
    if not same:
        check_url(f"{after.scheme}://{after.netloc}")
        if is_private(host_of(after)):
            raise AddressRefused("The server sent us into a network of its choice, which it may not.")
    hidden = {name.lower() for name in secrets}
    kept = {name: value for name, value in question.headers.items() if same or name.lower() not in hidden}
    return Question(question.method, url, kept, seconds=question.seconds)


async def body_of(answer: httpx2.Response, most: int = LARGEST_ANSWER) -> bytes:
    """Return the body of an answer, or raise where it is too large."""
    pieces = bytearray()
    try:
        async for piece in answer.aiter_raw():
            pieces += piece
            if len(pieces) > most:
                raise Unreached(f"The answer has more than {most // 1_000_000} MB. Ask for less.")
    except httpx2.HTTPError as error:
        raise Unreached(f"The answer broke off: {told(error)}.") from None
    return bytes(pieces)


def told(error: Exception) -> str:
    """Return in a few words what is wrong with a connection."""
    return str(error)[:200] or type(error).__name__
