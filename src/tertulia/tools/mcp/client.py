"""One server that is kept at hand: connected on first use, let go when idle, met anew after a crash."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from time import monotonic

from tertulia.core.errors import TertuliaError
from tertulia.core.json_object import JsonObject
from tertulia.tools.domain import ReportProgress, ToolOutput, report_nothing
from tertulia.tools.external_tools import OfferedTool
from tertulia.tools.mcp.errors import McpSessionExpired, ToolCallLost, ToolServerDown
from tertulia.tools.mcp.mcp_session import LIST_TOOLS_METHOD, McpSession, McpTransport
from tertulia.tools.mcp.responses import parse_call_result, parse_tool_list
from tertulia.tools.mcp.server_status import ToolServerStatus

log = logging.getLogger("tertulia.tools")

MCP_IDLE_SECONDS = 600.0
#: How long a server that was down is left alone.
MCP_RETRY_SECONDS = 30.0
MCP_LIST_TIMEOUT_SECONDS = 20.0
MCP_TOOLS_MAX = 200
MCP_LIST_PAGES_MAX = 20

#: Returns a new wire to a server, and the secrets that are sent on it.
OpenTransport = Callable[[], Awaitable[tuple[McpTransport, Sequence[str]]]]


async def skip_check() -> None:
    """Take a server for what it was."""


class McpClient:
    """Keeps the session with one server."""

    def __init__(
        self,
        slug: str,
        open_transport: OpenTransport,
        *,
        changed: Callable[[], None] = lambda: None,
        status_changed: Callable[[], None] = lambda: None,
        check_current: Callable[[], Awaitable[None]] = skip_check,
        idle_seconds: float = MCP_IDLE_SECONDS,
    ) -> None:
        self._slug = slug
        self._open_transport = open_transport
        self._changed = changed
        self._status_changed = status_changed
        self._check_current = check_current
        self._idle_seconds = idle_seconds
        self._session: McpSession | None = None
        self._opening = asyncio.Lock()
        self._users = 0
        self._timer: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._failed_at = 0.0
        self.status = ToolServerStatus.UNKNOWN
        self.problem = ""

    @property
    def can_be_retried(self) -> bool:
        """Tell whether a server that was down has been left alone for long enough."""
        return self.status is ToolServerStatus.DOWN and monotonic() - self._failed_at > MCP_RETRY_SECONDS

    async def list_tools(self) -> list[OfferedTool]:
        """Ask the server for all its tools."""
        async with self._use_session() as session:
            offered: list[OfferedTool] = []
            page: JsonObject = {}
            for _ in range(MCP_LIST_PAGES_MAX):
                try:
                    said = await session.request(LIST_TOOLS_METHOD, page, seconds=MCP_LIST_TIMEOUT_SECONDS)
                except TimeoutError:
                    raise ToolServerDown("The server did not list its tools in time.") from None
                offered += parse_tool_list(said)
                cursor = said.get("nextCursor")
                if not isinstance(cursor, str) or len(offered) >= MCP_TOOLS_MAX:
                    break
                page = {"cursor": cursor}
            return offered[:MCP_TOOLS_MAX]

    async def call_tool(
        self,
        tool: str,
        arguments: JsonObject,
        *,
        seconds: float,
        tell: ReportProgress = report_nothing,
    ) -> ToolOutput:
        """Run a tool: at most once, as one that may have run is never asked for again."""
        await self._check_current()
        params = {"name": tool, "arguments": arguments}
        try:
            said = await self._call_tool(params, seconds, tell)
        except McpSessionExpired:
            said = await self._call_tool(params, seconds, tell)
        return parse_call_result(self._slug, said)

    async def close(self) -> None:
        """Let the server go."""
        if self._timer is not None:
            self._timer.cancel()
        async with self._opening:
            session, self._session = self._session, None
            if session is not None:
                await session.close()

    async def _call_tool(self, params: JsonObject, seconds: float, tell: ReportProgress) -> JsonObject:
        async with self._use_session() as session:
            return await session.request("tools/call", params, seconds=seconds, tell=tell)

    @asynccontextmanager
    async def _use_session(self) -> AsyncGenerator[McpSession]:
        """Give the session, and keep it for as long as the block lasts."""
        self._users += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            yield await self._open_session()
        except (ToolServerDown, ToolCallLost) as error:
            self._record_failure(error)
            raise
        finally:
            self._users -= 1
            if self._users == 0:
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later(self._idle_seconds, self._close_if_idle)

    async def _open_session(self) -> McpSession:
        async with self._opening:
            if self._session is not None and self._session.is_open:
                return self._session
            if self._session is not None:
                await self._session.close()
            wire, hidden = await self._open_transport()
            session = McpSession(wire, changed=self._changed, hidden=hidden)
            try:
                await session.open()
            except TertuliaError as error:
                await session.close()
                self._session = None
                raise self._record_failure(error) from None
            except BaseException:
                await session.close()
                raise
            self._session = session
            self._set_status(ToolServerStatus.UP, "")
            return session

    def _record_failure(self, error: TertuliaError) -> TertuliaError:
        """Remember why the server is of no use just now."""
        self._failed_at = monotonic()
        is_down = not isinstance(error, ToolCallLost)
        self._set_status(ToolServerStatus.DOWN if is_down else self.status, error.message)
        if is_down:
            log.warning("The tool server %s is down.", self._slug)
        return error

    def _set_status(self, status: ToolServerStatus, problem: str) -> None:
        if (self.status, self.problem) != (status, problem):
            self.status, self.problem = status, problem
            self._status_changed()

    def _close_if_idle(self) -> None:
        if self._users == 0:
            task = asyncio.get_running_loop().create_task(self.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
