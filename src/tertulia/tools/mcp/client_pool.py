"""The servers that are kept at hand, each met once for all who use it."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import httpx2

from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.tasks import cancel_tasks
from tertulia.infra.db import Database
from tertulia.tools import store
from tertulia.tools.domain import Effect, ToolCaller
from tertulia.tools.errors import ToolServerChanged
from tertulia.tools.external_tools import OfferedTool
from tertulia.tools.mcp.client import McpClient
from tertulia.tools.mcp.errors import ToolProgramsDisabled
from tertulia.tools.mcp.http_transport import HttpTransport
from tertulia.tools.mcp.mcp_session import McpTransport
from tertulia.tools.mcp.mcp_tool import McpTool
from tertulia.tools.mcp.server_secrets import SecretSealer, values_to_redact
from tertulia.tools.mcp.server_status import ToolServerStatus, store_state
from tertulia.tools.mcp.stdio_transport import StdioTransport
from tertulia.tools.store import ServerRow, Transport

log = logging.getLogger("tertulia.tools")


class McpClientPool:
    """Keeps one link for each server, for as long as the server stays what it is."""

    def __init__(
        self, db: Database, client: httpx2.AsyncClient, sealer: SecretSealer, *, programs: bool
    ) -> None:
        self._db = db
        self._programs = programs
        self._client = client
        self._sealer = sealer
        self._clients: dict[str, tuple[object, McpClient]] = {}
        self._refreshing: dict[str, asyncio.Task[None]] = {}
        self._closing: set[asyncio.Task[None]] = set()
        self._storing: set[asyncio.Task[None]] = set()
        self._storing_in_order = asyncio.Lock()

    def client_for(self, row: ServerRow, by: Principal) -> McpClient:
        """Return the link to a server; one that was changed is met anew."""
        known = self._clients.get(row.id)
        if known is not None and known[0] == connection_identity(row):
            return known[1]
        if known is not None:
            self._close_later(known[1])
        link = McpClient(
            row.slug,
            lambda: self._open_transport(row),
            changed=lambda: self._refresh(row, by),
            status_changed=lambda: self._store_status(row, by),
            check_current=lambda: self._check_current(row, by),
        )
        self._clients[row.id] = (connection_identity(row), link)
        return link

    async def store_statuses(self) -> None:
        """Wait until it is stored how the servers stand that were just met."""
        await asyncio.gather(*self._storing)

    def tools(self, rows: Iterable[ServerRow], caller: ToolCaller) -> list[McpTool]:
        """Return the tools of servers that are on and, as far as we know, up; others are tried again."""
        found: list[McpTool] = []
        for row in rows:
            if not row.enabled:
                continue
            link = self.client_for(row, caller.by)
            if link.status is ToolServerStatus.DOWN:
                if link.can_be_retried:
                    self._refresh(row, caller.by)
                continue
            found += [
                McpTool(row.slug, allowed_tool, link, allowed_tool.effect)
                for allowed_tool in allowed_tools(row)
            ]
        return found

    def drop_if_changed(self, row: ServerRow) -> None:
        """Let a server go at once, unless it is on and still what it was."""
        known = self._clients.get(row.id)
        if known is not None and not (row.enabled and known[0] == connection_identity(row)):
            del self._clients[row.id]
            self._close_later(known[1])

    async def forget(self, server_id: str) -> None:
        """End a server that is no longer wanted."""
        _, link = self._clients.pop(server_id, (None, None))
        if link is not None:
            await link.close()

    async def close(self) -> None:
        """Let all servers go."""
        await cancel_tasks([*self._refreshing.values(), *self._storing])
        links = [link for _, link in self._clients.values()]
        self._clients.clear()
        await asyncio.gather(*(link.close() for link in links), *self._closing, return_exceptions=True)

    async def _open_transport(self, row: ServerRow) -> tuple[McpTransport, list[str]]:
        known = self._clients.get(row.id)
        if known is None or known[0] != connection_identity(row):
            # A reply that goes on for long still holds the link to what the server was.
            raise ToolServerChanged
        secrets = await self._sealer.open(row.sealed, row.id)
        hidden = values_to_redact(secrets)
        if row.transport is Transport.STDIO:
            if not self._programs:
                raise ToolProgramsDisabled
            return StdioTransport(row.command, row.arguments, secrets), hidden
        return HttpTransport(self._client, row.url, secrets), hidden

    async def _check_current(self, row: ServerRow, by: Principal) -> None:
        """Raise unless a server is on and what it was: another process may have removed or changed it."""
        current = await self._db.read(lambda tx: store.find_row(tx, ServerRow, row.id), by=by)
        if current is None:
            await self.forget(row.id)
            raise ToolServerChanged
        self.drop_if_changed(current)
        if not current.enabled or connection_identity(current) != connection_identity(row):
            raise ToolServerChanged

    def _refresh(self, row: ServerRow, by: Principal) -> None:
        """Ask a server for its tools, beside whatever goes on."""

        async def refresh() -> None:
            with suppress(TertuliaError):
                current = await self._db.read(lambda tx: store.find_row(tx, ServerRow, row.id), by=by)
                if current is not None:
                    heard = keep_checked_effects(
                        await self.client_for(current, by).list_tools(), current.tools
                    )
                    await self._db.write(lambda tx: store.store_tool_list(tx, current, heard, now()), by=by)

        if row.id not in self._refreshing:
            task = asyncio.get_running_loop().create_task(refresh())
            self._refreshing[row.id] = task
            task.add_done_callback(lambda _: self._refreshing.pop(row.id, None))

    def _store_status(self, row: ServerRow, by: Principal) -> None:
        """Store how a server stands: whichever process is asked next says the same."""

        async def store_newest() -> None:
            async with self._storing_in_order:
                known = self._clients.get(row.id)
                if known is None or known[0] != connection_identity(row):
                    return
                status, problem = known[1].status, known[1].problem
                try:
                    await self._db.write(lambda tx: store_state(tx, row, status, problem), by=by)
                except TertuliaError as error:
                    log.warning("It could not be stored how a tool server stands: %s", error)

        task = asyncio.get_running_loop().create_task(store_newest())
        self._storing.add(task)
        task.add_done_callback(self._storing.discard)

    def _close_later(self, link: McpClient) -> None:
        task = asyncio.get_running_loop().create_task(link.close())
        self._closing.add(task)
        task.add_done_callback(self._closing.discard)


def keep_checked_effects(offered: list[OfferedTool], known: list[OfferedTool]) -> list[OfferedTool]:
    """Return a new list in which a tool only looks if it did so when somebody checked the server."""
    looking = {offered_tool.name for offered_tool in known if offered_tool.effect is Effect.READ}
    return [
        offered_tool if offered_tool.name in looking else replace(offered_tool, effect=Effect.SIDE)
        for offered_tool in offered
    ]


def allowed_tools(row: ServerRow) -> list[OfferedTool]:
    """Return the tools of a server that may be used."""
    return [tool for tool in row.tools if row.allowed is None or tool.name in row.allowed]


def connection_identity(row: ServerRow) -> tuple[object, ...]:
    """Return what makes a server another one."""
    return row.transport, row.command, tuple(row.arguments), row.url, row.sealed
