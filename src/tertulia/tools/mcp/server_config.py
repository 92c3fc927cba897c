"""What admins say about servers that offer tools, checked: new ones, and ones that change."""

from dataclasses import dataclass, field, fields, replace

from tertulia.core.clock import now
from tertulia.core.errors import Invalid
from tertulia.tools.external_tools import OfferedTool, check_slug
from tertulia.tools.http.client import check_url, origin_of
from tertulia.tools.mcp.server_secrets import check_secrets
from tertulia.tools.store import ServerRow, Transport

SERVER_COMMAND_MAX_CHARS = 500
SERVER_ARGUMENTS_MAX = 50


class ToolServerInvalid(Invalid):
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
    """What an admin changes; None keeps what is there. `all_allowed` lifts the choice of tools.

    The short name stays: conversations, switches and what people have allowed know the tools by it.
    Secrets are kept or replaced all at once, as one of them may say where the others are sent.
    """

    command: str | None = None
    arguments: tuple[str, ...] | None = field(default=None, repr=False)
    url: str | None = None
    secrets: dict[str, str] | None = field(default=None, repr=False)
    enabled: bool | None = None
    allowed: tuple[str, ...] | None = None
    all_allowed: bool = False

    @property
    def changed_names(self) -> list[str]:
        """The names of what is changed, for the audit log."""
        return [field_.name for field_ in fields(self) if getattr(self, field_.name) != field_.default]


@dataclass(frozen=True, slots=True)
class ServerEndpoint:
    """How a server is reached: by a command with its arguments, or at an address."""

    transport: Transport
    command: str
    arguments: list[str]
    url: str

    @classmethod
    def of(cls, command: str, arguments: tuple[str, ...], url: str) -> "ServerEndpoint":
        """Return a way that can be gone, or raise."""
        if bool(command) == bool(url):
            raise ToolServerInvalid("A tool server has either a command or an address.")
        if url and arguments:
            raise ToolServerInvalid("An address takes no arguments: only a command does.")
        if url:
            return cls(Transport.HTTP, "", [], check_url(url))
        return cls(Transport.STDIO, check_command(command), check_arguments(arguments), "")


def to_row(new: NewServer, server_id: str, sealed: str | None) -> ServerRow:
    """Return the row of a new server, checked."""
    way = ServerEndpoint.of(new.command, new.arguments, new.url)
    made = now()
    return ServerRow(
        id=server_id,
        slug=check_slug(new.slug),
        transport=way.transport,
        command=way.command,
        arguments=way.arguments,
        url=way.url,
        sealed=sealed,
        secret_names=check_secrets(new.secrets, headers=way.transport is Transport.HTTP),
        enabled=new.enabled,
        allowed=None if new.allowed is None else list(new.allowed),
        tools=list[OfferedTool](),
        listed_at=None,
        created_at=made,
        updated_at=made,
    )


def apply_change(row: ServerRow, change: ServerChange, sealed: str | None) -> ServerRow:
    """Return a row with what the admin changed, checked; one that is reached otherwise is not known yet."""
    changed = with_secrets(row, with_new_endpoint(row, change), change, sealed)
    changed = replace(
        changed,
        enabled=row.enabled if change.enabled is None else change.enabled,
        allowed=allowed_after(row, change),
        updated_at=now(),
    )
    return (
        replace(changed, tools=list[OfferedTool](), listed_at=None)
        if is_other_server(row, changed)
        else changed
    )


def with_new_endpoint(row: ServerRow, change: ServerChange) -> ServerRow:
    """Return a row that is reached as the admin says."""
    command = row.command if change.command is None else change.command
    kept = tuple(row.arguments) if command else ()
    arguments = kept if change.arguments is None else change.arguments
    way = ServerEndpoint.of(command, arguments, row.url if change.url is None else change.url)
    return replace(row, transport=way.transport, command=way.command, arguments=way.arguments, url=way.url)


def with_secrets(row: ServerRow, there: ServerRow, change: ServerChange, sealed: str | None) -> ServerRow:
    """Return a row with its secrets, or raise where they would reach somebody they were not entered for."""
    if change.secrets is not None:
        names = check_secrets(change.secrets, headers=there.transport is Transport.HTTP)
        return replace(there, sealed=sealed, secret_names=names)
    if row.sealed and secret_receiver(there) != secret_receiver(row):
        # Or else whoever may change the address could have the secrets sent to themselves.
        raise ToolServerInvalid("Enter the secrets again, or remove them, when the server becomes another.")
    return there


def allowed_after(row: ServerRow, change: ServerChange) -> list[str] | None:
    """Return the tools that may be used after a change; None for all."""
    if change.all_allowed:
        return None
    return row.allowed if change.allowed is None else list(change.allowed)


def is_other_server(row: ServerRow, changed: ServerRow) -> bool:
    """Tell whether what was heard from a server, and allowed to it, holds no longer."""
    return (row.command, row.arguments, row.url) != (changed.command, changed.arguments, changed.url)


def secret_receiver(row: ServerRow) -> tuple[object, ...]:
    """Return what decides who is given the secrets."""
    return row.command, tuple(row.arguments), origin_of(row.url)


def check_command(command: str) -> str:
    """Return a command that can be started, or raise."""
    if not command.strip() or len(command) > SERVER_COMMAND_MAX_CHARS or not command.isprintable():
        raise ToolServerInvalid(
            f"A command is the name of one program, of at most {SERVER_COMMAND_MAX_CHARS} characters."
        )
    return command.strip()


def check_arguments(arguments: tuple[str, ...]) -> list[str]:
    """Return the arguments of a command, or raise."""
    if len(arguments) > SERVER_ARGUMENTS_MAX or any(
        len(argument) > 4 * SERVER_COMMAND_MAX_CHARS for argument in arguments
    ):
        raise ToolServerInvalid(
            f"A command takes at most {SERVER_ARGUMENTS_MAX} arguments of a sensible length."
        )
    return list(arguments)
