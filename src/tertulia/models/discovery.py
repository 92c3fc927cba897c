"""Finding model servers that already run on this machine."""

import asyncio
from dataclasses import dataclass

import httpx2
import msgspec

from tertulia.core.untrusted_json import JsonReader, JsonUnreadable
from tertulia.infra.http.destinations import NetworkReach
from tertulia.infra.http.outbound import REACH
from tertulia.models.connections import Connection, ConnectionKind, Source

PROBE_SECONDS = 0.3
LARGEST_ANSWER = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Place:
    """A port where people usually run a server of models."""

    slug: str
    kind: ConnectionKind
    port: int


PLACES = (
    Place("ollama", ConnectionKind.OLLAMA, 11434),
    Place("lmstudio", ConnectionKind.COMPATIBLE, 1234),
    Place("llamacpp", ConnectionKind.COMPATIBLE, 8080),
)


class Named(msgspec.Struct):
    """One model in a list; only that it has a name matters here."""

    id: str


class ModelList(msgspec.Struct):
    """What every one of these servers answers: an empty Ollama says null."""

    object: str
    data: list[Named] | None


async def find_local(client: httpx2.AsyncClient, places: tuple[Place, ...] = PLACES) -> list[Connection]:
    """Return the model servers that answer on loopback, asked all at once."""
    found = await asyncio.gather(*(probe(place, client) for place in places))
    return [connection for connection in found if connection is not None]


async def probe(place: Place, client: httpx2.AsyncClient) -> Connection | None:
    """Return the server at a place if it lists models; anything else on that port is not one."""
    base_url = f"http://127.0.0.1:{place.port}/v1"
    try:
        async with asyncio.timeout(PROBE_SECONDS):
            answer = await client.get(
                f"{base_url}/models", follow_redirects=False, extensions={REACH: NetworkReach.NETWORK}
            )
        if answer.status_code != 200 or len(answer.content) > LARGEST_ANSWER:
            return None
        JsonReader(ModelList).read(answer.content)
    except (TimeoutError, httpx2.HTTPError, JsonUnreadable):
        return None
    found = (f"found:{place.slug}", Source.FOUND, place.kind, place.slug, base_url)
    return Connection(*found, reach=NetworkReach.NETWORK)
