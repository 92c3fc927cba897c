"""The verbs of WebDAV over the one outbound client: caps on size and time, redirects checked like the first.

What every answer may mean is decided here once: a refused sign-in, a server that is busy or away. Any other
status is given to the caller, who knows what was asked.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import NoReturn

import httpx2

from tertulia.calendars.caldav.credentials import DavCredentials
from tertulia.calendars.caldav.dav_urls import host_of, normalise_url, resolve_href
from tertulia.calendars.caldav.errors import (
    CalDavAddressRefused,
    CalDavBusy,
    CalDavIncomplete,
    CalDavRefused,
    CalDavSignInRefused,
    CalDavUnreachable,
)
from tertulia.calendars.caldav.etags import quote_etag
from tertulia.calendars.caldav.multistatus import (
    Multistatus,
    NotMultistatus,
    parse_multistatus,
    parse_precondition,
)
from tertulia.core.clock import now
from tertulia.infra.http.outbound import REACH_EXTENSION, DestinationRefused
from tertulia.models.connection_urls import network_reach_of

DAV_CONNECT_TIMEOUT_SECONDS = 10.0
#: A whole request with its answer; a listing of a large calendar takes a server some seconds.
DAV_REQUEST_MAX_SECONDS = 30.0
DAV_REDIRECTS_MAX = 5
DAV_ANSWER_MAX_BYTES = 32_000_000
#: Methods that change nothing, and so may be sent on to wherever the resource is by now.
READING_METHODS = frozenset({"GET", "PROPFIND", "REPORT", "OPTIONS"})
#: Redirects that keep the method and the body.
KEEPING_REDIRECTS = frozenset({307, 308})
BUSY_STATUSES = frozenset({429, 503})
INSUFFICIENT_STORAGE = 507


@dataclass(frozen=True, slots=True)
class DavAnswer:
    """One whole answer, and the address that gave it."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def etag(self) -> str:
        """Return the version of what was asked for; empty where the server does not say."""
        return self.headers.get("etag", "").strip()

    @property
    def is_success(self) -> bool:
        """Tell whether the server did what was asked."""
        return 200 <= self.status < 300

    def refusal(self) -> CalDavRefused:
        """Return what to raise where the server refused."""
        return CalDavRefused(host_of(self.url), self.status, precondition=parse_precondition(self.content))

    def multistatus(self) -> Multistatus:
        """Return what the answer tells of resources, or raise."""
        if self.status != 207:
            raise self.refusal()
        try:
            return parse_multistatus(self.content)
        except NotMultistatus:
            raise CalDavIncomplete(host_of(self.url)) from None


class DavClient:
    """Asks one server as one account."""

    def __init__(
        self, client: httpx2.AsyncClient, credentials: DavCredentials, *, may_be_private: bool
    ) -> None:
        self._client = client
        self._credentials = credentials
        #: Whether this person may have requests sent into our own network.
        self._may_be_private = may_be_private

    async def propfind(self, url: str, body: str, *, depth: int) -> DavAnswer:
        """Ask for properties of a resource, or of all in it."""
        return await self._send_xml("PROPFIND", url, body, depth=depth)

    async def report(self, url: str, body: str, *, depth: int) -> DavAnswer:
        """Ask a question about what is in a calendar."""
        return await self._send_xml("REPORT", url, body, depth=depth)

    async def get(self, url: str) -> DavAnswer:
        """Fetch one event."""
        return await self.send("GET", url, headers={"Accept": "text/calendar"})

    async def put(self, url: str, content: str, *, etag: str) -> DavAnswer:
        """Write one event: over the version that we know, or where there is none."""
        condition = {"If-Match": quote_etag(etag)} if etag else {"If-None-Match": "*"}
        return await self._put(url, content, condition)

    async def put_unconditionally(self, url: str, content: str) -> DavAnswer:
        """Write one event at a server that does not know how to write only where there is none."""
        return await self._put(url, content, {})

    async def delete(self, url: str, *, etag: str) -> DavAnswer:
        """Delete one event in the version that we know."""
        return await self.send("DELETE", url, headers={"If-Match": quote_etag(etag)})

    async def _put(self, url: str, content: str, condition: Mapping[str, str]) -> DavAnswer:
        headers = {"Content-Type": "text/calendar; charset=utf-8", **condition}
        return await self.send("PUT", url, headers=headers, content=content.encode())

    async def send(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes = b""
    ) -> DavAnswer:
        """Ask, follow redirects and return the whole answer; raise where it means the same for everybody."""
        for _ in range(DAV_REDIRECTS_MAX + 1):
            answer = await self._ask(method, url, headers=headers, content=content)
            location = answer.headers.get("location", "")
            if not 300 <= answer.status < 400 or not location:
                return self._judge(answer)
            if method not in READING_METHODS and answer.status not in KEEPING_REDIRECTS:
                raise answer.refusal()
            url = resolve_href(url, location)
        raise CalDavUnreachable(f"{host_of(url)} sent us elsewhere more than {DAV_REDIRECTS_MAX} times.")

    async def _send_xml(self, method: str, url: str, body: str, *, depth: int) -> DavAnswer:
        headers = {"Content-Type": "application/xml; charset=utf-8", "Depth": str(depth)}
        document = f'<?xml version="1.0" encoding="utf-8"?>\n{body}'
        return await self.send(method, url, headers=headers, content=document.encode())

    async def _ask(self, method: str, url: str, *, headers: Mapping[str, str], content: bytes) -> DavAnswer:
        try:
            async with asyncio.timeout(DAV_REQUEST_MAX_SECONDS):
                request = self._build_request(method, url, headers=headers, content=content)
                answer = await self._client.send(request, stream=True, follow_redirects=False)
                try:
                    body = await read_whole_body(answer)
                finally:
                    await answer.aclose()
        except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise_unreachable(error, host_of(url))
        lowered = {name.lower(): value for name, value in answer.headers.items()}
        return DavAnswer(normalise_url(url), answer.status_code, lowered, body)

    def _build_request(
        self, method: str, url: str, *, headers: Mapping[str, str], content: bytes
    ) -> httpx2.Request:
        own_headers = {
            "Authorization": self._credentials.header,
            "Accept-Encoding": "identity",
            "User-Agent": "Tertulia",
        }
        return self._client.build_request(
            method,
            url,
            headers={**own_headers, **headers},
            content=content or None,
            timeout=httpx2.Timeout(DAV_REQUEST_MAX_SECONDS, connect=DAV_CONNECT_TIMEOUT_SECONDS),
            extensions={REACH_EXTENSION: network_reach_of(url, may_be_private=self._may_be_private)},
        )

    def _judge(self, answer: DavAnswer) -> DavAnswer:
        """Return an answer that the caller can use, or raise."""
        host = host_of(answer.url)
        if answer.status == 401:
            raise CalDavSignInRefused(host)
        if answer.status in BUSY_STATUSES:
            raise CalDavBusy(host, retry_after=parse_retry_after(answer.headers.get("retry-after", "")))
        if answer.status >= 500 and answer.status not in (501, INSUFFICIENT_STORAGE):
            raise CalDavUnreachable(f"{host} failed (status {answer.status}). It will be asked again later.")
        return answer


async def read_whole_body(answer: httpx2.Response) -> bytes:
    """Return the body of an answer, or raise where it is too large."""
    pieces = bytearray()
    async for piece in answer.aiter_raw():
        pieces += piece
        if len(pieces) > DAV_ANSWER_MAX_BYTES:
            raise CalDavUnreachable(
                f"The server of the calendar sent more than {DAV_ANSWER_MAX_BYTES // 1_000_000} MB at once."
            )
    return bytes(pieces)


def raise_unreachable(error: Exception, host: str) -> NoReturn:
    """Raise what is wrong with a connection, in a sentence."""
    if isinstance(error, DestinationRefused):
        raise CalDavAddressRefused(f"{host} leads into a network that may not be asked.") from None
    if isinstance(error, httpx2.InvalidURL | httpx2.UnsupportedProtocol):
        raise CalDavAddressRefused("That is not the address of a server.") from None
    if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
        raise CalDavUnreachable(
            f"{host} cannot be reached. Check the address; it will be asked again later."
        ) from None
    raise CalDavUnreachable(f"{host} did not answer as it should. It will be asked again later.") from None


def parse_retry_after(value: str) -> float | None:
    """Return in how many seconds a server wants to be asked again; None where it does not say."""
    if value.isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (moment.replace(tzinfo=moment.tzinfo or UTC) - now()).total_seconds())
