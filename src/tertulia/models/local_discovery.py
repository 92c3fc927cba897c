"""Finding model servers that already run on this machine."""

import asyncio
from dataclasses import dataclass

import httpx2
import msgspec

from tertulia.core.untrusted_json import JsonReader, JsonUnreadable
from tertulia.infra.http.outbound import REACH_EXTENSION
from tertulia.infra.http.ssrf import NetworkReach
from tertulia.models.connections import Connection, ConnectionKind, Source

DISCOVERY_PROBE_SECONDS = 0.3
DISCOVERY_RESPONSE_MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LocalServerPort:
    """A port where people usually run a server of models."""

    slug: str
    kind: ConnectionKind
    port: int


LOCAL_SERVER_PORTS = (
    LocalServerPort("ollama", ConnectionKind.OLLAMA, 11434),
    LocalServerPort("lmstudio", ConnectionKind.COMPATIBLE, 1234),
    LocalServerPort("llamacpp", ConnectionKind.COMPATIBLE, 8080),
)


class DiscoveredModel(msgspec.Struct):
    """One model in a list; only that it has a name matters here."""

    id: str


class DiscoveredModelList(msgspec.Struct):
    """What every one of these servers answers: an empty Ollama says null."""

    object: str
    data: list[DiscoveredModel] | None


async def discover_local_servers(
    client: httpx2.AsyncClient, ports: tuple[LocalServerPort, ...] = LOCAL_SERVER_PORTS
) -> list[Connection]:
    """Return the model servers that answer on loopback, asked all at once."""
    found = await asyncio.gather(*(probe_port(place, client) for place in ports))
    return [connection for connection in found if connection is not None]


async def probe_port(target: LocalServerPort, client: httpx2.AsyncClient) -> Connection | None:
    """Return the server at a place if it lists models; anything else on that port is not one."""
    base_url = f"http://127.0.0.1:{target.port}/v1"
    try:
        async with asyncio.timeout(DISCOVERY_PROBE_SECONDS):
            answer = await client.get(
                f"{base_url}/models",
                follow_redirects=False,
                extensions={REACH_EXTENSION: NetworkReach.NETWORK},
            )
        if answer.status_code != 200 or len(answer.content) > DISCOVERY_RESPONSE_MAX_BYTES:
            return None
        JsonReader(DiscoveredModelList).read(answer.content)
    except (TimeoutError, httpx2.HTTPError, JsonUnreadable):
        return None
    found = (f"found:{target.slug}", Source.FOUND, target.kind, target.slug, base_url)
    return Connection(*found, reach=NetworkReach.NETWORK)
