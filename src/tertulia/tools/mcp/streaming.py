"""A server at an address: each message is a request, answered with JSON or with a stream of events."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress

import httpx2
import msgspec

from tertulia.core.errors import TertuliaError
from tertulia.tools.http.reaching import LARGEST_ANSWER, Question, Unreached, asked, body_of
from tertulia.tools.mcp.errors import CallLost, ServerDown, SessionOver
from tertulia.tools.mcp.session import Hear, Json
from tertulia.tools.mcp.stdio import messages_in

#: How long a server may be silent within an answer; the session's own limit ends a call before that.
SILENCE_SECONDS = 600.0
EVENTS = "text/event-stream"


class HttpWire:
    """Speaks with a server over HTTP, at an address that is checked each time."""

    def __init__(self, client: httpx2.AsyncClient, url: str, headers: Mapping[str, str]) -> None:
        self._client = client
        self._url = url
        self._headers = dict(headers)
        self._agreed: dict[str, str] = {}
        self._hear: Hear = lambda _: None
        self._listening: asyncio.Task[None] | None = None
        self._is_open = False

    @property
    def is_open(self) -> bool:
        """Tell whether the server still knows us, as far as we know."""
        return self._is_open

    async def open(self, hear: Hear, lost: Callable[[str], None]) -> None:
        """Keep who wants to hear: there is no connection before the first message."""
        self._hear = hear
        self._is_open = True

    async def send(self, message: Json) -> None:
        """Send one message and take in its answers."""
        content = msgspec.json.encode(message)
        question = Question("POST", self._url, self._with_headers(), content, SILENCE_SECONDS)
        try:
            async with asked(self._client, question) as answer:
                await self._take(answer, message)
        except Unreached as error:
            raise CallLost(error.message) if error.heard else ServerDown(error.message) from None
        except httpx2.HTTPError as error:
            raise CallLost(str(error)[:200] or type(error).__name__) from None

    async def agreed(self, version: str) -> None:
        """Name the version from now on, and listen for what the server says by itself."""
        self._agreed["MCP-Protocol-Version"] = version
        self._listening = asyncio.create_task(self._listen())

    async def close(self) -> None:
        """Tell the server that we are gone, as far as it wants to know."""
        self._is_open = False
        if self._listening is not None:
            self._listening.cancel()
        if "Mcp-Session-Id" in self._agreed:
            farewell = Question("DELETE", self._url, self._with_headers(), seconds=2.0)
            with suppress(TertuliaError, TimeoutError, httpx2.HTTPError):
                async with asyncio.timeout(2), asked(self._client, farewell):
                    pass

    async def _take(self, answer: httpx2.Response, message: Json) -> None:
        """Take in one answer, or raise what its status says."""
        if answer.status_code == 404 and "Mcp-Session-Id" in self._agreed:
            self._is_open = False
            raise SessionOver("The server has forgotten us.")
        if answer.status_code >= 300:
            raise ServerDown(f"The server answered with the status {answer.status_code}.")
        if session := answer.headers.get("mcp-session-id"):
            self._agreed["Mcp-Session-Id"] = session
        if "id" not in message or "method" not in message:
            return
        if answer.headers.get("content-type", "").partition(";")[0].strip() == EVENTS:
            await self._take_events(answer, message["id"])
        else:
            for one in messages_in(await body_of(answer)):
                self._hear(one)
                if one.get("id") == message["id"]:
                    return
            raise ServerDown("The server answered with something that is not MCP.")

    async def _take_events(self, answer: httpx2.Response, number: object) -> None:
        async for said in events_in(answer):
            for one in messages_in(said):
                self._hear(one)
                if one.get("id") == number and "method" not in one:
                    return
        raise CallLost("its answer broke off")

    async def _listen(self) -> None:
        """Hear what the server says by itself; one that does not want to is left alone."""
        question = Question("GET", self._url, self._with_headers(), seconds=SILENCE_SECONDS)
        with suppress(TertuliaError, httpx2.HTTPError):
            async with asked(self._client, question) as answer:
                if answer.status_code == 200 and EVENTS in answer.headers.get("content-type", ""):
                    async for said in events_in(answer):
                        for one in messages_in(said):
                            self._hear(one)

    def _with_headers(self) -> dict[str, str]:
        ours = {"Accept": f"application/json, {EVENTS}", "Content-Type": "application/json"}
        return self._headers | ours | self._agreed


async def events_in(answer: httpx2.Response) -> AsyncGenerator[bytes, None]:
    """Yield the data of each event of a stream; one without an end is given up."""
    left = bytearray()
    async for piece in answer.aiter_raw():
        left += piece
        if len(left) > LARGEST_ANSWER:
            raise Unreached(f"The answer has more than {LARGEST_ANSWER // 1_000_000} MB. Ask for less.")
        if b"\n" not in piece:
            continue
        *lines, rest = bytes(left).replace(b"\r\n", b"\n").split(b"\n\n")
        left = bytearray(rest)
        for event in lines:
            data = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
            if data:
                yield b"\n".join(data)
