"""Which embedder the settings ask for."""

from collections.abc import Awaitable, Callable

import httpx2

from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.embedding.local import LocalEmbedder
from tertulia.embedding.remote import RemoteEmbedder
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.service import Models
from tertulia.settings import Settings


def embedder_for(
    settings: Settings, models: Models, *, client: httpx2.AsyncClient
) -> LocalEmbedder | RemoteEmbedder | None:
    """Return the embedder that `TERTULIA_EMBEDDER` names, or None where search goes by words alone."""
    if settings.embedder == "off":
        return None
    if settings.embedder == "builtin":
        return LocalEmbedder(settings)
    slug, _, model = settings.embedder.partition("/")
    return RemoteEmbedder(
        settings.embedder,
        model=model,
        endpoint=endpoint_lookup(slug, models),
        client=client,
        silence_seconds=settings.silence_seconds,
    )


def endpoint_lookup(slug: str, models: Models) -> Callable[[], Awaitable[Endpoint]]:
    """Return what looks up the server's own connection: those of people are not for everyone's texts."""

    async def look_up() -> Endpoint:
        connection = await models.server_connection(slug)
        if connection is None:
            message = f"TERTULIA_EMBEDDER names {slug}, which the server has no connection to: set its key."
            raise EmbedderUnavailable(message)
        if connection.unusable_reason:
            raise EmbedderUnavailable(connection.unusable_reason)
        return connection.endpoint

    return look_up
