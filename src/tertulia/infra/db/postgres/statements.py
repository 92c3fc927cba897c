"""Statements on a connection to PostgreSQL."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, TypeVar

import psycopg

from tertulia.core.clock import from_ms
from tertulia.infra.db.postgres.connection import is_lost
from tertulia.infra.db.postgres.dialect import to_postgres
from tertulia.infra.db.postgres.errors import CONFLICTS, translate_errors
from tertulia.infra.db.postgres.transaction import Transaction
from tertulia.infra.db.statements import QueryResult, Row

T = TypeVar("T")
#: The moment itself, and not when the transaction began: it may have waited for a lock since.
PRESENT_MS_SQL = b"SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"


class PostgresStatements:
    """Runs statements within a transaction, whose thread this is, for a workspace or for housekeeping."""

    def __init__(self, transaction: Transaction, workspace: str) -> None:
        self._transaction = transaction
        self._workspace = workspace
        self._cursor = transaction.connection.cursor()

    def run(self, sql: str, values: Mapping[str, Any]) -> int:
        """Execute a statement and return how many rows it changed."""
        return max(0, self._execute(sql, values).rowcount)

    def run_many(self, sql: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Execute a statement once for each row of values."""
        statement = to_postgres(sql)
        self._transaction.see(self._workspace)
        self._cursor.executemany(statement.sql, [statement.bind(row) for row in rows])

    def query(self, sql: str, values: Mapping[str, Any]) -> QueryResult:
        """Execute a statement and return its rows with the names of their columns."""
        cursor = self._execute(sql, values)
        if cursor.description is None:
            return QueryResult((), [])
        return QueryResult(tuple(column.name for column in cursor.description), cursor.fetchall())

    def rows(self, sql: str, values: Mapping[str, Any]) -> list[Row]:
        """Execute a statement and return its rows."""
        cursor = self._execute(sql, values)
        return [] if cursor.description is None else cursor.fetchall()

    def attempt(self, call: Callable[[], T]) -> T:
        """Run a function, all of whose statements are undone where it fails, and only they."""
        savepoint = self._transaction.set_savepoint()
        try:
            result = call()
        except BaseException as error:
            self._transaction.roll_back_to(savepoint)
            if not isinstance(error, psycopg.Error) or self._is_run_again(error):
                raise
            with translate_errors():
                raise
        self._transaction.release()
        return result

    def acting_for(self, workspace: str) -> "PostgresStatements":
        """Return the same transaction, limited to the rows of one workspace, in which no other writes."""
        self._transaction.lock(workspace)
        return PostgresStatements(self._transaction, workspace)

    def uptime(self) -> datetime:
        """Return the present moment by the server's clock, which all processes share."""
        [(ms,)] = self._cursor.execute(PRESENT_MS_SQL).fetchall()
        return from_ms(int(ms))

    def _is_run_again(self, error: psycopg.Error) -> bool:
        """Tell whether the whole transaction is run again after an error, of which nobody need hear."""
        return isinstance(error, CONFLICTS) or is_lost(self._transaction.connection, error)

    def _execute(self, sql: str, values: Mapping[str, Any]) -> "psycopg.Cursor[Row]":
        nulls = [name for name, value in values.items() if value is None]
        statement = to_postgres(sql, frozenset(nulls)) if nulls else to_postgres(sql)
        self._transaction.see(self._workspace)
        return self._cursor.execute(statement.sql, statement.bind(values), prepare=statement.prepare)
