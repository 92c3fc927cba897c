"""Statements on a connection to SQLite."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TypeVar, cast

import apsw

from tertulia.core import clock
from tertulia.infra.db.packed_values import pack_text
from tertulia.infra.db.sqlite.connection import translate_constraint_errors, translate_storage_errors
from tertulia.infra.db.statements import ColumnValue, QueryResult, Row

T = TypeVar("T")


class SqliteStatements:
    """Runs statements on a connection, whose thread this is."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def run(self, sql: str, values: Mapping[str, ColumnValue]) -> None:
        """Execute a statement."""
        self._connection.execute(sql, values)

    def change(self, sql: str, values: Mapping[str, ColumnValue]) -> int:
        """Execute a statement and return how many rows it changed."""
        self._connection.execute(sql, values)
        return self._connection.changes()

    def run_many(self, sql: str, rows: Iterable[Mapping[str, ColumnValue]]) -> None:
        """Execute a statement once for each row of values."""
        self._connection.executemany(sql, rows)

    def query(self, sql: str, values: Mapping[str, ColumnValue]) -> QueryResult:
        """Execute a statement and return its rows with the names of their columns."""
        cursor = self._connection.execute(sql, values)
        try:
            columns = tuple(column[0] for column in cursor.get_description())
        except apsw.ExecutionCompleteError:  # how apsw says that there are no rows
            return QueryResult((), [])
        # All rows come first: a statement left open by a row that cannot be read would hold up every write.
        return QueryResult(columns, cast("list[Row]", cursor.fetchall()))

    def rows(self, sql: str, values: Mapping[str, ColumnValue]) -> list[Row]:
        """Execute a statement and return its rows."""
        return cast("list[Row]", self._connection.execute(sql, values).fetchall())

    def pack(self, text: str) -> bytes:
        """Return a long text compressed: SQLite keeps texts as they are."""
        return pack_text(text)

    def uptime(self) -> datetime:
        """Return how long the machine has been running: all processes on a file are on one machine."""
        return clock.uptime()

    def attempt(self, call: Callable[[], T]) -> T:
        """Run a function, all of whose statements are undone where it fails, and only they."""
        self._connection.execute("SAVEPOINT attempt")
        try:
            with translate_storage_errors(), translate_constraint_errors():
                result = call()
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK TO attempt; RELEASE attempt")
            raise
        self._connection.execute("RELEASE attempt")
        return result

    def acting_for(self, workspace: str) -> "SqliteStatements":
        """Return the same transaction: there is one writer, and `Tx` binds whose rows are meant."""
        return self
