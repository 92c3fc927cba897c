"""Connections: the servers where models are asked, and where each is known from.

For the same slug a person's own connection wins over the workspace's, which
wins over the environment's, which wins over one that was found running here.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tertulia.infra.http.ssrf import NetworkReach
from tertulia.models.connection_urls import check_base_url
from tertulia.models.errors import ConnectionInvalid
from tertulia.models.providers.endpoint import Endpoint


class ConnectionKind(StrEnum):
    """What a server is, and so which wire format it speaks."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"
    GOOGLE = "google"
    XAI = "xai"
    OPENROUTER = "openrouter"
    OLLAMA = "ollama"
    COMPATIBLE = "openai-compatible"


class Source(StrEnum):
    """Where a connection is known from; an earlier one wins over a later one."""

    PERSON = "person"
    WORKSPACE = "workspace"
    ENVIRONMENT = "environment"
    FOUND = "found"


DEFAULT_URLS = {
    ConnectionKind.OPENAI: "https://api.openai.com/v1",
    ConnectionKind.ANTHROPIC: "https://api.anthropic.com",
    ConnectionKind.GOOGLE: "https://generativelanguage.googleapis.com",
    ConnectionKind.XAI: "https://api.x.ai/v1",
    ConnectionKind.OPENROUTER: "https://openrouter.ai/api/v1",
    ConnectionKind.OLLAMA: "http://127.0.0.1:11434/v1",
}
#: Kinds whose servers keep the API under `/v1`, which people leave out.
KINDS_UNDER_V1 = frozenset({ConnectionKind.OPENAI, ConnectionKind.OLLAMA, ConnectionKind.COMPATIBLE})


@dataclass(frozen=True, slots=True)
class Connection:
    """One server, with all that is needed to ask it. The key never leaves this value but to the server."""

    id: str
    source: Source
    kind: ConnectionKind
    slug: str
    base_url: str
    key: str = field(default="", repr=False)
    #: The workspace whose data this is; empty for the server's own.
    workspace_id: str = ""
    #: Why the connection cannot be used at all, such as a key that does not open.
    unusable_reason: str = ""
    reach: NetworkReach = NetworkReach.INTERNET

    @property
    def endpoint(self) -> Endpoint:
        """Return the connection as providers want it."""
        return Endpoint(
            slug=self.slug, kind=self.kind, base_url=self.base_url, key=self.key, reach=self.reach
        )


@dataclass(frozen=True, slots=True)
class ConnectionVariables:
    """Which environment variables speak of one kind of connection."""

    kind: ConnectionKind
    keys: tuple[str, ...]
    base_url: str = ""


CONNECTION_VARIABLES = (
    ConnectionVariables(ConnectionKind.OPENAI, ("OPENAI_API_KEY",), "OPENAI_BASE_URL"),
    ConnectionVariables(ConnectionKind.ANTHROPIC, ("ANTHROPIC_API_KEY",), "ANTHROPIC_BASE_URL"),
    ConnectionVariables(
        ConnectionKind.GOOGLE, ("GEMINI_API_KEY", "GOOGLE_API_KEY"), "GOOGLE_GEMINI_BASE_URL"
    ),
    ConnectionVariables(ConnectionKind.XAI, ("XAI_API_KEY",), "XAI_BASE_URL"),
    ConnectionVariables(ConnectionKind.OPENROUTER, ("OPENROUTER_API_KEY",), "OPENROUTER_BASE_URL"),
    ConnectionVariables(ConnectionKind.OLLAMA, (), "OLLAMA_HOST"),
)


def connections_from_environment(env: Mapping[str, str]) -> list[Connection]:
    """Return the connections that the environment speaks of, in our fixed order."""
    found = (connection_from_variables(variables, env) for variables in CONNECTION_VARIABLES)
    return [connection for connection in found if connection is not None]


def connection_from_variables(variables: ConnectionVariables, env: Mapping[str, str]) -> Connection | None:
    """Return the connection of one kind, if its variables are set; a useless address breaks it alone."""
    key = next((env[name].strip() for name in variables.keys if env.get(name, "").strip()), "")
    given = env.get(variables.base_url, "").strip()
    if not key and not given:
        return None
    kind = variables.kind
    url, broken = given or DEFAULT_URLS[kind], ""
    try:
        url = normalise_base_url(
            kind, ollama_url(url) if kind is ConnectionKind.OLLAMA else url, trusted=True
        )
    except ConnectionInvalid as error:
        broken = f"{variables.base_url} cannot be used. {error.message}"
    return Connection(
        f"env:{kind}",
        Source.ENVIRONMENT,
        kind,
        str(kind),
        url,
        key,
        unusable_reason=broken,
        # Whoever sets the environment decides over this machine and its network.
        reach=NetworkReach.NETWORK,
    )


def ollama_url(host: str) -> str:
    """Return the address that `OLLAMA_HOST` means: Ollama itself accepts a bare host or port too."""
    if "://" not in host:
        host = f"http://{host}" if not host.startswith(":") else f"http://127.0.0.1{host}"
    scheme, _, rest = host.partition("://")
    place, slash, path = rest.partition("/")
    # What Ollama listens on everywhere is asked on this machine.
    place = place.replace("0.0.0.0", "127.0.0.1", 1)  # noqa: S104 - taken out, not bound to
    named_port = place.rpartition("]")[2].count(":") > 0
    port = "" if named_port or scheme == "https" else ":11434"
    return f"{scheme}://{place}{port}{slash}{path}"


def normalise_base_url(kind: ConnectionKind, url: str, *, trusted: bool = False) -> str:
    """Return a checked address, with the `/v1` that people leave out."""
    url = check_base_url(url or DEFAULT_URLS.get(kind, ""), trusted=trusted)
    bare = url.count("/") == 2
    return f"{url}/v1" if bare and kind in KINDS_UNDER_V1 else url


def effective_connections(connections: Iterable[Connection]) -> list[Connection]:
    """Return the connections that count, given in order of precedence: the first of each slug and server."""
    chosen: dict[str, Connection] = {}
    for connection in connections:
        same_server = connection.source is Source.FOUND and any(
            connection.base_url == other.base_url for other in chosen.values()
        )
        if not same_server:
            chosen.setdefault(connection.slug, connection)
    return list(chosen.values())
