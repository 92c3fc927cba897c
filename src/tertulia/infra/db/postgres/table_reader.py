"""Reading whole tables out of PostgreSQL."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import sql

from tertulia.infra.db.postgres.migration import read_schema_number
from tertulia.infra.db.postgres.tool_connection import connect_tool
from tertulia.infra.db.statements import Row
from tertulia.infra.db.table_digests import TableColumns

COLUMNS_SQL = """SELECT c.relname, a.attname, a.atttypid FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attgenerated = ''
    ORDER BY c.relname, a.attnum"""


class PostgresTableReader:
    """Reads whole tables, row by row, within the transaction that a connection has open."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        self._connection = connection
        self._types = {
            (str(table), str(column)): int(type_)
            for table, column, type_ in connection.execute(COLUMNS_SQL).fetchall()
        }

    def read_schema_number(self) -> int:
        """Return the number of the last migration that the database has had."""
        return read_schema_number(self._connection)

    def read_columns(self) -> TableColumns:
        """Return the columns of every table that holds rows of its own."""
        columns: dict[str, tuple[str, ...]] = {}
        for table, column in self._types:
            columns[table] = (*columns.get(table, ()), column)
        return columns

    def count_rows(self, table: str) -> int:
        """Return how many rows a table has."""
        query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(table))
        [(count,)] = self._connection.execute(query).fetchall()
        return int(count)

    def read_rows(self, table: str, columns: Sequence[str]) -> Generator[Row]:
        """Yield every row of a table, in any order."""
        # As a query: a table under row-level security cannot be copied by its name.
        query = sql.SQL("COPY (SELECT {} FROM {}) TO STDOUT (FORMAT BINARY)").format(
            join_names(columns), sql.Identifier(table)
        )
        with self._connection.cursor() as cursor, cursor.copy(query) as copy:
            copy.set_types(self.types_of(table, columns))
            yield from copy.rows()

    def types_of(self, table: str, columns: Sequence[str]) -> list[int]:
        """Return the types of columns, as PostgreSQL numbers them."""
        return [self._types[table, column] for column in columns]


def join_names(names: Sequence[str]) -> sql.Composed:
    """Return a list of columns as SQL."""
    return sql.SQL(", ").join(map(sql.Identifier, names))


@contextmanager
def read_snapshot(url: str) -> Generator[PostgresTableReader]:
    """Read one moment of a database, whatever is written to it meanwhile."""
    with connect_tool(url) as connection:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield PostgresTableReader(connection)
        connection.execute("COMMIT")
