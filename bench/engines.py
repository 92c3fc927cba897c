"""The same loads on SQLite and on PostgreSQL, and spread over several processes."""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tests.databases import migrated_postgres
from tests.engines import valkey
from tests.engines.postgres import create_database, drop_database

from bench import turn_opening
from bench.doors import Door
from bench.figures import Measure, Point, milliseconds
from bench.plan import PEOPLE, Plan
from bench.processes import ServerUnderTest, running
from bench.seeding import add_people, seed_person
from bench.speaking import Load, Say, Speaking
from tertulia.infra.db.postgres.database import PostgresDatabase

ABOUT_ENGINES = "Both engines"
ABOUT_PROCESSES = "Several processes on PostgreSQL and Valkey"
SECRET_KEY = "a secret of the benchmark that all processes share"


@dataclass(frozen=True, slots=True)
class Subject:
    """A server to measure, the people that ask it, and how much of it is asked."""

    plan: Plan
    server: ServerUnderTest
    tokens: tuple[str, ...]
    provider_url: str
    say: Say

    def speak(self, streams: Sequence[int]) -> list[Load]:
        """Open so many streams at once, one number after the other."""
        speaking = Speaking(self.plan, self.server, self.provider_url, self.tokens, self.say)
        speaking.play(Door.TURN, clients=1, each=1)
        return [speaking.steady(Door.TURN, clients, 1) for clients in streams]

    def open_turns(self) -> list[Measure]:
        """Open turns up to their first token."""
        return turn_opening.measure(self.plan, self.server, self.provider_url, self.tokens, self.say)


def measure(plan: Plan, place: Path, provider_url: str, say: Say) -> list[Measure]:
    """Measure both engines, then PostgreSQL with one process and with more."""
    plan = replace(plan, turns=tuple(turns for turns in plan.turns if turns[0] in plan.engine_streams))
    with on_sqlite(plan, place, provider_url, say) as subject:
        sqlite_turns, sqlite = subject.open_turns(), subject.speak(plan.engine_streams)
    with on_postgres(plan, place, provider_url, say, workers=1) as subject:
        postgres_turns, postgres = subject.open_turns(), subject.speak(plan.engine_streams)
    return [
        *(compare(*pair) for pair in zip(sqlite_turns, postgres_turns, strict=True)),
        *compare_loads(sqlite, postgres),
        *measure_spread(plan, place, provider_url, say),
    ]


def measure_spread(plan: Plan, place: Path, provider_url: str, say: Say) -> list[Measure]:
    """Measure the same streams over one process and over more, each against one.

    Everybody has a workspace of their own: writes in one happen one after the other, by whichever process.
    """
    loads: dict[int, list[Load]] = {}
    for workers in plan.spread_processes:
        say(f"{workers} processes")
        with on_postgres(plan, place, provider_url, say, workers=workers, apart=True) as subject:
            loads[workers] = subject.speak(plan.spread_streams)
    alone = loads[plan.spread_processes[0]]
    measures: list[Measure] = []
    for workers, spread in loads.items():
        what = f"{workers} process{'es' if workers > 1 else ''}"
        slow = [Point(str(load.clients), milliseconds(load.seen.first_token)[1]) for load in spread]
        failed = [Point(str(load.clients), 100 * len(load.seen.failed) / load.seen.asked) for load in spread]
        rates = [
            Point(str(load.clients), load.rate / one.rate) for load, one in zip(spread, alone, strict=True)
        ]
        measures += [
            Measure(ABOUT_PROCESSES, f"{what}: first token, p95", "ms", slow),
            Measure(ABOUT_PROCESSES, f"{what}: tokens a second, of one process", "", rates, digits=2),
            Measure(ABOUT_PROCESSES, f"{what}: streams that failed", "%", failed),
        ]
    return measures


def compare(sqlite: Measure, postgres: Measure) -> Measure:
    """Return what PostgreSQL takes as a multiple of SQLite's."""
    points = [
        Point(point.at, other.value / point.value)
        for point, other in zip(sqlite.points, postgres.points, strict=True)
    ]
    note = " · ".join(
        f"{point.at}: {point.value:.1f} → {other.value:.1f} {sqlite.unit}"
        for point, other in zip(sqlite.points, postgres.points, strict=True)
    )
    return Measure(
        ABOUT_ENGINES, f"a turn opened, {sqlite.what}: PostgreSQL of SQLite", "times", points, note, digits=2
    )


def compare_loads(sqlite: Sequence[Load], postgres: Sequence[Load]) -> list[Measure]:
    """Return what streams cost and give on PostgreSQL as a multiple of SQLite's."""
    pairs = list(zip(sqlite, postgres, strict=True))
    cpu = [Point(str(one.clients), other.cpu_per_thousand / one.cpu_per_thousand) for one, other in pairs]
    rates = [Point(str(one.clients), other.rate / one.rate) for one, other in pairs]
    return [
        Measure(
            ABOUT_ENGINES,
            "streams, processor seconds for 1,000 tokens: PostgreSQL of SQLite",
            "times",
            cpu,
            "without the database server's own",
            digits=2,
        ),
        Measure(ABOUT_ENGINES, "streams, tokens a second: PostgreSQL of SQLite", "times", rates, digits=2),
    ]


@contextmanager
def on_sqlite(plan: Plan, place: Path, provider_url: str, say: Say) -> Generator[Subject]:
    """Serve from a new database of SQLite."""
    data_dir = place / "engine-sqlite"
    data_dir.mkdir()
    seeded = asyncio.run(seed_person(data_dir, mates=PEOPLE - 1))
    with running(ServerUnderTest(data_dir, provider_url)) as server:
        yield Subject(plan, server, seeded.tokens, provider_url, say)


@contextmanager
def on_postgres(
    plan: Plan, place: Path, provider_url: str, say: Say, *, workers: int, apart: bool = False
) -> Generator[Subject]:
    """Serve from a new database of PostgreSQL, with so many processes."""
    url = create_database(template=migrated_postgres())
    data_dir = place / url.rpartition("/")[2].partition("?")[0]
    data_dir.mkdir()
    seeded = asyncio.run(add_people(PostgresDatabase(url), mates=PEOPLE - 1, apart=apart))
    env = {"DATABASE_URL": url, "REDIS_URL": valkey.server_url(), "TERTULIA_SECRET_KEY": SECRET_KEY}
    try:
        with running(ServerUnderTest(data_dir, provider_url, env=env, workers=workers)) as server:
            yield Subject(plan, server, seeded.tokens, provider_url, say)
    finally:
        drop_database(url)
