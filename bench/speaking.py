"""How fast words come through, against the same provider without us in between."""

import asyncio
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import sleep

from bench.doors import Door
from bench.driver import Streams, StreamsSeen
from bench.figures import Measure, Point, milliseconds, single
from bench.plan import RAMP_SECONDS, Plan
from bench.processes import ServerUnderTest, begin_driving, driven
from bench.wire import Asked, Connection, Refused

ADDED_AIMS = {(1, "median"): 10.0, (50, "p95"): 25.0, (200, "p95"): 150.0, (500, "p95"): 1000.0}
CPU_AIMS = {200: 0.08}
NAMES = {Door.TURN: "POST /api/turn and its events", Door.COMPATIBLE: "POST /v1/chat/completions"}

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Load:
    """What came of a number of streams, and what it cost the server."""

    clients: int
    seen: StreamsSeen
    cpu_seconds: float = 0.0
    memory_mb: float = 0.0

    @property
    def rate(self) -> float:
        """Tokens a second that arrived."""
        return self.seen.tokens / self.seen.seconds

    @property
    def cpu_per_thousand(self) -> float:
        """Processor seconds of the server for 1,000 tokens."""
        return self.cpu_seconds / max(1, self.seen.tokens) * 1000


@dataclass(frozen=True, slots=True)
class Speaking:
    """Measures streams, through any door."""

    plan: Plan
    server: ServerUnderTest
    provider_url: str
    #: Of all who ask, in turns.
    tokens: tuple[str, ...]
    say: Say

    def measure(self) -> list[Measure]:
        """Return how the streams went, door by door."""
        first = self.added_by_first()
        raw = [self.steady(Door.RAW, clients, each) for clients, each in self.plan.streams]
        measures = [first, *self.of_raw(raw)]
        for door in (Door.TURN, Door.COMPATIBLE):
            if door is Door.TURN or asyncio.run(has_completions(self.server.url, self.tokens[0])):
                measures += self.through(door, raw)
        if self.plan.bursts:
            measures += [self.bursts()]
        return measures

    def added_by_first(self) -> Measure:
        """Measure the first question after a start, which finds everything cold."""
        raw = self.play(Door.RAW, clients=1, each=1)
        ours = self.play(Door.TURN, clients=1, each=1)
        added = ours.seen.first_token[0] * 1000 - milliseconds(raw.seen.first_token)[0]
        return single("Speaking", "the first question after a start: added to its first token", "ms", added)

    def through(self, door: Door, raw: Sequence[Load]) -> list[Measure]:
        """Measure one door of ours at every number of streams."""
        loads = [self.steady(door, clients, each) for clients, each in self.plan.streams]
        about = f"Speaking, {NAMES[door]}"
        return [
            Measure(about, "added to the first token, median", "ms", added(loads, raw, "median")),
            Measure(about, "added to the first token, p95", "ms", added(loads, raw, "p95")),
            Measure(
                about, "first token, of what the provider alone takes", "times", slower(loads, raw), digits=2
            ),
            Measure(about, "tokens a second", "", [at(load, load.rate) for load in loads], digits=0),
            Measure(
                about,
                "tokens a second, of what the provider alone gives",
                "",
                [at(load, load.rate / alone.rate) for load, alone in zip(loads, raw, strict=True)],
                digits=2,
            ),
            Measure(
                about,
                "processor seconds for 1,000 tokens",
                "s",
                [
                    Point(str(load.clients), load.cpu_per_thousand, CPU_AIMS.get(load.clients))
                    for load in loads
                ],
                digits=3,
            ),
            Measure(about, "streams that failed", "%", [failures(load) for load in loads], why(loads)),
            Measure(about, "memory", "MB", [at(load, load.memory_mb) for load in loads], digits=0),
        ]

    def of_raw(self, loads: Sequence[Load]) -> list[Measure]:
        """Return the provider's own figures: what ours are compared with."""
        about = "Speaking, straight from the provider"
        medians = [at(load, milliseconds(load.seen.first_token)[0]) for load in loads]
        slow = [at(load, milliseconds(load.seen.first_token)[1]) for load in loads]
        return [
            Measure(about, "first token, median", "ms", medians),
            Measure(about, "first token, p95", "ms", slow),
            Measure(about, "tokens a second", "", [at(load, load.rate) for load in loads], digits=0),
        ]

    def bursts(self) -> Measure:
        """Measure questions that are all asked in the same instant."""
        points: list[Point] = []
        for clients in self.plan.bursts:
            self.say(f"{clients} questions in one instant")
            raw = self.play(Door.RAW, clients=clients, each=1)
            ours = self.play(Door.TURN, clients=clients, each=1)
            added_ms = milliseconds(ours.seen.first_token)[1] - milliseconds(raw.seen.first_token)[1]
            points.append(at(ours, added_ms))
        return Measure("Speaking, all asked in one instant", "added to the first token, p95", "ms", points)

    def steady(self, door: Door, clients: int, each: int) -> Load:
        """Open so many streams, started one after the other over four seconds."""
        self.say(f"{clients} streams, {door}")
        self.server.wait_until_idle()
        spread = RAMP_SECONDS if clients > 1 else 0.0
        return self.play(door, clients=clients, each=each, spread=spread)

    def play(self, door: Door, *, clients: int, each: int, spread: float = 0.0) -> Load:
        """Let the driver do it, and watch the server meanwhile."""
        url = self.provider_url if door is Door.RAW else self.server.url
        tokens = ["sk-bench"] if door is Door.RAW else list(self.tokens)
        order = Streams(url, tokens, door, clients, each, spread, self.plan.tokens)
        before = self.server.cpu_seconds()
        driver = begin_driving(order)
        memory = self.most_memory(driver)
        seen = driven(driver, StreamsSeen)
        if not seen.first_token:
            raise RuntimeError(f"no stream through {door} brought a word: {seen.failed[:1]}")
        return Load(clients, seen, self.server.cpu_seconds() - before, memory)

    def most_memory(self, driver: subprocess.Popen[bytes]) -> float:
        """Return the most memory the server had while the driver ran."""
        most = self.server.memory_mb()
        while driver.poll() is None:
            sleep(0.1)
            most = max(most, self.server.memory_mb())
        return most


def at(load: Load, value: float) -> Point:
    """Return a figure at a number of streams."""
    return Point(str(load.clients), value)


def added(loads: Sequence[Load], raw: Sequence[Load], which: str) -> list[Point]:
    """Return by how many milliseconds the first token comes later than straight from the provider."""
    place = ("median", "p95").index(which)
    return [
        Point(
            str(load.clients),
            milliseconds(load.seen.first_token)[place] - milliseconds(alone.seen.first_token)[place],
            ADDED_AIMS.get((load.clients, which)),
        )
        for load, alone in zip(loads, raw, strict=True)
    ]


def slower(loads: Sequence[Load], raw: Sequence[Load]) -> list[Point]:
    """Return how many times as long the first token takes as straight from the provider."""
    pairs = zip(loads, raw, strict=True)
    return [
        at(load, milliseconds(load.seen.first_token)[0] / milliseconds(alone.seen.first_token)[0])
        for load, alone in pairs
    ]


def failures(load: Load) -> Point:
    """Return the share of streams that failed or missed a token: none may."""
    return Point(str(load.clients), 100 * len(load.seen.failed) / load.seen.asked, 0.0)


def why(loads: Sequence[Load]) -> str:
    """Return the first failure, in its own words."""
    return next((failed for load in loads for failed in load.seen.failed), "")


async def has_completions(url: str, token: str) -> bool:
    """Tell whether the door that speaks OpenAI's format is there."""
    connection = await Connection.to(url)
    try:
        await connection.ask(Asked("/v1/models", token))
    except Refused:
        return False
    finally:
        connection.close()
    return True
