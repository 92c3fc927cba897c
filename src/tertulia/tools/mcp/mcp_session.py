"""Speaking with one MCP server: requests and their answers, whatever carries them."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Protocol, cast

from tertulia import __version__
from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.core.tasks import cancel_tasks
from tertulia.infra.secrets import redact
from tertulia.tools.domain import ReportProgress, report_nothing
from tertulia.tools.mcp.errors import ToolCallLost, ToolServerDown, ToolServerRefused

#: The newest version of the protocol that begins with a greeting, and all that we understand.
MCP_VERSION = "2025-11-25"
MCP_VERSIONS = (MCP_VERSION, "2025-06-18", "2025-03-26", "2024-11-05")
METHOD_NOT_FOUND_CODE = -32601
MCP_INITIALIZE_TIMEOUT_SECONDS = 20.0
MCP_ERROR_MAX_CHARS = 500
#: How often progress is passed on, however often it is told.
MCP_PROGRESS_INTERVAL_SECONDS = 0.1
LIST_TOOLS_METHOD = "tools/list"
#: What of a list of tools is said in words.
REDACTED_LIST_FIELDS = ("description", "title")

OnMessage = Callable[[JsonObject], None]


class McpTransport(Protocol):
    """Carries messages to a server and back."""

    @property
    def is_open(self) -> bool:
        """Tell whether the server can still be spoken to."""
        ...

    async def open(self, on_message: OnMessage, on_lost: Callable[[str], None]) -> None:
        """Connect; what comes is given to `on_message`, and the end to `on_lost` with its reason."""
        ...

    async def send(self, message: JsonObject) -> None:
        """Send one message; a wire whose answers come with it returns once they have."""
        ...

    async def set_protocol_version(self, version: str) -> None:
        """Go on in a version of the protocol, once both sides know each other."""
        ...

    async def close(self) -> None:
        """Hang up."""
        ...


@dataclass(frozen=True, slots=True)
class PendingRequest:
    """A request that is not answered yet, and who hears how far it is."""

    method: str
    answer: asyncio.Future[JsonObject]
    tell: ReportProgress


class McpSession:
    """One conversation with a server."""

    def __init__(
        self,
        transport: McpTransport,
        *,
        changed: Callable[[], None] = lambda: None,
        hidden: Sequence[str] = (),
    ) -> None:
        self._transport = transport
        self._changed = changed
        self._hidden = hidden
        self._numbers = itertools.count(1)
        self._pending: dict[int, PendingRequest] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._progress_at = 0.0

    @property
    def is_open(self) -> bool:
        """Tell whether the server can still be spoken to."""
        return self._transport.is_open

    async def open(self) -> None:
        """Connect and greet, or raise."""
        await self._transport.open(self._receive, self._fail_pending)
        us = {"name": "tertulia", "version": __version__}
        greeting = {"protocolVersion": MCP_VERSION, "capabilities": {}, "clientInfo": us}
        try:
            said = await self.request("initialize", greeting, seconds=MCP_INITIALIZE_TIMEOUT_SECONDS)
        except (TimeoutError, ToolCallLost) as error:
            why = "it did not answer in time" if isinstance(error, TimeoutError) else error.message
            raise ToolServerDown(f"The server could not be greeted: {why}") from None
        version = said.get("protocolVersion")
        if version not in MCP_VERSIONS:
            raise ToolServerDown(f"The server speaks a version of MCP that we do not: {str(version)[:40]!r}.")
        await self._transport.set_protocol_version(str(version))
        await self._transport.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def request(
        self, method: str, params: JsonObject, *, seconds: float, tell: ReportProgress = report_nothing
    ) -> JsonObject:
        """Ask for something and return what it gave; raises `TimeoutError` when it takes too long."""
        number = next(self._numbers)
        answer: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._pending[number] = PendingRequest(method, answer, tell)
        if tell is not report_nothing:
            params = params | {"_meta": {"progressToken": number}}
        try:
            async with asyncio.timeout(seconds):
                await self._transport.send(
                    {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                )
                return await answer
        except (TimeoutError, asyncio.CancelledError):
            self._cancel_request(number)
            raise
        finally:
            del self._pending[number]
            if answer.done() and not answer.cancelled():
                answer.exception()  # heard, or of no use to anybody any more

    async def close(self) -> None:
        """Hang up."""
        await cancel_tasks(self._tasks)
        await self._transport.close()
        self._fail_pending("it was closed")

    def _receive(self, message: JsonObject) -> None:
        """Take in one message, whatever it is, without the secrets that the server may repeat."""
        message = self._without_secrets(message)
        method = message.get("method")
        if method is None:
            self._take_answer(message)
        elif "id" in message:
            self._answer_request(message["id"], method)
        elif method == "notifications/tools/list_changed":
            self._changed()
        elif method == "notifications/progress":
            self._take_progress(message.get("params"))

    def _without_secrets(self, message: JsonObject) -> JsonObject:
        """Return a message without secrets; what tools are called, and call their arguments, stays."""
        if not self._hidden:
            return message
        clean = cast("JsonObject", redact_json(message, self._hidden))
        asked = self._find_pending(message.get("id"))
        if asked is not None and asked.method == LIST_TOOLS_METHOD and "result" in message:
            clean["result"] = redact_tool_list(message["result"], self._hidden)
        return clean

    def _find_pending(self, number: object) -> "PendingRequest | None":
        return self._pending.get(number) if isinstance(number, int) else None

    def _take_answer(self, message: JsonObject) -> None:
        asked = self._find_pending(message.get("id"))
        if asked is None or asked.answer.done():
            return
        error, result = message.get("error"), message.get("result")
        if isinstance(result, dict):
            asked.answer.set_result(cast("JsonObject", result))
        else:
            asked.answer.set_exception(ToolServerRefused(f"The server says: {refusal_reason(error)}"))

    def _take_progress(self, params: object) -> None:
        told = cast("JsonObject", params) if isinstance(params, dict) else {}
        asked = self._find_pending(told.get("progressToken"))
        if asked is not None and monotonic() - self._progress_at >= MCP_PROGRESS_INTERVAL_SECONDS:
            self._progress_at = monotonic()
            asked.tell(progress_line(told), progress_share(told))

    def _answer_request(self, number: object, method: object) -> None:
        """Answer what a server asks of us: that we are here, and nothing else."""
        said: JsonObject = {"result": {}} if method == "ping" else {"error": method_not_found()}
        self._send_later({"jsonrpc": "2.0", "id": number, **said})

    def _cancel_request(self, number: int) -> None:
        params = {"requestId": number, "reason": "no longer wanted"}
        self._send_later({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    def _send_later(self, message: JsonObject) -> None:
        """Send a message for whose fate nobody waits."""

        async def send() -> None:
            with suppress(TertuliaError, TimeoutError):
                async with asyncio.timeout(MCP_INITIALIZE_TIMEOUT_SECONDS):
                    await self._transport.send(message)

        if self._transport.is_open:
            task = asyncio.get_running_loop().create_task(send())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _fail_pending(self, why: str) -> None:
        """Tell everybody who waits that nothing will come."""
        for asked in self._pending.values():
            if not asked.answer.done():
                asked.answer.set_exception(ToolCallLost(why))


def progress_line(told: JsonObject) -> str:
    """Return what a server says of how far a call is, as one line."""
    words = " ".join(str(told.get("message") or "")[:MCP_ERROR_MAX_CHARS].split())
    return f"{words}\n" if words else ""


def progress_share(told: JsonObject) -> float | None:
    """Return how much of a call is done, where the server knows."""
    done, total = told.get("progress"), told.get("total")
    if isinstance(done, int | float) and isinstance(total, int | float) and 0 <= done <= total and total:
        return done / total
    return None


def refusal_reason(error: object) -> str:
    """Return why a server refused, in its words, cut short."""
    message = cast("JsonObject", error).get("message") if isinstance(error, dict) else None
    return " ".join(str(message or "nothing that can be understood").split())[:MCP_ERROR_MAX_CHARS]


def method_not_found() -> JsonObject:
    """Return the refusal of anything that we do not do for servers."""
    return {"code": METHOD_NOT_FOUND_CODE, "message": "This client does not do that."}


def redact_json(value: object, hidden: Sequence[str]) -> object:
    """Return any JSON with the secrets in it painted over."""
    match value:
        case str():
            return redact(value, hidden)
        case dict():
            parts = cast("dict[str, object]", value)
            return {redact(name, hidden): redact_json(part, hidden) for name, part in parts.items()}
        case list():
            return [redact_json(part, hidden) for part in cast("list[object]", value)]
        case _:
            return value


def redact_tool_list(value: object, hidden: Sequence[str]) -> object:
    """Return a list of tools with the secrets painted over in what it describes, not in what it names."""
    match value:
        case dict():
            parts = cast("dict[str, object]", value)
            return {
                name: redact(part, hidden)
                if name in REDACTED_LIST_FIELDS and isinstance(part, str)
                else redact_tool_list(part, hidden)
                for name, part in parts.items()
            }
        case list():
            return [redact_tool_list(part, hidden) for part in cast("list[object]", value)]
        case _:
            return value
