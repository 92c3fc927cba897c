"""How long a start takes, and what the server needs while nobody asks."""

from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import sleep

from bench.figures import Measure, Point, single
from bench.processes import ServerUnderTest

START_AIM = 2.0
IDLE_AIM = 150.0
REST_SECONDS = 1.0


def measure(place: Path, provider_url: str, *, times: int, say: Callable[[str], None]) -> list[Measure]:
    """Start several times, on new data and again on the same."""
    first: list[float] = []
    second: list[float] = []
    idle: list[float] = []
    for number in range(times):
        say(f"start {number + 1} of {times}")
        data_dir = place / f"start{number}"
        data_dir.mkdir()
        for seconds in (first, second):
            server = ServerUnderTest(data_dir, provider_url)
            try:
                seconds.append(server.start())
                if seconds is first:
                    sleep(REST_SECONDS)
                    idle.append(server.memory_mb())
            finally:
                server.stop()
    return [
        Measure("Starting", "until it answers, on new data", "s", points(first), digits=2),
        Measure("Starting", "until it answers, on its own data", "s", points(second), digits=2),
        single("Starting", "memory after a second of rest", "MB", median(idle), aim=IDLE_AIM, digits=0),
    ]


def points(seconds: list[float]) -> list[Point]:
    """Return the best and the median."""
    return [Point("best", min(seconds)), Point("median", median(seconds), START_AIM)]
