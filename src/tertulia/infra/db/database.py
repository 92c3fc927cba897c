"""The SQLite database: a few readers, and one writer that commits in groups.

Every write waiting at the same moment shares one transaction and so one fsync,
each inside its own savepoint: one that fails is undone alone.
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
from tertulia.infra.db import reclaim
from tertulia.infra.db.checkpointer import Checkpointer
from tertulia.infra.db.connection import open_connection, storage_errors
from tertulia.infra.db.errors import DatabaseBusy
from tertulia.infra.db.migrate import migrate
from tertulia.infra.db.sequence import go_on_from_newest
from tertulia.infra.db.tx import Tx

T = TypeVar("T")
#: No more than there are cores: threads without one would only hold up the others.
READERS = max(2, min(4, os.cpu_count() or 1))
LARGEST_GROUP = 256


@dataclass(slots=True)
class Waiting:
    """One function waiting to be run by a reader or the writer, and where its outcome goes."""

    call: Callable[[Tx], Any]
    by: Principal | None
    loop: asyncio.AbstractEventLoop
    outcome: asyncio.Future[Any]
    result: Any = None
    error: BaseException | None = None
    to_publish: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    def settle(self) -> None:
        """Hand the outcome to whoever waits, and publish what was promised for after the commit."""
        if self.error is None:
            for publish in self.to_publish:
                publish()
        if self.outcome.done():
            return
        if self.error is None:
            self.outcome.set_result(self.result)
        else:
            self.outcome.set_exception(self.error)


class Database:
    """Runs functions as transactions; a restart finds everything that a write was answered for."""

    def __init__(self, path: Path, *, busy_seconds: float = 15) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._reads: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._writes: queue.SimpleQueue[Waiting | None] = queue.SimpleQueue()
        self._local = threading.local()
        self._scoped: set[str] = set()
        self._open: list[apsw.Connection] = []
        writer = self._connect()
        migrate(writer)
        go_on_from_newest(writer)
        self._tenant_tables = tenant_tables(writer)
        self._glancing = self._connect()
        self._glancing.set_busy_timeout(0)
        self._checkpointer = Checkpointer(self._connect)
        self._checkpointer.watch(writer)
        self._threads = [begin("db-writer", lambda: self._write_forever(writer))]
        self._threads += [begin("db-checkpointer", self._checkpointer.run)]
        self._threads += [begin("db-reader", self._read_forever) for _ in range(READERS)]

    async def read(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Run `call` on one consistent snapshot; `by=None` is for housekeeping alone."""
        return await hand_over(call, by, self._reads)

    async def glance(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Look up a few rows by their keys, right here: a thread would cost more than that takes.

        Nobody else is served meanwhile, so anything that may grow with the data is for `read`.
        """
        try:
            with storage_errors(), transaction(self._glancing, "BEGIN"):
                return call(self._tx(self._glancing, by))
        except DatabaseBusy:
            return await self.read(call, by=by)

    async def write(self, call: Callable[[Tx], T], *, by: Principal | None) -> T:
        """Run `call` and return once what it wrote is safe on disk: all of it, or none."""
        # A write that was handed over happens, even when the one who asked has gone.
        return await asyncio.shield(hand_over(call, by, self._writes))

    async def truncate_log(self) -> bool:
        """Move the write-ahead log into the database and empty it; False when somebody reads it just now.

        Until then the log holds earlier versions of pages, and with them what was deleted since.
        """
        return await asyncio.to_thread(reclaim.truncate_log, self._path)

    async def compact(self) -> None:
        """Write the database anew without anything that was deleted; writes wait for as long as it takes."""
        with storage_errors():
            await asyncio.to_thread(reclaim.compact, self._path)

    def close(self) -> None:
        """Finish what is under way and close every connection."""
        self._writes.put(None)
        self._checkpointer.close()
        for _ in range(READERS):
            self._reads.put(None)
        for thread in self._threads:
            thread.join()
        for connection in self._open:
            connection.close()

    def _connect(self) -> apsw.Connection:
        connection = open_connection(self._path, busy_seconds=self._busy_seconds)
        self._open.append(connection)
        return connection

    def _tx(self, connection: apsw.Connection, by: Principal | None) -> Tx:
        return Tx(connection, by=by, tenant_tables=self._tenant_tables, scoped=self._scoped)

    def _read(self, call: Callable[[Tx], T], by: Principal | None) -> T:
        if not hasattr(self._local, "connection"):
            self._local.connection = self._connect()
        connection: apsw.Connection = self._local.connection
        with storage_errors(), transaction(connection, "BEGIN"):
            return call(self._tx(connection, by))

    def _read_forever(self) -> None:
        while read := self._reads.get():
            if read.outcome.cancelled():
                continue
            try:
                read.result = self._read(read.call, read.by)
            except Exception as error:  # noqa: BLE001 - whatever it was, the one who waits must hear of it
                read.error = error
            settle_all([read])
            del read  # else what it found would be held until somebody reads again

    def _write_forever(self, connection: apsw.Connection) -> None:
        while group := self._next_group():
            try:
                with storage_errors(), transaction(connection, "BEGIN IMMEDIATE"):
                    for write in group:
                        self._attempt(connection, write)
            except Exception as error:  # noqa: BLE001 - whatever it was, those who wait must hear of it
                for write in group:
                    write.error = write.error or error
            settle_all(group)

    def _next_group(self) -> list[Waiting]:
        """Wait for work and return all that is there; nothing once the database is closed."""
        first = self._writes.get()
        if first is None:
            return []
        group = [first]
        while len(group) < LARGEST_GROUP and not self._writes.empty():
            write = self._writes.get()
            if write is None:
                self._writes.put(None)
                break
            group.append(write)
        return group

    def _attempt(self, connection: apsw.Connection, write: Waiting) -> None:
        """Run one write of a group; when it fails, undo it alone."""
        tx = self._tx(connection, write.by)
        connection.execute("SAVEPOINT one")
        try:
            write.result = write.call(tx)
        except Exception as error:
            if connection.in_transaction:
                connection.execute("ROLLBACK TO one; RELEASE one")
            if isinstance(error, apsw.Error) and not isinstance(error, apsw.ConstraintError):
                raise  # the disk failed, not the function: the whole group is undone and told so
            write.error = error
        else:
            connection.execute("RELEASE one")
            write.to_publish = tx.to_publish


def begin(name: str, work: Callable[[], None]) -> threading.Thread:
    """Start a thread; a process that fails to start, and so never closes the database, can still end."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    thread.start()
    return thread


def hand_over(
    call: Callable[[Tx], T], by: Principal | None, line: "queue.SimpleQueue[Waiting | None]"
) -> "asyncio.Future[T]":
    """Put a function in a line of those that wait for a thread, and return where its outcome will be."""
    loop = asyncio.get_running_loop()
    outcome: asyncio.Future[T] = loop.create_future()
    line.put(Waiting(call, by, loop, outcome))
    return outcome


@contextmanager
def transaction(connection: apsw.Connection, begin: str) -> Generator[None]:
    """Hold a transaction: committed when the block ends well, undone when it does not."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def settle_all(group: list[Waiting]) -> None:
    """Tell everyone of a group, in order, each on their own event loop, with one wake-up a loop."""
    loops: dict[asyncio.AbstractEventLoop, list[Waiting]] = {}
    for write in group:
        loops.setdefault(write.loop, []).append(write)
    for loop, writes in loops.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(lambda writes=writes: [write.settle() for write in writes])


def tenant_tables(connection: apsw.Connection) -> frozenset[str]:
    """Return the tables that hold people's data: those with a `workspace_id`."""
    sql = """
        SELECT m.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
        WHERE m.type = 'table' AND c.name = 'workspace_id'"""
    return frozenset(str(row[0]) for row in connection.execute(sql))
