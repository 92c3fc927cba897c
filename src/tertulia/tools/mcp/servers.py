"""The servers of a workspace that offer tools: entering, changing and trying them. Secrets never come out."""

from dataclasses import replace

from tertulia.accounts import audit
from tertulia.core.clock import now
from tertulia.core.errors import Conflict, Limited, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.tools import workshop_store as store
from tertulia.tools.mcp.entering import NewServer, ServerChange, changed_row, is_another, new_row
from tertulia.tools.mcp.errors import ProgramsOff
from tertulia.tools.mcp.keeping import Links
from tertulia.tools.mcp.secrets import Sealer
from tertulia.tools.workshop_store import ServerRow

MOST_SERVERS = 30


class Servers:
    """The verbs on servers."""

    def __init__(self, db: Database, links: Links, sealer: Sealer, *, programs: bool) -> None:
        self._db = db
        self._programs = programs
        self._links = links
        self._sealer = sealer

    async def all(self, by: Principal) -> list[ServerRow]:
        """Return the workspace's servers."""
        return await self._db.read(lambda tx: store.all_of(tx, ServerRow), by=by)

    async def add(self, new: NewServer, by: Principal) -> ServerRow:
        """Store a new server; it is not met before somebody tries it or a model needs it."""
        by.require(Role.ADMIN)
        self._allow_program(new.command)
        server_id = new_id("tsv")
        row = new_row(new, server_id, await self._sealer.seal(new.secrets, server_id))

        def write(tx: Tx) -> None:
            if len(store.all_of(tx, ServerRow)) >= MOST_SERVERS:
                raise Limited(f"There can be {MOST_SERVERS} tool servers: remove one first.")
            if store.slug_is_taken(tx, row.slug):
                raise Conflict(f"There are already tools under {row.slug!r}: choose another name.")
            store.add(tx, row)
            detail = {"slug": row.slug, "transport": row.transport.value}
            audit.record(tx, "tool_server_added", subject_id=row.id, detail=detail)

        await self._db.write(write, by=by)
        return row

    async def change(self, server_id: str, change: ServerChange, by: Principal) -> ServerRow:
        """Change a server; when it becomes another, people are asked again before its tools run."""
        by.require(Role.ADMIN)
        self._allow_program(change.command)
        sealed = None if change.secrets is None else await self._sealer.seal(change.secrets, server_id)

        def write(tx: Tx) -> ServerRow:
            row = found(tx, server_id)
            changed = changed_row(row, change, sealed)
            store.change(tx, changed)
            if is_another(row, changed):
                store.forget_trust(tx, row.slug)
            audit.record(tx, "tool_server_changed", subject_id=row.id, detail={"changed": change.told})
            return changed

        changed = await self._db.write(write, by=by)
        self._links.drop_unless(changed)
        return changed

    async def remove(self, server_id: str, by: Principal) -> None:
        """Delete a server with its secrets, and end it."""
        by.require(Role.ADMIN)

        def write(tx: Tx) -> ServerRow:
            row = found(tx, server_id)
            store.remove(tx, row)
            audit.record(tx, "tool_server_removed", subject_id=row.id, detail={"slug": row.slug})
            return row

        await self._links.forget((await self._db.write(write, by=by)).id)

    async def check(self, server_id: str, by: Principal) -> ServerRow:
        """Meet a server and keep what it lists: whoever checks it takes its word for what only looks."""
        by.require(Role.ADMIN)
        row = await self._db.read(lambda tx: found(tx, server_id), by=by)
        offered = await self._links.of(row, by).listing()
        if not await self._db.write(lambda tx: store.keep_listing(tx, row, offered, now()), by=by):
            raise Conflict("The server was changed meanwhile: check it again.")
        return replace(row, tools=offered, listed_at=now())

    def _allow_program(self, command: str | None) -> None:
        if command and not self._programs:
            raise ProgramsOff


def found(tx: Tx, server_id: str) -> ServerRow:
    """Return a server of the workspace, or raise."""
    row = store.get(tx, ServerRow, server_id)
    if row is None:
        raise NotFound("tool server")
    return row
