"""Statements on a connection to PostgreSQL."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TypeVar

import psycopg
from psycopg import pq

from tertulia.infra.db.postgres.connection import is_lost
from tertulia.infra.db.postgres.dialect import Statement, to_postgres
from tertulia.infra.db.postgres.errors import CONFLICTS, translate_errors
from tertulia.infra.db.postgres.transaction import Transaction
from tertulia.infra.db.statements import ColumnValue, QueryResult, Row

T = TypeVar("T")


class PostgresStatements:
    """Runs statements within a transaction, whose thread this is, for a workspace or for housekeeping."""

    def __init__(self, transaction: Transaction, workspace: str) -> None:
        self._transaction = transaction
        self._workspace = workspace
        self._connection = transaction.connection

    def run(self, sql: str, values: Mapping[str, ColumnValue]) -> None:
        """Execute a statement, with the next that somebody waits for."""
        statement = self._prepare(sql, values)
        self._connection.post_statement(statement, statement.bind(values))

    def change(self, sql: str, values: Mapping[str, ColumnValue]) -> int:
        """Execute a statement and return how many rows it changed."""
        return self._execute(sql, values).command_tuples or 0

    def run_many(self, sql: str, rows: Iterable[Mapping[str, ColumnValue]]) -> None:
        """Execute a statement once for each row of values."""
        statement = to_postgres(sql)
        self._transaction.see(self._workspace)
        for row in rows:
            self._connection.post_statement(statement, statement.bind(row))

    def query(self, sql: str, values: Mapping[str, ColumnValue]) -> QueryResult:
        """Execute a statement and return its rows with the names of their columns."""
        result = self._execute(sql, values)
        columns = tuple((result.fname(place) or b"").decode() for place in range(result.nfields))
        return QueryResult(columns, self._connection.load_rows(result))

    def rows(self, sql: str, values: Mapping[str, ColumnValue]) -> list[Row]:
        """Execute a statement and return its rows."""
        return self._connection.load_rows(self._execute(sql, values))

    def pack(self, text: str) -> str:
        """Return a long text as it is: PostgreSQL compresses it."""
        return text

    def attempt(self, call: Callable[[], T]) -> T:
        """Run a function, all of whose statements are undone where it fails, and only they."""
        savepoint = self._transaction.set_savepoint()
        try:
            result = call()
            self._transaction.release()
        except BaseException as error:
            self._transaction.roll_back_to(savepoint)
            if not isinstance(error, psycopg.Error) or self._is_run_again(error):
                raise
            with translate_errors():
                raise
        return result

    def acting_for(self, workspace: str) -> "PostgresStatements":
        """Return the same transaction, limited to the rows of one workspace, in which no other writes."""
        self._transaction.lock(workspace)
        return PostgresStatements(self._transaction, workspace)

    def uptime(self) -> datetime:
        """Return the present moment by the server's clock, which all processes share."""
        return self._transaction.read_clock()

    def _is_run_again(self, error: psycopg.Error) -> bool:
        """Tell whether the whole transaction is run again after an error, of which nobody need hear."""
        return isinstance(error, CONFLICTS) or is_lost(self._connection, error)

    def _execute(self, sql: str, values: Mapping[str, ColumnValue]) -> pq.abc.PGresult:
        statement = self._prepare(sql, values)
        return self._connection.run_statement(statement, statement.bind(values))

    def _prepare(self, sql: str, values: Mapping[str, ColumnValue]) -> Statement:
        """Return a statement for these values, which will see the rows that it may."""
        self._transaction.see(self._workspace)
        nulls = [name for name, value in values.items() if value is None]
        return to_postgres(sql, frozenset(nulls)) if nulls else to_postgres(sql)
