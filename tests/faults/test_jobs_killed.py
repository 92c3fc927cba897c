"""F18: many jobs, four workers, some killed in the middle: each job is done, and none by two at once."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tertulia.core.tasks import cancel_tasks
from tertulia.infra.db import Database
from tertulia.infra.jobs import JobWorker, enqueue
from tests.databases import open_database
from tests.effort import effort

pytestmark = pytest.mark.both_engines

JOBS = effort(200)
WORKERS = 4
#: Long enough that no worker loses a claim because the machine is busy.
LEASE = timedelta(seconds=2)


class Bench:
    """Workers with connections of their own, what they do, and whether two did the same at once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.databases = [open_database(path) for _ in range(WORKERS)]
        self.done: Counter[int] = Counter()
        self.begun: Counter[int] = Counter()
        self.at_work: set[int] = set()
        self.together: list[int] = []
        self.pause = random.Random(7)

    async def do(self, payload: dict[str, Any]) -> None:
        number: int = payload["number"]
        self.begun[number] += 1
        if number in self.at_work:
            self.together.append(number)
        self.at_work.add(number)
        try:
            await asyncio.sleep(self.pause.choice([0, 0, 0.002]))
            self.done[number] += 1
        finally:
            self.at_work.discard(number)

    def start(self, db: Database, name: str) -> "asyncio.Task[None]":
        worker = JobWorker(db, worker=name, handlers={"work": self.do}, job_news=asyncio.Event(), lease=LEASE)
        return asyncio.create_task(worker.run())


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[Bench]:
    bench = Bench(tmp_path / "jobs.db")
    yield bench
    for db in bench.databases:
        db.close()


async def test_each_job_is_done_and_none_by_two_at_once_though_workers_are_killed(bench: Bench) -> None:
    def queue_all(tx: Any) -> None:
        for number in range(JOBS):
            enqueue(tx, "work", key=f"work:{number}", payload={"number": number})

    await bench.databases[0].write(queue_all, by=None)
    tasks = {db: bench.start(db, f"worker {place}") for place, db in enumerate(bench.databases)}
    killed = 0
    async with asyncio.timeout(60 + JOBS / 20):
        while await bench.databases[0].read(lambda tx: tx.value("SELECT count(*) FROM jobs"), by=None):
            await asyncio.sleep(0.05)
            if killed < max(3, JOBS // 200):
                victim = bench.pause.choice(bench.databases)
                # What it was doing is neither finished nor put back, as after a kill.
                await cancel_tasks([tasks[victim]])
                killed += 1
                tasks[victim] = bench.start(victim, f"successor {killed}")
    await cancel_tasks(tasks.values())

    assert set(bench.done) == set(range(JOBS))
    assert bench.together == []
    assert killed >= 3
    assert sum(bench.begun.values()) <= JOBS + killed, "only what a worker died of is begun again"
