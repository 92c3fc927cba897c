"""A server at an address: each message is a request, answered with JSON or with a stream of events."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress

import httpx2
import msgspec

from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.core.tasks import cancel_tasks
from tertulia.tools.http.client import (
    TOOL_ANSWER_MAX_BYTES,
    HttpRequest,
    ToolServerUnreachable,
    open_response,
    read_body,
)
from tertulia.tools.mcp.errors import McpSessionExpired, ToolCallLost, ToolServerDown
from tertulia.tools.mcp.mcp_session import OnMessage
from tertulia.tools.mcp.stdio_transport import parse_messages

#: How long a server may be silent within an answer; the session's own limit ends a call before that.
MCP_SILENCE_TIMEOUT_SECONDS = 600.0
EVENT_STREAM_TYPE = "text/event-stream"


class HttpTransport:
    """Speaks with a server over HTTP, at an address that is checked each time."""

    def __init__(self, client: httpx2.AsyncClient, url: str, headers: Mapping[str, str]) -> None:
        self._client = client
        self._url = url
        self._headers = dict(headers)
        self._session_headers: dict[str, str] = {}
        self._on_message: OnMessage = lambda _: None
        self._listening: asyncio.Task[None] | None = None
        self._is_open = False

    @property
    def is_open(self) -> bool:
        """Tell whether the server still knows us, as far as we know."""
        return self._is_open

    async def open(self, on_message: OnMessage, on_lost: Callable[[str], None]) -> None:
        """Keep who wants to hear: there is no connection before the first message."""
        self._on_message = on_message
        self._is_open = True

    async def send(self, message: JsonObject) -> None:
        """Send one message and take in its answers."""
        content = msgspec.json.encode(message)
        question = HttpRequest(
            "POST", self._url, self._headers_to_send(), content, MCP_SILENCE_TIMEOUT_SECONDS
        )
        try:
            async with open_response(self._client, question) as answer:
                await self._take_answer(answer, message)
        except ToolServerUnreachable as error:
            raise ToolCallLost(error.message) if error.was_sent else ToolServerDown(error.message) from None
        except httpx2.HTTPError as error:
            raise ToolCallLost(str(error)[:200] or type(error).__name__) from None

    async def set_protocol_version(self, version: str) -> None:
        """Name the version from now on, and listen for what the server says by itself."""
        self._session_headers["MCP-Protocol-Version"] = version
        self._listening = asyncio.create_task(self._listen())

    async def close(self) -> None:
        """Tell the server that we are gone, as far as it wants to know."""
        self._is_open = False
        if self._listening is not None:
            await cancel_tasks([self._listening])
        if "Mcp-Session-Id" in self._session_headers:
            farewell = HttpRequest("DELETE", self._url, self._headers_to_send(), seconds=2.0)
            with suppress(TertuliaError, TimeoutError, httpx2.HTTPError):
                async with asyncio.timeout(2), open_response(self._client, farewell):
                    pass

    async def _take_answer(self, answer: httpx2.Response, message: JsonObject) -> None:
        """Take in one answer, or raise what its status says."""
        if answer.status_code == 404 and "Mcp-Session-Id" in self._session_headers:
            self._is_open = False
            raise McpSessionExpired("The server has forgotten us.")
        if answer.status_code >= 300:
            raise ToolServerDown(f"The server answered with the status {answer.status_code}.")
        if session := answer.headers.get("mcp-session-id"):
            self._session_headers["Mcp-Session-Id"] = session
        if "id" not in message or "method" not in message:
            return
        if answer.headers.get("content-type", "").partition(";")[0].strip() == EVENT_STREAM_TYPE:
            await self._take_events(answer, message["id"])
        else:
            for received in parse_messages(await read_body(answer)):
                self._on_message(received)
                if received.get("id") == message["id"]:
                    return
            raise ToolServerDown("The server answered with something that is not MCP.")

    async def _take_events(self, answer: httpx2.Response, number: object) -> None:
        async for said in read_sse_events(answer):
            for message in parse_messages(said):
                self._on_message(message)
                if message.get("id") == number and "method" not in message:
                    return
        raise ToolCallLost("its answer broke off")

    async def _listen(self) -> None:
        """Hear what the server says by itself; one that does not want to is left alone."""
        question = HttpRequest("GET", self._url, self._headers_to_send(), seconds=MCP_SILENCE_TIMEOUT_SECONDS)
        with suppress(TertuliaError, httpx2.HTTPError):
            async with open_response(self._client, question) as answer:
                if answer.status_code == 200 and EVENT_STREAM_TYPE in answer.headers.get("content-type", ""):
                    async for said in read_sse_events(answer):
                        for message in parse_messages(said):
                            self._on_message(message)

    def _headers_to_send(self) -> dict[str, str]:
        ours = {"Accept": f"application/json, {EVENT_STREAM_TYPE}", "Content-Type": "application/json"}
        return self._headers | ours | self._session_headers


async def read_sse_events(answer: httpx2.Response) -> AsyncGenerator[bytes, None]:
    """Yield the data of each event of a stream; one without an end is given up."""
    left = bytearray()
    async for piece in answer.aiter_raw():
        left += piece
        if len(left) > TOOL_ANSWER_MAX_BYTES:
            raise ToolServerUnreachable(
                f"The answer has more than {TOOL_ANSWER_MAX_BYTES // 1_000_000} MB. Ask for less."
            )
        if b"\n" not in piece:
            continue
        *lines, rest = bytes(left).replace(b"\r\n", b"\n").split(b"\n\n")
        left = bytearray(rest)
        for event in lines:
            data = [line[5:].removeprefix(b" ") for line in event.split(b"\n") if line.startswith(b"data:")]
            if data:
                yield b"\n".join(data)
