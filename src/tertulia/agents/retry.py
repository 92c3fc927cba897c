"""One model speaking: asked again while its provider is busy, never after its first word."""

import random
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

import anyio

from tertulia.models.calls import Call, Provider, StreamEvent, Usage
from tertulia.models.errors import ProviderError

RETRY_MAX_WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """The provider failed in a way that may pass; it is asked again after a while."""

    error: ProviderError
    wait: float


async def stream_with_retry(
    provider: Provider, call: Call, *, retries: int
) -> AsyncGenerator[StreamEvent | RetryScheduled, None]:
    """Yield what a model says. Closing this closes the connection to its provider at once."""
    for attempt in range(retries + 1):
        heard_any = False
        try:
            async with aclosing(provider.stream(call)) as stream:
                async for heard in stream:
                    heard_any = heard_any or not isinstance(heard, Usage)
                    yield heard
        except ProviderError as error:
            wait = backoff_seconds(attempt, error)
            if heard_any or not error.retryable or attempt == retries or wait > RETRY_MAX_WAIT_SECONDS:
                raise
            yield RetryScheduled(error, wait)
            await anyio.sleep(wait)
        else:
            return


def backoff_seconds(attempt: int, error: ProviderError) -> float:
    """Return how long to wait: what the provider asks for, else twice as long each time, spread at random."""
    if error.retry_after is not None:
        return error.retry_after
    return min(RETRY_MAX_WAIT_SECONDS, 0.5 * 2**attempt) * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
