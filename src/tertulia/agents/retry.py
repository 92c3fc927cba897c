"""When a provider that failed is asked again, and after how long."""

import random
from dataclasses import dataclass

from tertulia.models.calls import Usage
from tertulia.models.errors import ProviderError

RETRY_MAX_WAIT_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class RetryScheduled:
    """The provider failed in a way that may pass; it is asked again after a while."""

    error: ProviderError
    wait: float
    #: What it said that the failed attempt used, if it did.
    reported: Usage | None = None


def plan_retry(
    error: ProviderError, *, attempt: int, retries: int, reported: Usage | None = None
) -> RetryScheduled | None:
    """Return when to ask again after so many attempts that failed before this one; None for never."""
    wait = backoff_seconds(attempt, error)
    if not error.retryable or attempt >= retries or wait > RETRY_MAX_WAIT_SECONDS:
        return None
    return RetryScheduled(error, wait, reported)


def backoff_seconds(attempt: int, error: ProviderError) -> float:
    """Return how long to wait: what the provider asks for, else twice as long each time, spread at random."""
    if error.retry_after is not None:
        return error.retry_after
    return min(RETRY_MAX_WAIT_SECONDS, 0.5 * 2**attempt) * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
