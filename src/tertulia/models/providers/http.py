"""What all wire formats share: asking over HTTP, waiting, and giving up."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import httpx2
import msgspec

from tertulia.core.json_object import JsonObject
from tertulia.core.untrusted_json import JsonUnreadable
from tertulia.infra.http.outbound import REACH_EXTENSION, DestinationRefused
from tertulia.models.calls import StreamEvent
from tertulia.models.errors import (
    AddressForbidden,
    KeyRejected,
    ProviderDown,
    ProviderError,
    ProviderGarbled,
    ProviderRefused,
    ProviderSilent,
    StreamCut,
)
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.error_mapping import provider_error
from tertulia.models.providers.reply_parser import ReplyParser
from tertulia.models.providers.silence_timeout import SilenceTimeout
from tertulia.models.providers.sse import EventGarbled, SseReader

#: Compression would hold words back until a block is full.
STREAM_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "text/event-stream",
    "Accept-Encoding": "identity",
}
ERROR_BODY_MAX_BYTES = 64 * 1024
PROVIDER_CONNECT_SECONDS = 10
PROVIDER_SEND_SECONDS = 60
#: How long we wait for a closing word once the model said that it stopped.
STREAM_CLOSING_SECONDS = 5
#: How long we wait for the end of the body, which lets the connection be used again.
STREAM_DRAIN_SECONDS = 0.5
#: Silence is measured by us: only we know which events mean something.
PROVIDER_TIMEOUT = httpx2.Timeout(None, connect=PROVIDER_CONNECT_SECONDS, write=PROVIDER_SEND_SECONDS)


@dataclass(frozen=True, slots=True)
class ProviderRequest:
    """One question to a provider, ready to be sent."""

    endpoint: Endpoint
    url: str
    headers: dict[str, str]
    body: JsonObject


class ResponseStream:
    """A provider's open answer: its events, as long as they keep coming."""

    def __init__(self, response: httpx2.Response, *, endpoint: Endpoint, silence_seconds: float) -> None:
        self._response = response
        # What is not compressed needs no decoder, and every layer costs something for each token.
        self._pieces = response.aiter_bytes() if is_compressed(response) else response.aiter_raw()
        self._endpoint = endpoint
        self._silence_seconds = silence_seconds
        self._silence_timeout = SilenceTimeout(silence_seconds)
        self._reader = SseReader()
        self._ended = False
        self._garbled: ProviderGarbled | None = None

    def reset_silence(self, *, is_closing: bool) -> None:
        """Start counting the silence anew, shorter once the model said that it stopped."""
        self._silence_timeout.reset(
            min(STREAM_CLOSING_SECONDS, self._silence_seconds) if is_closing else self._silence_seconds
        )

    async def next_events(self) -> list[bytes] | None:
        """Return the events of the next piece, or None at the end."""
        who = self._endpoint.slug
        if self._garbled is not None:
            raise self._garbled
        try:
            return self._reader.feed(await self._silence_timeout.wait(anext(self._pieces)))
        except StopAsyncIteration:
            return self._last_events()
        except TimeoutError:
            raise silence_error(self._endpoint, self._silence_seconds) from None
        except EventGarbled as error:
            # The good events ahead of the bad one are words that the model said.
            self._garbled = ProviderGarbled(who, f"{who} cannot be understood: {error}. Try again.")
            return error.events_before
        except httpx2.DecodingError:
            raise ProviderGarbled(who, f"{who} cannot be understood: its compression is broken.") from None
        except httpx2.TransportError:
            raise stream_cut_error(self._endpoint) from None

    async def drain(self) -> None:
        """Read the rest of the body if it is there, so that the connection can be used again."""
        with suppress(TimeoutError, httpx2.HTTPError, httpx2.StreamError):
            async with asyncio.timeout(STREAM_DRAIN_SECONDS):
                async for _ in self._pieces:
                    pass

    async def close(self) -> None:
        """Close the connection at once."""
        self._silence_timeout.stop()
        await self._pieces.aclose()
        await self._response.aclose()

    def _last_events(self) -> list[bytes] | None:
        if self._ended:
            return None
        self._ended = True
        return self._reader.end()


async def stream_response(
    prepare: Callable[[], ProviderRequest],
    reply: ReplyParser,
    *,
    client: httpx2.AsyncClient,
    silence_seconds: float,
) -> AsyncGenerator[StreamEvent, None]:
    """Ask, and yield what `reply` makes of the answer; leaving early closes the connection."""
    async with open_stream(prepare(), client=client, silence_seconds=silence_seconds) as response:
        try:
            while not reply.is_over and (events := await response.next_events()) is not None:
                for data in events:
                    heard = parse_reply_event(data, reply)
                    if heard is None:
                        continue
                    response.reset_silence(is_closing=reply.reason is not None)
                    for stream_event in heard:
                        yield stream_event
            if reply.reason is None:
                raise stream_cut_error(reply.endpoint)
        except ProviderError as error:
            # Once the model said that it stopped, nothing of its reply can be missing.
            if reply.reason is None or not isinstance(error, StreamCut | ProviderSilent | ProviderGarbled):
                for event in reply.take_unreported_usage():
                    yield event
                raise
        for final_event in reply.final_events():
            yield final_event
        await response.drain()


def parse_reply_event(data: bytes, reply: ReplyParser) -> list[StreamEvent] | None:
    """Return what an event says, or say that it makes no sense."""
    try:
        return reply.parse_event(data)
    except JsonUnreadable as error:
        who = reply.endpoint.slug
        raise ProviderGarbled(who, f"{who} cannot be understood: {error}. Try again.") from None


@asynccontextmanager
async def open_stream(
    request: ProviderRequest, *, client: httpx2.AsyncClient, silence_seconds: float
) -> AsyncGenerator[ResponseStream]:
    """Send a request and give its answer while it is open; an answer that is no success raises."""
    endpoint = request.endpoint
    prepared = client.build_request(
        "POST",
        request.url,
        content=msgspec.json.encode(request.body),
        headers=STREAM_HEADERS | request.headers,
        timeout=PROVIDER_TIMEOUT,
    )
    response = await send_request(prepared, endpoint=endpoint, client=client, seconds=silence_seconds)
    stream = ResponseStream(response, endpoint=endpoint, silence_seconds=silence_seconds)
    try:
        if response.status_code != 200 or is_json(response):
            raise await read_refusal(response, endpoint=endpoint, seconds=silence_seconds)
        yield stream
    finally:
        await stream.close()


async def send_request(
    prepared: httpx2.Request, *, endpoint: Endpoint, client: httpx2.AsyncClient, seconds: float
) -> httpx2.Response:
    """Send a request as far as it may go, and return its answer once the headers are there."""
    prepared.extensions = prepared.extensions | {REACH_EXTENSION: endpoint.reach}
    try:
        async with asyncio.timeout(seconds):
            return await client.send(prepared, stream=True, follow_redirects=False)
    except TimeoutError:
        raise silence_error(endpoint, seconds) from None
    except (httpx2.UnsupportedProtocol, httpx2.InvalidURL):
        who = endpoint.slug
        raise ProviderRefused(
            who, f"The address of {who} is no web address: correct the connection."
        ) from None
    except DestinationRefused:
        raise AddressForbidden(endpoint.slug) from None
    except httpx2.TransportError as error:
        raise unreachable_error(endpoint, error) from None


async def read_refusal(response: httpx2.Response, *, endpoint: Endpoint, seconds: float) -> ProviderError:
    """Return the error in an answer that is no stream."""
    body = (await read_capped(response, ERROR_BODY_MAX_BYTES, seconds=seconds)).decode(errors="replace")
    if response.status_code != 200:
        return provider_error(endpoint, response.status_code, body, response.headers)
    if '"error"' in body:
        return provider_error(endpoint, 500, body)
    return ProviderGarbled(endpoint.slug, f"{endpoint.slug} does not stream: check the connection's address.")


async def read_capped(response: httpx2.Response, max_bytes: int, *, seconds: float) -> bytes:
    """Return the beginning of a body, however it ends."""
    body = bytearray()
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(seconds):
            async for piece in response.aiter_bytes():
                body += piece
                if len(body) >= max_bytes:
                    break
    return bytes(body[:max_bytes])


def is_compressed(response: httpx2.Response) -> bool:
    """Tell whether a body must be unpacked before it can be read."""
    return response.headers.get("content-encoding", "identity") != "identity"


def is_json(response: httpx2.Response) -> bool:
    """Tell whether a server answered with one JSON value instead of a stream."""
    return response.headers.get("content-type", "").startswith("application/json")


def sendable_key(endpoint: Endpoint) -> str:
    """Return the key if a header can carry it: the web library would quote it in its complaint."""
    key = endpoint.key.strip()
    if not re.fullmatch(r"[\x21-\x7e]*", key):
        raise KeyRejected(endpoint.slug, f"The key of {endpoint.slug} holds odd characters: paste it again.")
    return key


def silence_error(endpoint: Endpoint, seconds: float) -> ProviderSilent:
    """Return the error for a provider that says nothing."""
    who = endpoint.slug
    return ProviderSilent(
        who, f"{who} said nothing for {seconds:g} seconds: try again or pick another model."
    )


def stream_cut_error(endpoint: Endpoint) -> StreamCut:
    """Return the error for a stream that ended too early."""
    who = endpoint.slug
    return StreamCut(who, f"{who} stopped in the middle of its reply: ask again to continue.")


def unreachable_error(endpoint: Endpoint, error: httpx2.TransportError) -> ProviderDown:
    """Return the error for a provider that does not answer."""
    who, how = endpoint.slug, type(error).__name__
    return ProviderDown(who, f"{who} cannot be reached ({how}): check the address, or try again later.")
