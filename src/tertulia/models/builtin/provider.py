"""The built-in model as a provider like any other."""

from collections.abc import AsyncGenerator

import httpx2

from tertulia.models.builtin import weights
from tertulia.models.builtin.runner import Runner
from tertulia.models.calls import Call, Heard, Offered
from tertulia.models.providers import provider_for
from tertulia.settings import Settings

NAME = "smollm2"
#: Several questions at once are answered one after the other: each may wait for the others.
SILENCE_SECONDS = 600


class BuiltinModel:
    """A provider that starts its own server when it is first asked."""

    def __init__(self, settings: Settings, *, client: httpx2.AsyncClient) -> None:
        self._client = client
        self._runner = Runner(lambda: weights.get(settings))

    async def stream(self, call: Call) -> AsyncGenerator[Heard, None]:
        """Ask, and yield what is heard; the first question also waits for the model to load."""
        async with self._runner.running() as endpoint:
            provider = provider_for(endpoint, client=self._client, silence_seconds=SILENCE_SECONDS)
            heard = provider.stream(call)
            try:
                async for one in heard:
                    yield one
            finally:
                await heard.aclose()

    async def offered(self) -> list[Offered]:
        """Return the model itself."""
        return [Offered(NAME)]

    async def close(self) -> None:
        """Stop the model's server."""
        await self._runner.close()
