"""The servers of a workspace that offer tools: entering, changing and trying them. Secrets never come out."""

from dataclasses import replace

from tertulia.accounts import audit
from tertulia.core.clock import now
from tertulia.core.errors import Conflict, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.tools import store
from tertulia.tools.mcp.client_pool import McpClientPool, connection_identity
from tertulia.tools.mcp.errors import ToolProgramsDisabled
from tertulia.tools.mcp.server_config import NewServer, ServerChange, apply_change, is_other_server, to_row
from tertulia.tools.mcp.server_secrets import SecretSealer
from tertulia.tools.mcp.server_status import ToolServerState, ToolServerStatus, list_states, store_state
from tertulia.tools.store import ServerRow

MCP_SERVERS_MAX = 30


class McpServers:
    """The verbs on servers."""

    def __init__(self, db: Database, clients: McpClientPool, sealer: SecretSealer, *, programs: bool) -> None:
        self._db = db
        self._programs = programs
        self._clients = clients
        self._sealer = sealer

    async def all(self, by: Principal) -> list[ServerRow]:
        """Return the workspace's servers."""
        return await self._db.read(lambda tx: store.list_rows(tx, ServerRow), by=by)

    async def states(self, by: Principal) -> dict[str, ToolServerState]:
        """Return how the workspace's servers stand, by their ids."""
        return await self._db.read(list_states, by=by)

    async def add(self, new: NewServer, by: Principal) -> ServerRow:
        """Store a new server; it is not met before somebody tries it or a model needs it."""
        by.require(Role.ADMIN)
        self._check_programs_enabled(new.command)
        server_id = new_id("tsv")
        row = to_row(new, server_id, await self._sealer.seal(new.secrets, server_id))

        def write(tx: Tx) -> None:
            store.add_source(tx, row, max_rows=MCP_SERVERS_MAX, what="tool servers")
            detail = {"slug": row.slug, "transport": row.transport.value}
            audit.record(tx, "tool_server_added", subject_id=row.id, detail=detail)

        await self._db.write(write, by=by)
        return row

    async def change(self, server_id: str, change: ServerChange, by: Principal) -> ServerRow:
        """Change a server; when it becomes another, people are asked again before its tools run."""
        by.require(Role.ADMIN)
        self._check_programs_enabled(change.command)
        sealed = None if change.secrets is None else await self._sealer.seal(change.secrets, server_id)

        def write(tx: Tx) -> ServerRow:
            row = get_server(tx, server_id)
            changed = apply_change(row, change, sealed)
            store.update_row(tx, changed)
            if connection_identity(row) != connection_identity(changed):
                store_state(tx, changed, ToolServerStatus.UNKNOWN)
            if is_other_server(row, changed):
                store.revoke_grants_of(tx, row.slug)
            audit.record(
                tx, "tool_server_changed", subject_id=row.id, detail={"changed": change.changed_names}
            )
            return changed

        changed = await self._db.write(write, by=by)
        self._clients.drop_if_changed(changed)
        return changed

    async def remove(self, server_id: str, by: Principal) -> None:
        """Delete a server with its secrets, and end it."""
        by.require(Role.ADMIN)

        def write(tx: Tx) -> ServerRow:
            row = get_server(tx, server_id)
            store.remove_row(tx, row)
            audit.record(tx, "tool_server_removed", subject_id=row.id, detail={"slug": row.slug})
            return row

        await self._clients.forget((await self._db.write(write, by=by)).id)

    async def check(self, server_id: str, by: Principal) -> ServerRow:
        """Meet a server and keep what it lists: whoever checks it takes its word for what only looks."""
        by.require(Role.ADMIN)
        row = await self._db.read(lambda tx: get_server(tx, server_id), by=by)
        try:
            offered = await self._clients.client_for(row, by).list_tools()
        finally:
            await self._clients.store_statuses()
        if not await self._db.write(lambda tx: store.store_tool_list(tx, row, offered, now()), by=by):
            raise Conflict("The server was changed meanwhile: check it again.")
        return replace(row, tools=offered, listed_at=now())

    def _check_programs_enabled(self, command: str | None) -> None:
        if command and not self._programs:
            raise ToolProgramsDisabled


def get_server(tx: Tx, server_id: str) -> ServerRow:
    """Return a server of the workspace, or raise."""
    row = store.find_row(tx, ServerRow, server_id)
    if row is None:
        raise NotFound("tool server")
    return row
