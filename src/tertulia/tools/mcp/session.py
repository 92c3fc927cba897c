"""Speaking with one MCP server: requests and their answers, whatever carries them."""

import asyncio
import itertools
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic
from typing import Any, Protocol, cast

from tertulia import __version__
from tertulia.core.errors import TertuliaError
from tertulia.infra.secrets import redact
from tertulia.tools.domain import Tell, silently
from tertulia.tools.mcp.errors import CallLost, ServerDown, ServerRefused

#: The newest version of the protocol that begins with a greeting, and all that we understand.
VERSION = "2025-11-25"
VERSIONS = (VERSION, "2025-06-18", "2025-03-26", "2024-11-05")
NO_SUCH_METHOD = -32601
GREETING_SECONDS = 20.0
LONGEST_ERROR = 500
#: How often progress is passed on, however often it is told.
PROGRESS_SECONDS = 0.1
LISTING = "tools/list"
#: What of a list of tools is said in words.
WORDS = ("description", "title")

Json = dict[str, Any]
Hear = Callable[[Json], None]


class Wire(Protocol):
    """Carries messages to a server and back."""

    @property
    def is_open(self) -> bool:
        """Tell whether the server can still be spoken to."""
        ...

    async def open(self, hear: Hear, lost: Callable[[str], None]) -> None:
        """Connect; what comes is given to `hear`, and the end to `lost` with its reason."""
        ...

    async def send(self, message: Json) -> None:
        """Send one message; a wire whose answers come with it returns once they have."""
        ...

    async def agreed(self, version: str) -> None:
        """Go on in a version of the protocol, once both sides know each other."""
        ...

    async def close(self) -> None:
        """Hang up."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is not answered yet, and who hears how far it is."""

    method: str
    answer: asyncio.Future[Json]
    tell: Tell


class Session:
    """One conversation with a server."""

    def __init__(
        self, wire: Wire, *, changed: Callable[[], None] = lambda: None, hidden: Sequence[str] = ()
    ) -> None:
        self._wire = wire
        self._changed = changed
        self._hidden = hidden
        self._numbers = itertools.count(1)
        self._asked: dict[int, Asked] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._told_at = 0.0

    @property
    def is_open(self) -> bool:
        """Tell whether the server can still be spoken to."""
        return self._wire.is_open

    async def open(self) -> None:
        """Connect and greet, or raise."""
        await self._wire.open(self._hear, self._lost)
        us = {"name": "tertulia", "version": __version__}
        greeting = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": us}
        try:
            said = await self.request("initialize", greeting, seconds=GREETING_SECONDS)
        except (TimeoutError, CallLost) as error:
            why = "it did not answer in time" if isinstance(error, TimeoutError) else error.message
            raise ServerDown(f"The server could not be greeted: {why}") from None
        version = said.get("protocolVersion")
        if version not in VERSIONS:
            raise ServerDown(f"The server speaks a version of MCP that we do not: {str(version)[:40]!r}.")
        await self._wire.agreed(str(version))
        await self._wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def request(self, method: str, params: Json, *, seconds: float, tell: Tell = silently) -> Json:
        """Ask for something and return what it gave; raises `TimeoutError` when it takes too long."""
        number = next(self._numbers)
        answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()
        self._asked[number] = Asked(method, answer, tell)
        if tell is not silently:
            params = params | {"_meta": {"progressToken": number}}
        try:
            async with asyncio.timeout(seconds):
                await self._wire.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                return await answer
        except (TimeoutError, asyncio.CancelledError):
            self._give_up(number)
            raise
        finally:
            del self._asked[number]
            if answer.done() and not answer.cancelled():
                answer.exception()  # heard, or of no use to anybody any more

    async def close(self) -> None:
        """Hang up."""
        for task in self._tasks:
            task.cancel()
        await self._wire.close()
        self._lost("it was closed")

    def _hear(self, message: Json) -> None:
        """Take in one message, whatever it is, without the secrets that the server may repeat."""
        message = self._without_secrets(message)
        method = message.get("method")
        if method is None:
            self._take_answer(message)
        elif "id" in message:
            self._answer(message["id"], method)
        elif method == "notifications/tools/list_changed":
            self._changed()
        elif method == "notifications/progress":
            self._take_progress(message.get("params"))

    def _without_secrets(self, message: Json) -> Json:
        """Return a message without secrets; what tools are called, and call their arguments, stays."""
        if not self._hidden:
            return message
        clean = cast("Json", painted(message, self._hidden))
        asked = self._request(message.get("id"))
        if asked is not None and asked.method == LISTING and "result" in message:
            clean["result"] = painted_words(message["result"], self._hidden)
        return clean

    def _request(self, number: object) -> "Asked | None":
        return self._asked.get(number) if isinstance(number, int) else None

    def _take_answer(self, message: Json) -> None:
        asked = self._request(message.get("id"))
        if asked is None or asked.answer.done():
            return
        error, result = message.get("error"), message.get("result")
        if isinstance(result, dict):
            asked.answer.set_result(cast("Json", result))
        else:
            asked.answer.set_exception(ServerRefused(f"The server says: {reason_of(error)}"))

    def _take_progress(self, params: object) -> None:
        told = cast("Json", params) if isinstance(params, dict) else {}
        asked = self._request(told.get("progressToken"))
        if asked is not None and monotonic() - self._told_at >= PROGRESS_SECONDS:
            self._told_at = monotonic()
            asked.tell(progress_line(told), share_of(told))

    def _answer(self, number: object, method: object) -> None:
        """Answer what a server asks of us: that we are here, and nothing else."""
        said: Json = {"result": {}} if method == "ping" else {"error": no_such_method()}
        self._soon({"jsonrpc": "2.0", "id": number, **said})

    def _give_up(self, number: int) -> None:
        params = {"requestId": number, "reason": "no longer wanted"}
        self._soon({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params})

    def _soon(self, message: Json) -> None:
        """Send a message for whose fate nobody waits."""

        async def send() -> None:
            with suppress(TertuliaError, TimeoutError):
                async with asyncio.timeout(GREETING_SECONDS):
                    await self._wire.send(message)

        if self._wire.is_open:
            task = asyncio.get_running_loop().create_task(send())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _lost(self, why: str) -> None:
        """Tell everybody who waits that nothing will come."""
        for asked in self._asked.values():
            if not asked.answer.done():
                asked.answer.set_exception(CallLost(why))


def progress_line(told: Json) -> str:
    """Return what a server says of how far a call is, as one line."""
    words = " ".join(str(told.get("message") or "")[:LONGEST_ERROR].split())
    return f"{words}\n" if words else ""


def share_of(told: Json) -> float | None:
    """Return how much of a call is done, where the server knows."""
    done, total = told.get("progress"), told.get("total")
    if isinstance(done, int | float) and isinstance(total, int | float) and 0 <= done <= total and total:
        return done / total
    return None


def reason_of(error: object) -> str:
    """Return why a server refused, in its words, cut short."""
    message = cast("Json", error).get("message") if isinstance(error, dict) else None
    return " ".join(str(message or "nothing that can be understood").split())[:LONGEST_ERROR]


def no_such_method() -> Json:
    """Return the refusal of anything that we do not do for servers."""
    return {"code": NO_SUCH_METHOD, "message": "This client does not do that."}


def painted(value: object, hidden: Sequence[str]) -> object:
    """Return any JSON with the secrets in it painted over."""
    match value:
        case str():
            return redact(value, hidden)
        case dict():
            parts = cast("dict[str, object]", value)
            return {redact(name, hidden): painted(part, hidden) for name, part in parts.items()}
        case list():
            return [painted(part, hidden) for part in cast("list[object]", value)]
        case _:
            return value


def painted_words(value: object, hidden: Sequence[str]) -> object:
    """Return a list of tools with the secrets painted over in what it describes, not in what it names."""
    match value:
        case dict():
            parts = cast("dict[str, object]", value)
            return {
                name: redact(part, hidden)
                if name in WORDS and isinstance(part, str)
                else painted_words(part, hidden)
                for name, part in parts.items()
            }
        case list():
            return [painted_words(part, hidden) for part in cast("list[object]", value)]
        case _:
            return value
