"""F18: who owns a run is decided by the database, between any number of processes and on both engines."""

import asyncio
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from tertulia.conversations.domain import Seat
from tertulia.conversations.question_title import create_titled
from tertulia.conversations.round_writer import NewQuestion, open_round
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.infra.events.log import read_events
from tertulia.turns import store
from tertulia.turns.domain import Run
from tests.databases import open_database
from tests.world import add_person

pytestmark = pytest.mark.both_engines

ENDED = timedelta(seconds=-1)
LASTING = timedelta(minutes=1)
PROCESSES = 3


@dataclass
class SharedDatabase:
    """One database as several processes have it open."""

    databases: list[Database]
    person: Principal

    @classmethod
    @asynccontextmanager
    async def open(cls, path: Path) -> AsyncGenerator["SharedDatabase"]:
        databases = [open_database(path) for _ in range(PROCESSES)]
        try:
            person, _ = await add_person(databases[0], role=Role.OWNER, workspace=None, email="a@example.org")
            yield cls(databases, person)
        finally:
            for db in databases:
                await asyncio.to_thread(db.close)

    async def begin_run(self, *, worker: str, lease: timedelta) -> Run:
        """Have a worker begin a reply."""
        log = EventLog(self.databases[0])

        def write(tx: Tx) -> Run | None:
            conversation = create_titled(tx, "Hello", project_id=None, temporary=False, log=log)
            full, _ = open_round(tx, conversation, NewQuestion("Hello", [Seat("m", "openai/m")]), log=log)
            reply_id = full.answers[0].reply.id
            until = tx.uptime() + lease
            store.add_run(
                tx, reply_id=reply_id, conversation_id=conversation.id, worker=worker, lease_until=until
            )
            return store.find_run(tx, reply_id)

        run = await self.databases[0].write(write, by=self.person)
        assert run is not None
        return run


@pytest.fixture
async def shared(tmp_path: Path) -> AsyncGenerator[SharedDatabase]:
    async with SharedDatabase.open(tmp_path / "tertulia.db") as shared:
        yield shared


def take_over(tx: Tx, run: Run, *, worker: str) -> Run | None:
    until = tx.uptime() + LASTING
    return store.take_over_run(tx, run.reply_id, worker=worker, until=until, lapsed=tx.uptime())


async def test_of_many_who_take_over_a_run_at_once_one_has_it(shared: SharedDatabase) -> None:
    run = await shared.begin_run(worker="gone", lease=ENDED)
    taken = await asyncio.gather(
        *(
            db.write(lambda tx, name=f"{place}-{attempt}": take_over(tx, run, worker=name), by=run.principal)
            for place, db in enumerate(shared.databases)
            for attempt in range(4)
        )
    )
    (owner,) = [one for one in taken if one is not None]
    stored = await shared.databases[0].read(lambda tx: store.find_run(tx, run.reply_id), by=run.principal)
    assert stored == owner


async def test_a_run_with_a_living_owner_is_left_to_them(shared: SharedDatabase) -> None:
    run = await shared.begin_run(worker="living", lease=LASTING)
    assert (
        await shared.databases[1].write(lambda tx: take_over(tx, run, worker="other"), by=run.principal)
        is None
    )
    left = await shared.databases[1].read(
        lambda tx: store.find_lapsed_runs(tx, worker="other", lapsed=tx.uptime()), by=None
    )
    assert left == []


async def test_a_run_is_taken_over_only_after_the_words_that_are_being_stored(shared: SharedDatabase) -> None:
    run = await shared.begin_run(worker="slow", lease=ENDED)
    held, taken = threading.Event(), threading.Event()
    logs = [EventLog(db) for db in shared.databases]

    def flush(tx: Tx) -> bool:
        owned = store.hold_owned_runs(tx, [run.reply_id], worker="slow")
        held.set()
        was_taken = taken.wait(0.2)
        logs[0].append_all(tx, {run.conversation_id: ["words"]})
        return run.reply_id in owned and not was_taken

    def take(tx: Tx) -> None:
        assert take_over(tx, run, worker="other") is not None
        taken.set()
        logs[1].append_all(tx, {run.conversation_id: ["taken over"]})

    flushing = asyncio.create_task(shared.databases[0].write(flush, by=None))
    await asyncio.to_thread(held.wait)
    await shared.databases[1].write(take, by=run.principal)

    assert await flushing
    events = await shared.databases[2].read(lambda tx: read_events(tx, run.conversation_id, 0), by=None)
    assert [event.body for event in events][-2:] == ["words", "taken over"]
    assert (
        await shared.databases[0].write(
            lambda tx: store.hold_owned_runs(tx, [run.reply_id], worker="slow"), by=None
        )
        == {}
    )


async def test_whoever_renews_a_lease_hears_of_a_stop(shared: SharedDatabase) -> None:
    stopped = await shared.begin_run(worker="w", lease=LASTING)
    going_on = await shared.begin_run(worker="w", lease=LASTING)
    other = await shared.begin_run(worker="other", lease=LASTING)
    await shared.databases[1].write(
        lambda tx: store.request_stop(tx, [stopped.reply_id]), by=stopped.principal
    )

    def look(tx: Tx) -> tuple[dict[str, bool], dict[str, bool], list[str]]:
        known = [run.reply_id for run in (stopped, going_on, other)]
        return (
            store.hold_owned_runs(tx, known, worker="w"),
            store.renew_leases(tx, worker="w", until=tx.uptime() + LASTING),
            store.find_requested_stops(tx, worker="w"),
        )

    expected = {stopped.reply_id: True, going_on.reply_id: False}
    assert await shared.databases[2].write(look, by=None) == (expected, expected, [stopped.reply_id])
