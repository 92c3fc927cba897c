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
from pathlib import Path
from typing import TypeVar

import apsw

from tertulia.core.principal import Principal
from tertulia.infra.db.errors import DatabaseBusy
from tertulia.infra.db.queued_calls import QueuedCall, settle_all, start_thread
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
        read = QueuedCall.make(call, by)
        self._read_queue.put(read)
        return await read.future

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
        write = QueuedCall.make(call, by)
        self._write_queue.put(write)
        # A write that was handed over happens, even when the one who asked has gone.
        return await asyncio.shield(write.future)

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

    def _read(self, read: QueuedCall) -> None:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._connect()
        connection: apsw.Connection = self._local.connection
        with translate_storage_errors(), reading(connection):
            read.result = read.call(self._tx(connection, read.by))

    def _run_reader(self) -> None:
        while read := self._read_queue.get():
            if read.future.cancelled():
                continue
            read.run(self._read)
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
                if len(group) == 1:
                    group[0].error = group[0].error or error
                else:
                    self._run_each_alone(connection, group)
            settle_all(group)

    def _run_each_alone(self, connection: apsw.Connection, group: list[QueuedCall]) -> None:
        """Run the writes of a group again that a failing disk has undone, so that only its own fail."""
        for write in group:
            if write.error is None:
                try:
                    with translate_storage_errors(), writing(connection):
                        self._run_write(connection, write)
                except Exception as error:  # noqa: BLE001 - as above
                    write.error = error

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
            tx.write_late()
        write.after_commit_calls = tx.after_commit_calls

    def _run_in_savepoint(self, connection: apsw.Connection, write: QueuedCall) -> None:
        """Run one write of a group; when it fails, undo it alone."""
        try:
            SqliteStatements(connection).attempt(lambda: self._run_write(connection, write))
        except Exception as error:
            if isinstance(error, apsw.Error):
                raise  # the disk failed, not the function: the whole group is undone
            write.error = error
            if not connection.in_transaction:
                raise  # the same, and whoever ran it has heard of it in other words


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


def read_tenant_tables(connection: apsw.Connection) -> frozenset[str]:
    """Return the tables that hold people's data: those with a `workspace_id`."""
    sql = """
        SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND c.name = 'workspace_id'"""
    return frozenset(str(row[0]) for row in connection.execute(sql))
