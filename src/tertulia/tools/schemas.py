"""Tools on the wire. Secrets are accepted and never sent."""

from typing import Annotated

from pydantic import Field, SecretStr

from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal, Role
from tertulia.infra.http.schema import Schema, Timestamp, ValidUnicode
from tertulia.tools.domain import Effect
from tertulia.tools.external_tools import EXTERNAL_NAME_MAX_CHARS, OfferedTool, external_tool_name
from tertulia.tools.http.openapi import OPENAPI_DOCUMENT_MAX_BYTES
from tertulia.tools.http.operations import Auth, Operation
from tertulia.tools.http.service_config import NewService, ServiceChange
from tertulia.tools.mcp.server_config import NewServer, ServerChange
from tertulia.tools.mcp.server_status import ToolServerState, ToolServerStatus
from tertulia.tools.store import ServerRow, ServiceRow, Transport

Slug = Annotated[str, Field(max_length=24), ValidUnicode]
Url = Annotated[str, Field(max_length=500), ValidUnicode]
CommandText = Annotated[str, Field(max_length=2_000), ValidUnicode]
ToolName = Annotated[str, Field(min_length=1, max_length=EXTERNAL_NAME_MAX_CHARS), ValidUnicode]
Allowed = Annotated[list[ToolName], Field(max_length=300)]
Arguments = Annotated[list[CommandText], Field(max_length=50)]
Secrets = Annotated[dict[Annotated[str, Field(max_length=100)], SecretStr], Field(max_length=30)]
Document = Annotated[str, Field(max_length=OPENAPI_DOCUMENT_MAX_BYTES), ValidUnicode]


class ToolView(Schema):
    """A tool of the workspace; `source` is `project` or the short name of a server or service."""

    name: str
    source: str
    description: str
    effect: Effect
    enabled: bool
    problem: str


class ToolsView(Schema):
    """Every tool of the workspace."""

    tools: list[ToolView]


class SwitchTool(Schema):
    """Whether a tool is on, and what it counts as; what is left out stays, null is what it says itself."""

    enabled: bool = True
    effect: Effect | None = None


class OfferedView(Schema):
    """A tool that a server or service has; `called` is its name for models."""

    name: str
    called: str
    description: str
    effect: Effect
    allowed: bool

    @classmethod
    def of(cls, slug: str, offered: OfferedTool | Operation, *, allowed: bool) -> "OfferedView":
        """Return a tool as it is shown."""
        called = external_tool_name(slug, offered.name)
        return cls(
            name=offered.name,
            called=called,
            description=offered.description,
            effect=offered.effect,
            allowed=allowed,
        )


class ToolServerView(Schema):
    """An MCP server. How it is reached is shown to admins only, and its secrets to nobody."""

    id: str
    slug: str
    transport: Transport
    command: str
    arguments: list[str]
    url: str
    secret_names: list[str]
    enabled: bool
    all_allowed: bool
    status: ToolServerStatus
    problem: str
    tools: list[OfferedView]
    listed_at: Timestamp | None
    created_at: Timestamp

    @classmethod
    def of(cls, row: ServerRow, state: ToolServerState | None, by: Principal) -> "ToolServerView":
        """Return a server as a member sees it."""
        shown = by.role.covers(Role.ADMIN)
        names = {tool.name for tool in row.tools} if row.allowed is None else set(row.allowed)
        return cls(
            id=row.id,
            slug=row.slug,
            transport=row.transport,
            command=row.command if shown else "",
            arguments=row.arguments if shown else [],
            url=row.url if shown else "",
            secret_names=row.secret_names if shown else [],
            enabled=row.enabled,
            all_allowed=row.allowed is None,
            status=state.status if state else ToolServerStatus.UNKNOWN,
            problem=state.problem if state and shown else "",
            tools=[
                OfferedView.of(row.slug, offered_tool, allowed=offered_tool.name in names)
                for offered_tool in row.tools
            ],
            listed_at=row.listed_at,
            created_at=row.created_at,
        )


class ToolServersView(Schema):
    """The workspace's MCP servers."""

    servers: list[ToolServerView]


class AddToolServer(Schema):
    """A new MCP server: a command that is run here, or an address.

    `secrets` are environment variables of the command or headers for the address.
    Without `allowed` all its tools may be used.
    """

    slug: Slug
    command: CommandText = ""
    arguments: Arguments = Field(default_factory=list)
    url: Url = ""
    secrets: Secrets = Field(default_factory=dict)
    enabled: bool = True
    allowed: Allowed | None = None

    def to_new(self) -> NewServer:
        """Return what the admin says."""
        allowed = None if self.allowed is None else tuple(self.allowed)
        secrets = reveal_secrets(self.secrets)
        named = (self.slug, self.command, tuple(self.arguments), self.url)
        return NewServer(*named, secrets=secrets, enabled=self.enabled, allowed=allowed)


class ChangeToolServer(Schema):
    """What to change of an MCP server; what is left out stays, as does the short name.

    An empty `command` with a `url`, or the other way round, changes how it is reached. `secrets` replace
    all that were there, and must be given anew when another server or command would get them.
    `all_allowed` lifts the choice of tools.
    """

    command: CommandText | None = None
    arguments: Arguments | None = None
    url: Url | None = None
    secrets: Secrets | None = None
    enabled: bool | None = None
    allowed: Allowed | None = None
    all_allowed: bool = False

    def to_change(self) -> ServerChange:
        """Return what the admin changes."""
        return ServerChange(
            command=self.command,
            arguments=None if self.arguments is None else tuple(self.arguments),
            url=self.url,
            secrets=None if self.secrets is None else reveal_secrets(self.secrets),
            enabled=self.enabled,
            allowed=None if self.allowed is None else tuple(self.allowed),
            all_allowed=self.all_allowed,
        )


class HttpToolView(Schema):
    """A web service that an OpenAPI document describes, with the operations that may be used."""

    id: str
    slug: str
    title: str
    base_url: str
    auth: Auth
    auth_name: str
    has_secret: bool
    secret_tail: str
    enabled: bool
    operations: list[OfferedView]
    created_at: Timestamp

    @classmethod
    def of(cls, row: ServiceRow, by: Principal) -> "HttpToolView":
        """Return a service as a member sees it."""
        shown = by.role.covers(Role.ADMIN)
        chosen = set(row.allowed)
        return cls(
            id=row.id,
            slug=row.slug,
            title=row.title,
            base_url=row.base_url if shown else "",
            auth=row.auth,
            auth_name=row.auth_name if shown else "",
            has_secret=row.sealed is not None,
            secret_tail=row.secret_tail if shown else "",
            enabled=row.enabled,
            operations=[
                OfferedView.of(row.slug, operation, allowed=operation.name in chosen)
                for operation in row.operations
            ],
            created_at=row.created_at,
        )


class HttpToolsView(Schema):
    """The workspace's web services."""

    services: list[HttpToolView]


class AddHttpTool(Schema):
    """A new web service. Without `base_url` it is where its document says."""

    slug: Slug
    document: Document
    base_url: Url = ""
    auth: Auth = Auth.NONE
    auth_name: Annotated[str, Field(max_length=100), ValidUnicode] = ""
    secret: SecretStr = SecretStr("")
    enabled: bool = True
    allowed: Allowed = Field(default_factory=list)

    def to_new(self) -> NewService:
        """Return what the admin says."""
        values = self.model_dump(exclude={"secret", "allowed"})
        return NewService(**values, secret=self.secret.get_secret_value(), allowed=tuple(self.allowed))


class ChangeHttpTool(Schema):
    """What to change of a web service; what is left out stays, as does the short name.

    Operations that a new `document` still has stay allowed. An empty `base_url` is where that document says.
    The `secret` must be given anew when another server, or another header or parameter, would get it.
    """

    document: Document | None = None
    base_url: Url | None = None
    auth: Auth | None = None
    auth_name: Annotated[str, Field(max_length=100), ValidUnicode] | None = None
    secret: SecretStr | None = None
    enabled: bool | None = None
    allowed: Allowed | None = None

    def to_change(self) -> ServiceChange:
        """Return what the admin changes."""
        values: JsonObject = self.model_dump(exclude={"secret", "allowed"})
        secret = None if self.secret is None else self.secret.get_secret_value()
        allowed = None if self.allowed is None else tuple(self.allowed)
        return ServiceChange(**values, secret=secret, allowed=allowed)


def reveal_secrets(secrets: dict[str, SecretStr]) -> dict[str, str]:
    """Return secrets to be sealed."""
    return {name: secret.get_secret_value() for name, secret in secrets.items()}
