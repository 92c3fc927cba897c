"""The built-in model as a provider like any other."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import httpx2

from tertulia.infra.http.outbound import Lines
from tertulia.models.builtin import weights
from tertulia.models.builtin.runner import Runner
from tertulia.models.calls import Call, Heard, Offered
from tertulia.models.errors import ProviderDown
from tertulia.models.providers import provider_for
from tertulia.settings import Settings

NAME = "smollm2"
#: Several questions at once are answered one after the other: each may wait for the others.
SILENCE_SECONDS = 600


class BuiltinModel:
    """A provider that starts its own server when it is first asked."""

    def __init__(self, settings: Settings) -> None:
        self._runner = Runner(lambda: weights.get(settings))
        self._client: httpx2.AsyncClient | None = None

    async def stream(self, call: Call) -> AsyncGenerator[Heard, None]:
        """Ask, and yield what is heard; the first question also waits for the model to load."""
        heard = False
        try:
            async with aclosing(self._stream_once(call)) as first:
                async for one in first:
                    heard = True
                    yield one
                return
        except ProviderDown:
            if heard or not await self._runner.has_died():
                raise
        async with aclosing(self._stream_once(call)) as second:
            async for one in second:
                yield one

    async def offered(self) -> list[Offered]:
        """Return the model itself."""
        return [Offered(NAME)]

    async def close(self) -> None:
        """Stop the model's server."""
        await self._runner.close()
        if self._client is not None:
            await self._client.aclose()

    async def _stream_once(self, call: Call) -> AsyncGenerator[Heard, None]:
        async with self._runner.running() as endpoint:
            client = self._client = self._client or new_client()
            provider = provider_for(endpoint, client=client, silence_seconds=SILENCE_SECONDS)
            async with aclosing(provider.stream(call)) as heard:
                async for one in heard:
                    yield one


def new_client() -> httpx2.AsyncClient:
    """Return a client for our own server: no proxy, and a new connection for each question."""
    # That server closes a connection after a few questions, and sometimes just as the next one is sent.
    return httpx2.AsyncClient(transport=Lines(kept_connections=0), trust_env=False)
