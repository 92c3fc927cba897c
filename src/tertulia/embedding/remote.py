"""An embedder on another server: anything that speaks OpenAI's embeddings."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import httpx2
import msgspec

from tertulia.core.untrusted_json import JsonReader, JsonUnreadable
from tertulia.embedding.domain import EmbedderUnavailable
from tertulia.models.errors import ProviderError, ProviderGarbled
from tertulia.models.providers.endpoint import Endpoint
from tertulia.models.providers.error_mapping import provider_error
from tertulia.models.providers.http import (
    ERROR_BODY_MAX_BYTES,
    PROVIDER_TIMEOUT,
    read_capped,
    send_request,
    sendable_key,
)

if TYPE_CHECKING:
    from tertulia.embedding.domain import Vectors

REMOTE_BATCH_TEXTS = 32
#: How many groups that are not urgent may be under way.
REMOTE_CONCURRENT_BATCHES_MAX = 4
#: Somebody waits for an urgent answer: without it, search goes by words.
URGENT_EMBED_SECONDS = 10
REMOTE_TEXT_MAX_CHARS = 8_000
EMBEDDINGS_RESPONSE_MAX_BYTES = 64 * 1024 * 1024
#: Servers refuse a text without anything in it.
EMPTY_TEXT_PLACEHOLDER = "."


class EmbeddingRow(msgspec.Struct):
    """One text's vector."""

    embedding: list[float]
    index: int | None = None


class EmbeddingsResponse(msgspec.Struct):
    """A server's answer."""

    data: list[EmbeddingRow]


class RemoteEmbedder:
    """Asks a connection's embedding model."""

    is_local = False

    def __init__(
        self,
        name: str,
        *,
        model: str,
        endpoint: Callable[[], Awaitable[Endpoint]],
        client: httpx2.AsyncClient,
        silence_seconds: float,
    ) -> None:
        self.name = name
        self.dimensions = 0
        self._model = model
        self._endpoint = endpoint
        self._client = client
        self._silence = silence_seconds
        self._batch_slots = asyncio.Semaphore(REMOTE_CONCURRENT_BATCHES_MAX)

    async def start(self) -> None:
        """Raise `EmbedderUnavailable` where there is no usable connection to its server."""
        await self._endpoint()

    async def embed(self, texts: Sequence[str], *, urgent: bool = False) -> "Vectors":
        """Return one row of length one for each text; an urgent request does not wait for the others."""
        import numpy as np

        parts: list[Vectors] = []
        for first in range(0, len(texts), REMOTE_BATCH_TEXTS):
            group = [prepare_remote_text(text) for text in texts[first : first + REMOTE_BATCH_TEXTS]]
            parts.append(await self._embed_batch(group, urgent=urgent))
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), dtype=np.float32)

    async def close(self) -> None:
        """Do nothing: the client belongs to others."""

    async def _embed_batch(self, texts: list[str], *, urgent: bool) -> "Vectors":
        if urgent:
            return await self._embed_once(texts, seconds=min(URGENT_EMBED_SECONDS, self._silence))
        async with self._batch_slots:
            return await self._embed_once(texts, seconds=self._silence)

    async def _embed_once(self, texts: list[str], *, seconds: float) -> "Vectors":
        try:
            endpoint = await self._endpoint()
            body = await self._post(texts, endpoint, seconds=seconds)
            return self._parse_vectors(body, len(texts), endpoint)
        except ProviderError as error:
            raise as_embedder_unavailable(error) from error

    async def _post(self, texts: list[str], endpoint: Endpoint, *, seconds: float) -> bytes:
        key = sendable_key(endpoint)
        asked = {"model": self._model, "input": texts, "encoding_format": "float"}
        prepared = self._client.build_request(
            "POST",
            embeddings_url(endpoint),
            content=msgspec.json.encode(asked),
            headers={"Content-Type": "application/json"}
            | ({"Authorization": f"Bearer {key}"} if key else {}),
            timeout=PROVIDER_TIMEOUT,
        )
        response = await send_request(prepared, endpoint=endpoint, client=self._client, seconds=seconds)
        try:
            ok = response.status_code == 200
            body = await read_capped(
                response, EMBEDDINGS_RESPONSE_MAX_BYTES if ok else ERROR_BODY_MAX_BYTES, seconds=seconds
            )
        finally:
            await response.aclose()
        if not ok:
            raise provider_error(
                endpoint, response.status_code, body.decode(errors="replace"), response.headers
            )
        return body

    def _parse_vectors(self, body: bytes, count: int, endpoint: Endpoint) -> "Vectors":
        import numpy as np

        rows = parse_rows(body, endpoint)
        width = self.dimensions or len(rows[0].embedding if rows else ())
        if len(rows) != count or width == 0 or any(len(row.embedding) != width for row in rows):
            raise garbled_vectors_error(endpoint)
        vectors = np.array([row.embedding for row in rows], dtype=np.float64)
        with np.errstate(over="ignore"):
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise garbled_vectors_error(endpoint)
        self.dimensions = width
        return (vectors / lengths).astype(np.float32)


def parse_rows(body: bytes, endpoint: Endpoint) -> list[EmbeddingRow]:
    """Return the vectors of an answer in the order of the texts."""
    try:
        rows = JsonReader(EmbeddingsResponse).read(body).data
    except JsonUnreadable:
        raise garbled_vectors_error(endpoint) from None
    if all(row.index is None for row in rows):
        return rows
    by_index = {row.index: row for row in rows}
    if set(by_index) != set(range(len(rows))):
        raise garbled_vectors_error(endpoint)
    return [by_index[index] for index in range(len(rows))]


def embeddings_url(endpoint: Endpoint) -> str:
    """Return where a server takes texts; Google's has a door for those who speak OpenAI's format."""
    if endpoint.kind == "google":
        return endpoint.url("openai/embeddings", version="v1beta")
    return endpoint.url("embeddings")


def prepare_remote_text(text: str) -> str:
    """Return the part of a text that is sent, without what servers stumble over."""
    text = text.replace("\0", " ").strip()[:REMOTE_TEXT_MAX_CHARS]
    return text.encode("utf-8", "replace").decode("utf-8") or EMPTY_TEXT_PLACEHOLDER


def garbled_vectors_error(endpoint: Endpoint) -> ProviderGarbled:
    """Return the error for vectors that cannot be used."""
    who = endpoint.slug
    return ProviderGarbled(who, f"{who} answers with vectors that cannot be used: check TERTULIA_EMBEDDER.")


def as_embedder_unavailable(error: ProviderError) -> EmbedderUnavailable:
    """Return a provider's failure as the embedder's."""
    ours = EmbedderUnavailable(error.message, provider=error.provider, cause=error.code)
    ours.retry_after = error.retry_after
    return ours
