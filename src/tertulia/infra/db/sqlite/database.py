"""The SQLite database: a few readers, and one writer that commits in groups.

Every write waiting at the same moment shares one transaction and so one fsync, each inside
its own savepoint: one that fails is undone alone. A write that waits alone needs none.
"""

import asyncio
import os
import queue
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import apsw

from tertulia.core.principal import Principal
from tertulia.infra.db.errors import DatabaseBusy
from tertulia.infra.db.sqlite.checkpointer import Checkpointer
from tertulia.infra.db.sqlite.connection import (
    open_connection,
    translate_constraint_errors,
    translate_storage_errors,
)
from tertulia.infra.db.sqlite.id_sequence import resume_id_sequence
from tertulia.infra.db.sqlite.migration import migrate
from tertulia.infra.db.sqlite.statements import SqliteStatements
from tertulia.infra.db.tx import Tx

T = TypeVar("T")
#: No more than there are cores: threads without one would only hold up the others.
READER_THREADS = max(2, min(4, os.cpu_count() or 1))
WRITE_GROUP_MAX_CALLS = 256


@dataclass(slots=True)
class QueuedCall:
    """One function waiting to be run by a reader or the writer, and where its outcome goes."""

    call: Callable[[Tx], Any]
    by: Principal | None
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None
    after_commit_calls: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def settle(self) -> None:
        """Hand the outcome to whoever waits, and publish what was promised for after the commit."""
        if self.error is None:
            for publish in self.after_commit_calls:
                publish()
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.result)
        else:
            self.future.set_exception(self.error)


class SqliteDatabase:
    """Runs functions as transactions; a restart finds everything that a write was answered for."""

    def __init__(self, path: Path, *, busy_seconds: float = 15) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._read_queue: queue.SimpleQueue[QueuedCall | None] = queue.SimpleQueue()
        self._write_queue: queue.SimpleQueue[QueuedCall | None] = queue.SimpleQueue()
        self._local = threading.local()
        self._checked_statements: set[str] = set()
        self._connections: list[apsw.Connection] = []
        writer = self._connect()
        migrate(writer)
        resume_id_sequence(writer)
        self._tenant_tables = read_tenant_tables(writer)
        self._inline_connection = self._connect()
        self._inline_connection.set_busy_timeout(0)
        self._checkpointer = Checkpointer(self._connect)
        self._checkpointer.watch(writer)
        self._threads = [start_thread("db-writer", lambda: self._run_writer(writer))]
        self._threads += [start_thread("db-checkpointer", self._checkpointer.run)]
        self._threads += [start_thread("db-reader", self._run_reader) for _ in range(READER_THREADS)]

    async def read(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Run `call` on one consistent snapshot; `by=None` is for housekeeping alone."""
        return await enqueue_call(call, by, self._read_queue)

    async def read_inline(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Look up a few rows by their keys, right here: a thread would cost more than that takes.

        Nobody else is served meanwhile, so anything that may grow with the data is for `read`.
        """
        try:
            with translate_storage_errors(), reading(self._inline_connection):
                return call(self._tx(self._inline_connection, by))
        except DatabaseBusy:
            return await self.read(call, by=by)

    async def write(self, call: Callable[[Tx], T], *, by: Principal | None, concurrent: bool = False) -> T:
        """Run `call` and return once what it wrote is safe on disk: all of it, or none.

        There is one writer, so that nothing is `concurrent`.
        """
        # A write that was handed over happens, even when the one who asked has gone.
        return await asyncio.shield(enqueue_call(call, by, self._write_queue))

    def close(self) -> None:
        """Finish what is under way and close every connection."""
        self._write_queue.put(None)
        self._checkpointer.close()
        for _ in range(READER_THREADS):
            self._read_queue.put(None)
        for thread in self._threads:
            thread.join()
        for connection in self._connections:
            connection.close()

    def _connect(self) -> apsw.Connection:
        connection = open_connection(self._path, busy_seconds=self._busy_seconds)
        self._connections.append(connection)
        return connection

    def _tx(self, connection: apsw.Connection, by: Principal | None) -> Tx:
        return Tx(
            SqliteStatements(connection),
            by=by,
            tenant_tables=self._tenant_tables,
            checked_statements=self._checked_statements,
        )

    def _read(self, call: Callable[[Tx], T], by: Principal | None) -> T:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._connect()
        connection: apsw.Connection = self._local.connection
        with translate_storage_errors(), reading(connection):
            return call(self._tx(connection, by))

    def _run_reader(self) -> None:
        while read := self._read_queue.get():
            if read.future.cancelled():
                continue
            try:
                read.result = self._read(read.call, read.by)
            except Exception as error:  # noqa: BLE001 - whatever it was, the one who waits must hear of it
                read.error = error
            settle_all([read])
            del read  # else what it found would be held until somebody reads again

    def _run_writer(self, connection: apsw.Connection) -> None:
        while group := self._next_write_group():
            try:
                with translate_storage_errors(), writing(connection):
                    run = self._run_write if len(group) == 1 else self._run_in_savepoint
                    for write in group:
                        run(connection, write)
            except Exception as error:  # noqa: BLE001 - whatever it was, those who wait must hear of it
                for write in group:
                    write.error = write.error or error
            settle_all(group)

    def _next_write_group(self) -> list[QueuedCall]:
        """Wait for work and return all that is there; nothing once the database is closed."""
        first = self._write_queue.get()
        if first is None:
            return []
        group = [first]
        while len(group) < WRITE_GROUP_MAX_CALLS and not self._write_queue.empty():
            write = self._write_queue.get()
            if write is None:
                self._write_queue.put(None)
                break
            group.append(write)
        return group

    def _run_write(self, connection: apsw.Connection, write: QueuedCall) -> None:
        """Run a write within the transaction that is open."""
        tx = self._tx(connection, write.by)
        with translate_constraint_errors():
            write.result = write.call(tx)
        write.after_commit_calls = tx.after_commit_calls

    def _run_in_savepoint(self, connection: apsw.Connection, write: QueuedCall) -> None:
        """Run one write of a group; when it fails, undo it alone."""
        try:
            SqliteStatements(connection).attempt(lambda: self._run_write(connection, write))
        except Exception as error:
            if isinstance(error, apsw.Error):
                raise  # the disk failed, not the function: the whole group is undone and told so
            write.error = error


def start_thread(name: str, target: Callable[[], None]) -> threading.Thread:
    """Start a thread; a process that fails to start, and so never closes the database, can still end."""
    thread = threading.Thread(target=target, name=name, daemon=True)
    thread.start()
    return thread


def enqueue_call(
    call: Callable[[Tx], T], by: Principal | None, call_queue: "queue.SimpleQueue[QueuedCall | None]"
) -> "asyncio.Future[T]":
    """Put a function in a line of those that wait for a thread, and return where its outcome will be."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()
    call_queue.put(QueuedCall(call, by, loop, future))
    return future


@contextmanager
def reading(connection: apsw.Connection) -> Generator[None]:
    """Hold one snapshot. It ends without a commit, which would fail after a page that could not be read."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def writing(connection: apsw.Connection) -> Generator[None]:
    """Hold a transaction: committed when the block ends well, undone when it does not."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def settle_all(group: list[QueuedCall]) -> None:
    """Tell everyone of a group, in order, each on their own event loop, with one wake-up a loop."""
    loops: dict[asyncio.AbstractEventLoop, list[QueuedCall]] = {}
    for write in group:
        loops.setdefault(write.loop, []).append(write)
    for loop, writes in loops.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda writes=writes: [write.settle() for write in writes])


def read_tenant_tables(connection: apsw.Connection) -> frozenset[str]:
    """Return the tables that hold people's data: those with a `workspace_id`."""
    sql = """
        SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND c.name = 'workspace_id'"""
    return frozenset(str(row[0]) for row in connection.execute(sql))
