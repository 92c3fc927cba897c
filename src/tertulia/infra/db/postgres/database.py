"""The PostgreSQL database: threads with a connection each, some for reading and some for writing.

Every function is a transaction of its own: the server commits what comes together in one go by itself, and
many in one would hold their locks in whatever order they came.
"""

import asyncio
import queue
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import TypeVar

import psycopg
from psycopg import sql

from tertulia.core import clock
from tertulia.core.principal import Principal
from tertulia.infra.db.postgres.connection import ServerConnection
from tertulia.infra.db.postgres.id_sequence import resume_id_sequence
from tertulia.infra.db.postgres.migration import migrate
from tertulia.infra.db.postgres.row_security import (
    secure_tables,
    see_every_workspace,
    warn_of_superuser,
)
from tertulia.infra.db.postgres.server_checks import check_server, connect_first
from tertulia.infra.db.postgres.session import ServerSession
from tertulia.infra.db.postgres.statements import PostgresStatements
from tertulia.infra.db.postgres.transaction import PRESENT_MS, Transaction
from tertulia.infra.db.postgres.write_queue import WriteQueue
from tertulia.infra.db.queued_calls import QueuedCall, settle_all, start_thread
from tertulia.infra.db.statements import Row
from tertulia.infra.db.tx import Tx

T = TypeVar("T")
#: How many connections a process holds when nobody says; half of them read and half write.
CONNECTIONS_DEFAULT = 10


class PostgresDatabase:
    """Runs functions as transactions; a restart finds everything that a write was answered for."""

    def __init__(
        self,
        url: str,
        *,
        connections: int = CONNECTIONS_DEFAULT,
        busy_seconds: float = 15,
        may_prepare: bool = True,
    ) -> None:
        self._url = url
        self._busy_seconds = busy_seconds
        self._may_prepare = may_prepare
        self._checked_statements: set[str] = set()
        self._tenant_tables = prepare(url)
        self._read_queue: queue.SimpleQueue[QueuedCall | None] = queue.SimpleQueue()
        self._write_queue = WriteQueue()
        self._readers = [start_thread("db-reader", self._run_reader) for _ in range(-(-connections // 2))]
        self._writers = [start_thread("db-writer", self._run_writer) for _ in range(max(1, connections // 2))]

    async def read(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Run `call` on one consistent snapshot; `by=None` is for housekeeping alone."""
        return await self._enqueue_read(call, by)

    async def read_inline(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Look up a few rows by their keys: by a thread, as the server is waited for."""
        return await self._enqueue_read(call, by)

    async def write(self, call: Callable[[Tx], T], *, by: Principal | None, concurrent: bool = False) -> T:
        """Run `call` and return once what it wrote is safe on disk: all of it, or none."""
        write = QueuedCall.make(call, by, concurrent=concurrent)
        self._write_queue.put(write)
        # A write that was handed over happens, even when the one who asked has gone.
        return await asyncio.shield(write.future)

    def close(self) -> None:
        """Finish what is under way and close every connection."""
        self._write_queue.close()
        for _ in self._readers:
            self._read_queue.put(None)
        for thread in (*self._writers, *self._readers):
            thread.join()

    def _enqueue_read(self, call: Callable[[Tx], T], by: Principal | None) -> "asyncio.Future[T]":
        read = QueuedCall.make(call, by)
        self._read_queue.put(read)
        return read.future

    def _run_reader(self) -> None:
        session = ServerSession(self._url, may_prepare=self._may_prepare)
        while read := self._next_read(session):
            if read.future.cancelled():
                continue
            read.run(partial(self._read, session))
            settle_all([read])
            del read  # else what it found would be held until somebody reads again
        session.close()

    def _next_read(self, session: ServerSession) -> QueuedCall | None:
        """Take the next read, which ends the one before as it begins; that one does not wait for it."""
        try:
            return self._read_queue.get_nowait()
        except queue.Empty:
            session.end_read()
            return self._read_queue.get()

    def _run_writer(self) -> None:
        session = ServerSession(self._url, may_prepare=self._may_prepare)
        while write := self._write_queue.get():
            write.run(partial(self._write, session))
            self._write_queue.finish(write)
            settle_all([write])
            del write
        session.close()

    def _read(self, session: ServerSession, read: QueuedCall) -> None:
        workspace = read.by.workspace_id if read.by else None
        session.run(
            lambda connection: Transaction.begin_read(connection, workspace),
            partial(self._run_call, read),
            until=read.queued_at + self._busy_seconds,
        )

    def _write(self, session: ServerSession, write: QueuedCall) -> None:
        workspace = write.by.workspace_id if write.by else None
        until = write.queued_at + self._busy_seconds

        def begin(connection: ServerConnection) -> Transaction:
            transaction = Transaction.begin_write(
                connection, workspace, concurrent=write.concurrent, lock_seconds=until - monotonic()
            )
            clock.steady.follow(clock.to_ms(transaction.read_clock()))
            return transaction

        session.run(begin, partial(self._run_call, write), until=until)

    def _run_call(self, queued: QueuedCall, transaction: Transaction) -> None:
        tx = Tx(
            PostgresStatements(transaction, transaction.workspace),
            by=queued.by,
            tenant_tables=self._tenant_tables,
            checked_statements=self._checked_statements,
        )
        queued.result = queued.call(tx)
        tx.write_late()
        queued.after_commit_calls = tx.after_commit_calls


def prepare(url: str) -> frozenset[str]:
    """Bring a database to the newest schema, and return its tables of people's data."""
    with connect_first(url) as connection:
        check_server(connection)
        see_every_workspace(connection)
        migrate(connection)
        warn_of_superuser(connection)
        tables = secure_tables(connection)
        follow_clock(connection)
        resume_id_sequence(connection)
    return tables


def follow_clock(connection: "psycopg.Connection[Row]") -> None:
    """Tell moments by the server's clock from here on; every write looks at it again."""
    for (present_ms,) in connection.execute(sql.SQL("SELECT {}").format(sql.SQL(PRESENT_MS))):
        clock.steady.follow(present_ms)
