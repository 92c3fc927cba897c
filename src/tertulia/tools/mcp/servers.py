"""The servers of a workspace that offer tools: entering, changing and trying them. Secrets never come out."""

from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from tertulia.accounts import audit
from tertulia.core.clock import now
from tertulia.core.errors import Conflict, Invalid, Limited, NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.tools import workshop_store as store
from tertulia.tools.catalogue import Offered, check_slug
from tertulia.tools.http.reaching import check_url
from tertulia.tools.mcp.errors import ProgramsOff
from tertulia.tools.mcp.keeping import Links
from tertulia.tools.mcp.secrets import Sealer, check_secrets
from tertulia.tools.workshop_store import ServerRow, Transport

MOST_SERVERS = 30
LONGEST_COMMAND = 500
MOST_ARGUMENTS = 50


class ServerInvalid(Invalid):
    """What was entered cannot be a server."""

    code = "tool_server_invalid"


@dataclass(frozen=True, slots=True)
class NewServer:
    """What an admin says about a server that they add."""

    slug: str
    command: str = ""
    arguments: tuple[str, ...] = field(default=(), repr=False)
    url: str = ""
    #: Environment variables of a command, or headers for an address.
    secrets: dict[str, str] = field(default_factory=dict[str, str], repr=False)
    enabled: bool = True
    allowed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ServerChange:
    """What an admin changes; None keeps what is there. `all_allowed` lifts the choice of tools."""

    command: str | None = None
    arguments: tuple[str, ...] | None = field(default=None, repr=False)
    url: str | None = None
    secrets: dict[str, str] | None = field(default=None, repr=False)
    enabled: bool | None = None
    allowed: tuple[str, ...] | None = None
    all_allowed: bool = False


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
        if new.command and not self._programs:
            raise ProgramsOff
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
        sealed = None if change.secrets is None else await self._sealer.seal(change.secrets, server_id)

        def write(tx: Tx) -> ServerRow:
            row = found(tx, server_id)
            changed = changed_row(row, change, sealed)
            store.change(tx, changed)
            if place_of(changed) != place_of(row):
                store.forget_grants(tx, row.slug)
            fields = [name for name in ServerChange.__slots__ if getattr(change, name) is not None]
            audit.record(tx, "tool_server_changed", subject_id=row.id, detail={"changed": fields})
            return changed

        return await self._db.write(write, by=by)

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
        await self._db.write(lambda tx: store.keep_listing(tx, row.id, offered, now()), by=by)
        return replace(row, tools=offered, listed_at=now())


def new_row(new: NewServer, server_id: str, sealed: str | None) -> ServerRow:
    """Return the row of a new server, checked."""
    if bool(new.command) == bool(new.url):
        raise ServerInvalid("A tool server has either a command or an address.")
    made = now()
    transport = Transport.HTTP if new.url else Transport.STDIO
    return ServerRow(
        id=server_id,
        slug=check_slug(new.slug),
        transport=transport,
        command=check_command(new.command) if new.command else "",
        arguments=check_arguments(new.arguments),
        url=check_url(new.url) if new.url else "",
        sealed=sealed,
        secret_names=check_secrets(new.secrets, headers=transport is Transport.HTTP),
        enabled=new.enabled,
        allowed=None if new.allowed is None else list(new.allowed),
        tools=list[Offered](),
        listed_at=None,
        created_at=made,
        updated_at=made,
    )


def changed_row(row: ServerRow, change: ServerChange, sealed: str | None) -> ServerRow:
    """Return a row with what the admin changed; how it is spoken to stays."""
    over_http = row.transport is Transport.HTTP
    if over_http and (change.command or change.arguments):
        raise ServerInvalid("This server has an address: add another one to run a command.")
    if not over_http and change.url:
        raise ServerInvalid("This server is a command: add another one for an address.")
    moved = replace(
        row,
        command=check_command(change.command) if change.command else row.command,
        arguments=row.arguments if change.arguments is None else check_arguments(change.arguments),
        url=check_url(change.url) if change.url else row.url,
        enabled=row.enabled if change.enabled is None else change.enabled,
        allowed=None
        if change.all_allowed
        else row.allowed
        if change.allowed is None
        else list(change.allowed),
        updated_at=now(),
    )
    if change.secrets is not None:
        names = check_secrets(change.secrets, headers=over_http)
        moved = replace(moved, sealed=sealed, secret_names=names)
    elif row.sealed and place_of(moved) != place_of(row):
        # Or else whoever may change the address could have the secrets sent to themselves.
        raise ServerInvalid("Enter the secrets again when the server becomes another.")
    return (
        moved if place_of(moved) == place_of(row) else replace(moved, tools=list[Offered](), listed_at=None)
    )


def place_of(row: ServerRow) -> tuple[object, ...]:
    """Return what decides who is given the secrets, and whose word was taken."""
    parts = urlsplit(row.url)
    return row.command, tuple(row.arguments), parts.scheme, parts.netloc.lower()


def found(tx: Tx, server_id: str) -> ServerRow:
    """Return a server of the workspace, or raise."""
    row = store.get(tx, ServerRow, server_id)
    if row is None:
        raise NotFound("tool server")
    return row


def check_command(command: str) -> str:
    """Return a command that can be started, or raise."""
    if not command.strip() or len(command) > LONGEST_COMMAND or not command.isprintable():
        raise ServerInvalid(f"A command is the name of one program, of at most {LONGEST_COMMAND} characters.")
    return command.strip()


def check_arguments(arguments: tuple[str, ...]) -> list[str]:
    """Return the arguments of a command, or raise."""
    if len(arguments) > MOST_ARGUMENTS or any(len(one) > 4 * LONGEST_COMMAND for one in arguments):
        raise ServerInvalid(f"A command takes at most {MOST_ARGUMENTS} arguments of a sensible length.")
    return list(arguments)
