"""One server that is kept at hand: connected on first use, let go when idle, met anew after a crash."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from time import monotonic
from typing import Any

from tertulia.core.errors import TertuliaError
from tertulia.tools.catalogue import Offered
from tertulia.tools.domain import Result, Tell, silently
from tertulia.tools.mcp.errors import CallLost, ServerDown, SessionOver
from tertulia.tools.mcp.session import LISTING, Session, Wire
from tertulia.tools.mcp.wording import listing_of, result_of

log = logging.getLogger("tertulia.tools")

IDLE_SECONDS = 600.0
#: How long a server that was down is left alone.
RETRY_SECONDS = 30.0
LIST_SECONDS = 20.0
MOST_TOOLS = 200
MOST_PAGES = 20

#: Returns a new wire to a server, and the secrets that are sent on it.
Dial = Callable[[], Awaitable[tuple[Wire, Sequence[str]]]]


class Status(StrEnum):
    """How a server stands, as far as we know."""

    UNKNOWN = "unknown"
    UP = "up"
    DOWN = "down"


class Link:
    """Keeps the session with one server."""

    def __init__(
        self,
        slug: str,
        wire: Dial,
        *,
        changed: Callable[[], None] = lambda: None,
        idle_seconds: float = IDLE_SECONDS,
    ) -> None:
        self._slug = slug
        self._wire = wire
        self._changed = changed
        self._idle_seconds = idle_seconds
        self._session: Session | None = None
        self._opening = asyncio.Lock()
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._failed_at = 0.0
        self.status = Status.UNKNOWN
        self.problem = ""

    @property
    def may_be_tried(self) -> bool:
        """Tell whether a server that was down has been left alone for long enough."""
        return self.status is Status.DOWN and monotonic() - self._failed_at > RETRY_SECONDS

    async def listing(self) -> list[Offered]:
        """Ask the server for all its tools."""
        async with self._connected() as session:
            offered: list[Offered] = []
            page: dict[str, Any] = {}
            for _ in range(MOST_PAGES):
                try:
                    said = await session.request(LISTING, page, seconds=LIST_SECONDS)
                except TimeoutError:
                    raise ServerDown("The server did not list its tools in time.") from None
                offered += listing_of(said)
                cursor = said.get("nextCursor")
                if not isinstance(cursor, str) or len(offered) >= MOST_TOOLS:
                    break
                page = {"cursor": cursor}
            return offered[:MOST_TOOLS]

    async def call(
        self,
        tool: str,
        arguments: dict[str, Any],
        *,
        seconds: float,
        tell: Tell = silently,
    ) -> Result:
        """Run a tool: at most once, as one that may have run is never asked for again."""
        params = {"name": tool, "arguments": arguments}
        try:
            said = await self._ask(params, seconds, tell)
        except SessionOver:
            said = await self._ask(params, seconds, tell)
        return result_of(self._slug, said)

    async def close(self) -> None:
        """Let the server go."""
        if self._timer is not None:
            self._timer.cancel()
        async with self._opening:
            session, self._session = self._session, None
            if session is not None:
                await session.close()

    async def _ask(self, params: dict[str, Any], seconds: float, tell: Tell) -> dict[str, Any]:
        async with self._connected() as session:
            return await session.request("tools/call", params, seconds=seconds, tell=tell)

    @asynccontextmanager
    async def _connected(self) -> AsyncGenerator[Session]:
        """Give the session, and keep it for as long as the block lasts."""
        self._users += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            yield await self._opened()
        except (ServerDown, CallLost) as error:
            self._note(error)
            raise
        finally:
            self._users -= 1
            if self._users == 0:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._idle_seconds, self._close_if_idle)

    async def _opened(self) -> Session:
        async with self._opening:
            if self._session is not None and self._session.is_open:
                return self._session
            if self._session is not None:
                await self._session.close()
            wire, hidden = await self._wire()
            session = Session(wire, changed=self._changed, hidden=hidden)
            try:
                await session.open()
            except TertuliaError as error:
                await session.close()
                self._session = None
                raise self._note(error) from None
            except BaseException:
                await session.close()
                raise
            self._session = session
            self.status, self.problem = Status.UP, ""
            return session

    def _note(self, error: TertuliaError) -> TertuliaError:
        """Remember why the server is of no use just now."""
        self.problem = error.message
        self._failed_at = monotonic()
        if not isinstance(error, CallLost):
            self.status = Status.DOWN
            log.warning("The tool server %s is down.", self._slug)
        return error

    def _close_if_idle(self) -> None:
        if self._users == 0:
            task = asyncio.get_running_loop().create_task(self.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
