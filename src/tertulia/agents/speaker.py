"""One model speaking: asked again while its provider is busy, never after its first word."""

import random
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import anyio

from tertulia.models.calls import Call, Heard, Provider, Usage
from tertulia.models.errors import ProviderError

LONGEST_WAIT = 30.0


@dataclass(frozen=True, slots=True)
class AskingAgain:
    """The provider failed in a way that may pass; it is asked again after a while."""

    error: ProviderError
    wait: float


async def speak(provider: Provider, call: Call, *, retries: int) -> AsyncGenerator[Heard | AskingAgain, None]:
    """Yield what a model says. Closing this closes the connection to its provider at once."""
    for attempt in range(retries + 1):
        heard_any = False
        try:
            async with aclosing(provider.stream(call)) as stream:
                async for heard in stream:
                    heard_any = heard_any or not isinstance(heard, Usage)
                    yield heard
        except ProviderError as error:
            wait = wait_before(attempt, error)
            if heard_any or not error.retryable or attempt == retries or wait > LONGEST_WAIT:
                raise
            yield AskingAgain(error, wait)
            await anyio.sleep(wait)
        else:
            return


def wait_before(attempt: int, error: ProviderError) -> float:
    """Return how long to wait: what the provider asks for, else twice as long each time, spread at random."""
    if error.retry_after is not None:
        return error.retry_after
    return min(LONGEST_WAIT, 0.5 * 2**attempt) * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
