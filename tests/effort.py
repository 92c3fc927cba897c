"""How much a test tries: enough to notice in `make test`, far more in `make soak`."""

import os

from hypothesis import HealthCheck, settings

#: How many times as much as usual is tried.
SOAK_FACTOR = int(os.environ.get("SOAK_FACTOR", "1"))


def effort(count: int) -> int:
    """Return how often to try something that is usually tried `count` times."""
    return count * SOAK_FACTOR


def load_hypothesis_profile() -> None:
    """Set what holds for every property: how long an example takes says more of the machine than of us."""
    settings.register_profile(
        "tertulia", deadline=None, max_examples=effort(100), suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("tertulia")
