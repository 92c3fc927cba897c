"""PostgreSQL as an engine: who sees what, who waits for whom, and what happens when the server goes away."""

import asyncio
import signal
import threading
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from tests.clocks import DAY_MS, HOUR_MS
from tests.databases import TEST_CONNECTIONS, Engine, databases, open_database
from tests.engines.postgres import PostgresServer
from tests.search_world import until

from tertulia.core import clock
from tertulia.core.clock import SteadyClock
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx, bound_list, bound_rows
from tertulia.infra.db.errors import CommitUnknown, DatabaseBusy, StorageFailed
from tertulia.infra.db.postgres import prepared_statements
from tertulia.infra.db.postgres.database import PostgresDatabase
from tertulia.infra.db.postgres.transaction import Transaction, lock_key

pytestmark = [pytest.mark.postgres, pytest.mark.parametrize("engine", [Engine.POSTGRES], indirect=True)]

ADA = Principal("usr_ada", "wsp_ada", Role.OWNER)
BEN = Principal("usr_ben", "wsp_ben", Role.OWNER)
WAIT_SECONDS = 10.0


@pytest.fixture
def url(tmp_path: Path, engine: Engine) -> str:
    return databases.url(tmp_path / "postgres.db") or ""


@pytest.fixture
def db(tmp_path: Path, engine: Engine) -> Generator[Database]:
    database = open_database(tmp_path / "postgres.db")
    yield database
    database.close()


async def add_people(db: Database) -> None:
    """Add Ada and Ben, each with a project in a workspace of their own."""

    def write(tx: Tx) -> None:
        for by in (ADA, BEN):
            tx.run("INSERT INTO workspaces VALUES (:id, :id, '{}', 1)", id=by.workspace_id)
            tx.run(
                """INSERT INTO users (id, email, name, password_hash, status, created_at)
                VALUES (:id, :id, 'x', '!', 'active', 1)""",
                id=by.user_id,
            )
            tx.run(
                """INSERT INTO members (workspace_id, user_id, role, status, joined_at)
                VALUES (:home, :id, 'owner', 'active', 1)""",
                home=by.workspace_id,
                id=by.user_id,
            )

    await db.write(write, by=None)


def see_members(tx: Tx) -> list[str]:
    """Return all members that a transaction sees, past the check that statements name the workspace."""
    return [str(row[0]) for row in tx._statements.rows("SELECT user_id FROM members ORDER BY user_id", {})]


async def test_a_statement_that_forgot_the_workspace_sees_nothing_of_others(db: Database) -> None:
    await add_people(db)
    assert await db.read(see_members, by=ADA) == ["usr_ada"]
    assert await db.write(see_members, by=BEN) == ["usr_ben"]
    assert await db.read(see_members, by=None) == ["usr_ada", "usr_ben"]


async def test_a_statement_that_forgot_the_workspace_changes_nothing_of_others(db: Database) -> None:
    await add_people(db)
    forgotten = "UPDATE members SET role = 'viewer'"
    assert await db.write(lambda tx: tx._statements.change(forgotten, {}), by=ADA) == 1
    roles = await db.read(lambda tx: tx.rows("SELECT user_id, role FROM members ORDER BY user_id"), by=None)
    assert roles == [("usr_ada", "viewer"), ("usr_ben", "owner")]


async def test_a_row_cannot_be_written_into_another_workspace(db: Database) -> None:
    await add_people(db)
    theft = "UPDATE members SET workspace_id = 'wsp_ben' WHERE user_id = 'usr_ada'"
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        await db.write(lambda tx: tx._statements.change(theft, {}), by=ADA)


async def test_housekeeping_that_acts_for_someone_sees_as_they_do(db: Database) -> None:
    await add_people(db)

    def write(tx: Tx) -> list[list[str]]:
        ada, ben = tx.acting_for(ADA), tx.acting_for(BEN)
        return [see_members(ada), see_members(tx), see_members(ben), see_members(ada)]

    assert await db.write(write, by=None) == [["usr_ada"], ["usr_ada", "usr_ben"], ["usr_ben"], ["usr_ada"]]


async def test_what_an_attempt_saw_is_forgotten_with_it(db: Database) -> None:
    await add_people(db)

    def fail(tx: Tx) -> None:
        assert see_members(tx.acting_for(ADA)) == ["usr_ada"]
        raise LookupError

    def write(tx: Tx) -> tuple[list[str], list[str]]:
        with pytest.raises(LookupError):
            tx.attempt(lambda: fail(tx))
        return see_members(tx), see_members(tx.acting_for(ADA))

    assert await db.write(write, by=None) == (["usr_ada", "usr_ben"], ["usr_ada"])


async def test_every_table_of_people_has_its_policy(db: Database) -> None:
    missing = await db.read(
        lambda tx: tx.column(
            """SELECT c.relname FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid
            LEFT JOIN pg_policy AS p ON p.polrelid = c.oid
            WHERE a.attname = 'workspace_id' AND c.relkind = 'r'
            AND (p.oid IS NULL OR NOT c.relrowsecurity OR NOT c.relforcerowsecurity)"""
        ),
        by=None,
    )
    assert missing == []


async def hold(
    db: Database, *, by: Principal | None, concurrent: bool = False
) -> tuple[Callable[[], None], asyncio.Task[None]]:
    """Begin a write that goes on until the function returned is called."""
    begun, go_on = threading.Event(), threading.Event()

    def wait(_tx: Tx) -> None:
        begun.set()
        go_on.wait(WAIT_SECONDS)

    task = asyncio.create_task(db.write(wait, by=by, concurrent=concurrent))
    assert await asyncio.to_thread(begun.wait, WAIT_SECONDS)
    return go_on.set, task


async def test_writes_in_one_workspace_wait_for_each_other_and_for_no_one_else(
    url: str, db: Database
) -> None:
    other_process = PostgresDatabase(url, connections=TEST_CONNECTIONS)
    order = list[str]()
    let_go, held = await hold(db, by=ADA)
    waiting = asyncio.create_task(other_process.write(lambda _: order.append("same"), by=ADA))
    await other_process.write(lambda _: order.append("other workspace"), by=BEN)
    await other_process.write(lambda _: order.append("housekeeping"), by=None)
    let_go()
    await asyncio.gather(held, waiting)
    other_process.close()
    assert order == ["other workspace", "housekeeping", "same"]


async def test_a_busy_workspace_leaves_threads_for_others(db: Database) -> None:
    let_go, held = await hold(db, by=ADA)
    line = [asyncio.create_task(db.write(lambda _: None, by=ADA)) for _ in range(3 * TEST_CONNECTIONS)]
    await asyncio.wait_for(db.write(lambda _: None, by=BEN), WAIT_SECONDS)
    assert not any(write.done() for write in line)
    let_go()
    await asyncio.gather(held, *line)


async def test_concurrent_housekeeping_waits_for_nobody(db: Database) -> None:
    let_go, held = await hold(db, by=None)
    await asyncio.wait_for(db.write(lambda _: None, by=None, concurrent=True), WAIT_SECONDS)
    let_go()
    await held


async def test_a_lock_that_is_held_for_too_long_is_told_as_busy(url: str, db: Database) -> None:
    hurried = PostgresDatabase(url, connections=2, busy_seconds=0.05)
    let_go, held = await hold(db, by=ADA)
    with pytest.raises(DatabaseBusy):
        await hurried.write(lambda _: None, by=ADA)
    let_go()
    await held
    hurried.close()


async def test_writes_that_lock_rows_crosswise_are_run_again(db: Database) -> None:
    await add_people(db)
    both_hold_one = threading.Barrier(2)

    def write(tx: Tx, first: str, second: str, attempts: list[str]) -> None:
        attempts.append(first)
        sql = "UPDATE workspaces SET created_at = created_at + 1 WHERE id = :id"
        tx.change(sql, id=first)
        if len(attempts) == 1:
            both_hold_one.wait(WAIT_SECONDS)
        tx.run(sql, id=second)

    tried: tuple[list[str], list[str]] = ([], [])
    await asyncio.gather(
        db.write(lambda tx: write(tx, "wsp_ada", "wsp_ben", tried[0]), by=None, concurrent=True),
        db.write(lambda tx: write(tx, "wsp_ben", "wsp_ada", tried[1]), by=None, concurrent=True),
    )
    counts = await db.read(lambda tx: tx.column("SELECT created_at FROM workspaces"), by=None)
    assert counts == [3, 3]
    assert len(tried[0]) + len(tried[1]) == 3


async def test_a_read_sees_one_snapshot(db: Database) -> None:
    await add_people(db)
    read_once, written = threading.Event(), threading.Event()

    def count_twice(tx: Tx) -> list[int]:
        first = tx.value("SELECT count(*) FROM workspaces")
        read_once.set()
        written.wait(WAIT_SECONDS)
        return [first, tx.value("SELECT count(*) FROM workspaces")]

    reading = asyncio.create_task(db.read(count_twice, by=None))
    await asyncio.to_thread(read_once.wait, WAIT_SECONDS)
    await db.write(lambda tx: tx.run("INSERT INTO workspaces VALUES ('w', 'w', '{}', 1)"), by=None)
    written.set()
    assert await reading == [2, 2]


async def test_a_function_that_swallows_a_failure_is_told_that_nothing_was_kept(db: Database) -> None:
    def swallow(tx: Tx) -> None:
        with pytest.raises(psycopg.Error):
            tx.value("SELECT no_such_column")

    with pytest.raises(AssertionError, match="attempt"):
        await db.write(swallow, by=None)
    assert await db.write(lambda tx: tx.value("SELECT 1"), by=None) == 1


async def test_lists_of_any_length_and_type_are_bound(db: Database) -> None:
    def read(tx: Tx) -> list[object]:
        texts = f"SELECT count(*) FROM workspaces WHERE id IN {bound_list('ids')}"
        numbers = f"SELECT count(*) FROM workspaces WHERE created_at IN {bound_list('ids', of='BIGINT')}"
        rows = f"SELECT name, number + 1, position FROM {bound_rows('rows', 'name', 'number BIGINT')} AS r"
        return [
            tx.value(texts, ids=[]),
            tx.value(texts, ids=["wsp_ada"]),
            tx.value(numbers, ids=[]),
            tx.value(numbers, ids=[1, 2]),
            tx.rows(rows, rows=[]),
            tx.rows(rows, rows=[["a", 1], ["b", None]]),
        ]

    await add_people(db)
    assert await db.read(read, by=None) == [0, 1, 0, 2, [], [("a", 2, 0), ("b", None, 1)]]


async def test_a_value_that_is_null_needs_no_type(db: Database) -> None:
    await add_people(db)
    sql = "SELECT count(*) FROM workspaces WHERE :name IS NULL OR name = :name"
    assert await db.read(lambda tx: [tx.value(sql, name=name) for name in (None, "wsp_ada")], by=None) == [
        2,
        1,
    ]


async def test_sums_and_means_are_plain_numbers(db: Database) -> None:
    await add_people(db)
    sql = "SELECT sum(created_at), avg(created_at), -sum(created_at) FROM workspaces"
    [row] = await db.read(lambda tx: tx.rows(sql), by=None)
    assert [(type(value), value) for value in row] == [(int, 2), (float, 1.0), (int, -2)]


@pytest.fixture(scope="module")
def own_server() -> Generator[PostgresServer]:
    """A server that nobody else uses, and that can be stopped."""
    server = PostgresServer.create()
    yield server
    server.close()


@pytest.mark.parametrize("mode", [signal.SIGINT, signal.SIGQUIT])
async def test_a_restart_of_the_server_is_waited_for(
    own_server: PostgresServer, mode: signal.Signals
) -> None:
    db = PostgresDatabase(own_server.url(), connections=TEST_CONNECTIONS)
    go_on, begun, runs = threading.Event(), threading.Event(), list[str]()

    def write(tx: Tx) -> int:
        runs.append("run")
        tx.run("INSERT INTO workspaces VALUES (:id, 'x', '{}', 1)", id=f"wsp_{mode.name}")
        begun.set()
        go_on.wait(WAIT_SECONDS)
        return tx.value("SELECT count(*) FROM workspaces WHERE id = :id", id=f"wsp_{mode.name}")

    writing = asyncio.create_task(db.write(write, by=None))
    assert await asyncio.to_thread(begun.wait, WAIT_SECONDS)
    await asyncio.to_thread(own_server.stop, mode)
    go_on.set()
    reading = asyncio.create_task(db.read(lambda tx: tx.value("SELECT 1"), by=None))
    await asyncio.to_thread(own_server.start)
    assert (await writing, await reading, len(runs)) == (1, 1, 2)
    db.close()


async def test_a_server_that_stays_away_is_told(own_server: PostgresServer) -> None:
    db = PostgresDatabase(own_server.url(), connections=TEST_CONNECTIONS, busy_seconds=0.1)
    await asyncio.to_thread(own_server.stop)
    try:
        with pytest.raises(StorageFailed, match="could not be reached"):
            await db.read(lambda tx: tx.value("SELECT 1"), by=None)
        with pytest.raises(StorageFailed):
            await db.write(lambda tx: tx.value("SELECT 1"), by=None)
    finally:
        await asyncio.to_thread(own_server.start)
    assert await db.read(lambda tx: tx.value("SELECT 1"), by=None) == 1
    db.close()


@pytest.mark.parametrize("is_committed", [True, False])
async def test_a_commit_whose_answer_was_lost_is_looked_up(
    db: Database, monkeypatch: pytest.MonkeyPatch, is_committed: bool
) -> None:
    commits = list[str]()

    def commit(transaction: Transaction) -> None:
        commits.append("commit")
        if is_committed or len(commits) > 1:
            transaction.connection.run_script(b"COMMIT")
        if len(commits) == 1:
            transaction.connection.close()
            raise psycopg.OperationalError("lost")

    monkeypatch.setattr(Transaction, "commit", commit)
    await db.write(lambda tx: tx.run("INSERT INTO workspaces VALUES ('w', 'w', '{}', 1)"), by=None)
    assert len(commits) == (1 if is_committed else 2)
    assert await db.read(lambda tx: tx.column("SELECT id FROM workspaces"), by=None) == ["w"]


async def test_a_commit_that_may_have_been_lost_in_a_crash_is_told_as_unknown(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit(transaction: Transaction) -> None:
        transaction.connection.run_script(b"COMMIT")
        transaction.connection.close()
        raise psycopg.errors.CrashShutdown("lost")

    with monkeypatch.context() as patched:
        patched.setattr(Transaction, "commit", commit)
        with pytest.raises(CommitUnknown, match="Look before you try again"):
            await db.write(lambda tx: tx.run("INSERT INTO workspaces VALUES ('w', 'w', '{}', 1)"), by=None)


async def test_a_connection_that_the_server_ended_is_made_anew(db: Database) -> None:
    ended = list[int]()

    def write(tx: Tx) -> int:
        tx.run("INSERT INTO workspaces VALUES (:id, 'x', '{}', 1)", id=f"w{len(ended)}")
        if not ended:
            ended.append(tx.value("SELECT pg_backend_pid()"))
            tx.run("SELECT pg_terminate_backend(pg_backend_pid())")
        return tx.value("SELECT count(*) FROM workspaces")

    assert await db.write(write, by=None) == 1


async def test_a_connection_lost_within_an_attempt_is_made_anew_too(db: Database) -> None:
    runs = list[str]()

    def end_connection(tx: Tx) -> None:
        runs.append("run")
        if len(runs) == 1:
            tx.run("SELECT pg_terminate_backend(pg_backend_pid())")

    await db.write(lambda tx: tx.attempt(lambda: end_connection(tx)), by=None)
    assert len(runs) == 2


async def test_what_was_asked_for_after_a_commit_happens_once(db: Database) -> None:
    calls, runs = list[str](), list[str]()

    def write(tx: Tx) -> None:
        tx.after_commit(partial(calls.append, "called"))
        runs.append("run")
        if len(runs) == 1:
            tx.run("SELECT pg_terminate_backend(pg_backend_pid())")

    await db.write(write, by=None)
    assert (calls, len(runs)) == (["called"], 2)


async def test_a_statement_runs_on_after_another_process_changed_its_columns(
    tmp_path: Path, url: str
) -> None:
    db = PostgresDatabase(url, connections=2)
    try:
        await add_people(db)
        read = partial(db.read, lambda tx: tx.rows("SELECT * FROM workspaces ORDER BY id"), by=None)
        before = [await read() for _ in range(4)][-1]
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("ALTER TABLE workspaces ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'")
        assert await read() == [(*row, "red") for row in before]
    finally:
        db.close()


async def test_statements_of_another_migration_run_on_within_a_write(tmp_path: Path, url: str) -> None:
    db = PostgresDatabase(url, connections=2)
    attempts = list[int]()

    def write(tx: Tx) -> int:
        attempts.append(len(tx.attempt(lambda: tx.rows("SELECT * FROM workspaces"))))
        return tx.change("UPDATE workspaces SET name = 'x'")

    try:
        await add_people(db)
        for _ in range(4):
            await db.write(write, by=None)
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("ALTER TABLE workspaces ADD COLUMN colour TEXT NOT NULL DEFAULT 'red'")
        assert await db.write(write, by=None) == 2
        assert attempts == [2] * 5
    finally:
        db.close()


async def test_statements_run_often_are_prepared_and_the_oldest_are_let_go(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared_statements, "PREPARED_STATEMENTS_MAX", 3)
    db = PostgresDatabase(url, connections=2)
    names = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'tertulia%'"
    try:
        for number in range(6):
            for _ in range(3):
                assert await db.read(partial(read_number, number), by=None) == number
        assert await db.read(lambda tx: tx.value(names), by=None) == 3
    finally:
        db.close()


def read_number(number: int, tx: Tx) -> int:
    """Run a statement whose text is its own for each number."""
    return int(tx.value(f"SELECT {number} + CAST(:zero AS BIGINT)", zero=0))


async def test_a_write_that_waited_too_long_for_its_lock_leaves_its_connection_usable(url: str) -> None:
    db = PostgresDatabase(url, connections=2, busy_seconds=0.3)
    try:
        await add_people(db)
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("BEGIN")
            other.execute("SELECT pg_advisory_xact_lock(%s)", [lock_key(ADA.workspace_id)])
            with pytest.raises(DatabaseBusy):
                await db.write(see_members, by=ADA)
        assert await db.write(see_members, by=ADA) == ["usr_ada"]
    finally:
        db.close()


async def test_a_reader_that_has_nothing_to_read_holds_no_snapshot(url: str) -> None:
    db = PostgresDatabase(url, connections=4)
    open_ones = """SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND state LIKE 'idle in transaction%'"""
    try:
        await asyncio.gather(*(db.read(lambda tx: tx.value("SELECT 1"), by=None) for _ in range(50)))
        with psycopg.connect(url, autocommit=True) as other:

            async def none_is_open() -> bool:
                return other.execute(open_ones).fetchall() == [(0,)]

            await until(none_is_open)
    finally:
        db.close()


async def test_moments_are_told_by_the_servers_clock(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    real = clock.wall_ms
    monkeypatch.setattr(clock, "wall_ms", lambda: real() + DAY_MS)
    monkeypatch.setattr(clock, "steady", SteadyClock())
    await db.write(lambda tx: tx.value("SELECT 1"), by=None)
    assert abs(clock.to_ms(clock.now()) - real()) < HOUR_MS
