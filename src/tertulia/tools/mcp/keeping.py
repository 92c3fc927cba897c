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
from tertulia.infra.db import Database
from tertulia.tools import workshop_store as store
from tertulia.tools.catalogue import Offered
from tertulia.tools.domain import Caller, Effect
from tertulia.tools.mcp.errors import ProgramsOff, ServerChanged
from tertulia.tools.mcp.link import Link, Status
from tertulia.tools.mcp.secrets import Sealer, told_to_nobody
from tertulia.tools.mcp.session import Wire
from tertulia.tools.mcp.stdio import StdioWire
from tertulia.tools.mcp.streaming import HttpWire
from tertulia.tools.mcp.tool import ServerTool
from tertulia.tools.workshop_store import ServerRow, Transport

log = logging.getLogger("tertulia.tools")


class Links:
    """Keeps one link for each server, for as long as the server stays what it is."""

    def __init__(self, db: Database, client: httpx2.AsyncClient, sealer: Sealer, *, programs: bool) -> None:
        self._db = db
        self._programs = programs
        self._client = client
        self._sealer = sealer
        self._links: dict[str, tuple[object, Link]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def of(self, row: ServerRow, by: Principal) -> Link:
        """Return the link to a server; one that was changed is met anew."""
        known = self._links.get(row.id)
        if known is not None and known[0] == identity(row):
            return known[1]
        if known is not None:
            self._soon(f"close {id(known[1])}", known[1])
        link = Link(row.slug, lambda: self._dial(row), changed=lambda: self._refresh(row, by))
        self._links[row.id] = (identity(row), link)
        return link

    def state(self, row: ServerRow) -> tuple[Status, str]:
        """Return how a server stands, and why."""
        known = self._links.get(row.id)
        if known is None or known[0] != identity(row):
            return Status.UNKNOWN, ""
        return known[1].status, known[1].problem

    def tools(self, rows: Iterable[ServerRow], caller: Caller) -> list[ServerTool]:
        """Return the tools of servers that are on and, as far as we know, up; others are tried again."""
        found: list[ServerTool] = []
        for row in rows:
            if not row.enabled:
                continue
            link = self.of(row, caller.by)
            if link.status is Status.DOWN:
                if link.may_be_tried:
                    self._refresh(row, caller.by)
                continue
            found += [ServerTool(row.slug, one, link, one.effect) for one in allowed(row)]
        return found

    def drop_unless(self, row: ServerRow) -> None:
        """Let a server go at once, unless it is on and still what it was."""
        known = self._links.get(row.id)
        if known is not None and not (row.enabled and known[0] == identity(row)):
            del self._links[row.id]
            self._soon(f"close {id(known[1])}", known[1])

    async def forget(self, server_id: str) -> None:
        """End a server that is no longer wanted."""
        _, link = self._links.pop(server_id, (None, None))
        if link is not None:
            await link.close()

    async def close(self) -> None:
        """Let all servers go."""
        for task in self._tasks.values():
            task.cancel()
        links = [link for _, link in self._links.values()]
        self._links.clear()
        await asyncio.gather(*(link.close() for link in links), return_exceptions=True)

    async def _dial(self, row: ServerRow) -> tuple[Wire, list[str]]:
        known = self._links.get(row.id)
        if known is None or known[0] != identity(row):
            # A reply that goes on for long still holds the link to what the server was.
            raise ServerChanged
        secrets = await self._sealer.open(row.sealed, row.id)
        hidden = told_to_nobody(secrets)
        if row.transport is Transport.STDIO:
            if not self._programs:
                raise ProgramsOff
            return StdioWire(row.command, row.arguments, secrets), hidden
        return HttpWire(self._client, row.url, secrets), hidden

    def _refresh(self, row: ServerRow, by: Principal) -> None:
        """Ask a server for its tools, beside whatever goes on."""

        async def refresh() -> None:
            with suppress(TertuliaError):
                current = await self._db.read(lambda tx: store.get(tx, ServerRow, row.id), by=by)
                if current is not None:
                    heard = cautious(await self.of(current, by).listing(), current.tools)
                    await self._db.write(lambda tx: store.keep_listing(tx, current, heard, now()), by=by)

        if row.id not in self._tasks:
            task = asyncio.get_running_loop().create_task(refresh())
            self._tasks[row.id] = task
            task.add_done_callback(lambda _: self._tasks.pop(row.id, None))

    def _soon(self, name: str, link: Link) -> None:
        task = asyncio.get_running_loop().create_task(link.close())
        self._tasks[name] = task
        task.add_done_callback(lambda _: self._tasks.pop(name, None))


def cautious(offered: list[Offered], known: list[Offered]) -> list[Offered]:
    """Return a new list in which a tool only looks if it did so when somebody checked the server."""
    looking = {one.name for one in known if one.effect is Effect.READ}
    return [one if one.name in looking else replace(one, effect=Effect.SIDE) for one in offered]


def allowed(row: ServerRow) -> list[Offered]:
    """Return the tools of a server that may be used."""
    return [one for one in row.tools if row.allowed is None or one.name in row.allowed]


def identity(row: ServerRow) -> tuple[object, ...]:
    """Return what makes a server another one."""
    return row.transport, row.command, tuple(row.arguments), row.url, row.sealed
