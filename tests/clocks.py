"""Machines whose clock is set at will, while a process runs and between two of them."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from tertulia.core import clock, ids
from tertulia.core.clock import SteadyClock
from tertulia.core.ids import IdSequence
from tertulia.infra.db.postgres.statements import PostgresStatements

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


@dataclass
class Machine:
    """A machine whose clock is set at will, and which may be started anew."""

    monkeypatch: pytest.MonkeyPatch
    ahead_ms: int = 0
    slept_ms: int = 0

    def __post_init__(self) -> None:
        wall, uptime = clock.wall_ms, clock.uptime_ms
        self.monkeypatch.setattr(clock, "wall_ms", lambda: wall() + self.ahead_ms)
        self.monkeypatch.setattr(clock, "uptime_ms", lambda: uptime() + self.slept_ms)
        # PostgreSQL tells the time of the machine that it runs on: let it be this one.
        self.monkeypatch.setattr(PostgresStatements, "uptime", lambda _statements: clock.uptime())
        self.monkeypatch.setattr(SteadyClock, "follow", lambda _clock, _shared_ms: None)
        self.new_process()

    def new_process(self) -> None:
        """Forget all that a process knows by itself."""
        self.monkeypatch.setattr(clock, "steady", SteadyClock())
        self.monkeypatch.setattr(ids, "sequence", IdSequence())


@dataclass
class Told:
    """What a clock under test is told by the machine."""

    wall: int = 1_800_000_000_000
    uptime: float = 1_000.0


@contextmanager
def telling() -> Generator[Told]:
    """Give a machine whose clocks stand still unless they are moved."""
    with pytest.MonkeyPatch.context() as patch:
        told = Told()
        patch.setattr(clock, "steady", SteadyClock())
        patch.setattr(ids, "sequence", IdSequence())
        patch.setattr(clock, "wall_ms", lambda: told.wall)
        patch.setattr(clock, "uptime_ms", lambda: told.uptime)
        yield told
