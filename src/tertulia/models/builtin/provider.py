"""The built-in model as a provider like any other."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2

from tertulia.infra.http.outbound import ConnectionPool
from tertulia.models.builtin import weights
from tertulia.models.builtin.child import BuiltinProcess
from tertulia.models.calls import Call, OfferedModel, StreamEvent
from tertulia.models.errors import ProviderDown
from tertulia.models.providers import provider_for
from tertulia.settings import Settings

SMOLLM2_NAME = "smollm2"
#: Several questions at once are answered one after the other: each may wait for the others.
BUILTIN_SILENCE_SECONDS = 600


class BuiltinProvider:
    """A provider that starts its own server when it is first asked."""

    def __init__(self, settings: Settings) -> None:
        self._process = BuiltinProcess(lambda: weights.get(settings))
        self._client: httpx2.AsyncClient | None = None

    async def stream(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        """Ask, and yield what is heard; the first question also waits for the model to load."""
        heard = False
        try:
            async with aclosing(self._stream_once(call)) as first:
                async for event in first:
                    heard = True
                    yield event
                return
        except ProviderDown:
            if heard or not await self._process.has_died():
                raise
        async with aclosing(self._stream_once(call)) as second:
            async for stream_event in second:
                yield stream_event

    async def offered(self) -> list[OfferedModel]:
        """Return the model itself."""
        return [OfferedModel(SMOLLM2_NAME)]

    async def close(self) -> None:
        """Stop the model's server."""
        await self._process.close()
        if self._client is not None:
            await self._client.aclose()

    async def _stream_once(self, call: Call) -> AsyncGenerator[StreamEvent, None]:
        async with self._process.running() as endpoint:
            client = self._client = self._client or new_client()
            provider = provider_for(endpoint, client=client, silence_seconds=BUILTIN_SILENCE_SECONDS)
            async with aclosing(provider.stream(call)) as heard:
                async for stream_event in heard:
                    yield stream_event


def new_client() -> httpx2.AsyncClient:
    """Return a client for our own server: no proxy, and a new connection for each question."""
    # That server closes a connection after a few questions, and sometimes just as the next one is sent.
    return httpx2.AsyncClient(transport=ConnectionPool(idle_per_server=0), trust_env=False)
