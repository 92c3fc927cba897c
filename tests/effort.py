"""How much a test tries: enough to notice in `make test`, far more in `make soak`."""

import os

from hypothesis import HealthCheck, settings

#: How many times as much as usual is tried.
SOAK_FACTOR = int(os.environ.get("SOAK_FACTOR", "1"))
#: What Hypothesis objects to in examples that are large, slow, or share a server.
HEALTH_CHECKS = (
    HealthCheck.data_too_large,
    HealthCheck.differing_executors,
    HealthCheck.filter_too_much,
    HealthCheck.function_scoped_fixture,
    HealthCheck.large_base_example,
    HealthCheck.nested_given,
    HealthCheck.too_slow,
)


def effort(count: int) -> int:
    """Return how often to try something that is usually tried `count` times."""
    return count * SOAK_FACTOR


def load_hypothesis_profile() -> None:
    """Set what holds for every property: how long an example takes says more of the machine than of us.

    What `make test` tries is the same each time, so that the same code passes or fails everywhere;
    `make soak` looks for what nobody thought of.
    """
    settings.register_profile(
        "tertulia",
        deadline=None,
        derandomize=SOAK_FACTOR == 1,
        max_examples=effort(100),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("tertulia")
