"""Loading whole tables into PostgreSQL: all of them, or nothing at all."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import sql

from tertulia.core.nul_characters import replace_nul
from tertulia.infra.db.postgres.migration import migrate
from tertulia.infra.db.postgres.row_security import secure_tables
from tertulia.infra.db.postgres.server_checks import check_server
from tertulia.infra.db.postgres.table_reader import PostgresTableReader, join_names
from tertulia.infra.db.postgres.tool_connection import connect_tool
from tertulia.infra.db.statements import Row

FOREIGN_KEYS_SQL = """SELECT c.conrelid::regclass::text, c.conname, pg_get_constraintdef(c.oid)
    FROM pg_constraint AS c WHERE c.contype = 'f' AND c.connamespace = current_schema()::regnamespace"""
FORCED_TABLES_SQL = """SELECT relname FROM pg_class
    WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relforcerowsecurity"""
TRIGGERED_TABLES_SQL = """SELECT DISTINCT t.tgrelid::regclass::text FROM pg_trigger AS t
    JOIN pg_class AS c ON c.oid = t.tgrelid
    WHERE NOT t.tgisinternal AND c.relnamespace = current_schema()::regnamespace"""
IDENTITY_COLUMNS_SQL = """SELECT c.relname, a.attname FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attidentity <> ''
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'"""


class PostgresTableWriter(PostgresTableReader):
    """Writes whole tables within the transaction that a connection has open."""

    def to_storable(self, row: Row) -> Row:
        """Return a row as PostgreSQL can hold it: its texts take no NUL."""
        if not any(isinstance(value, str) and "\0" in value for value in row):
            return row
        return tuple(replace_nul(value) if isinstance(value, str) else value for value in row)

    def write_rows(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Insert rows into a table."""
        query = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
            sql.Identifier(table), join_names(columns)
        )
        with self._connection.cursor() as cursor, cursor.copy(query) as copy:
            copy.set_types(self.types_of(table, columns))
            for row in rows:
                copy.write_row(row)


@contextmanager
def load_tables(connection: psycopg.Connection[Row]) -> Generator[PostgresTableWriter]:
    """Let tables be filled in any order, in one transaction; nothing of it stays if anything fails.

    Meanwhile references are not checked, triggers write nothing beside what is copied, and row-level security
    does not hold for the owner of the tables, whom COPY would otherwise refuse. At the end all of that is as
    before, and all references are checked.
    """
    with connection.transaction():
        forced = [str(table) for (table,) in connection.execute(FORCED_TABLES_SQL).fetchall()]
        foreign_keys = connection.execute(FOREIGN_KEYS_SQL).fetchall()
        triggered = [str(table) for (table,) in connection.execute(TRIGGERED_TABLES_SQL).fetchall()]
        for table in triggered:
            alter_table(connection, table, "DISABLE TRIGGER USER")
        for table in forced:
            alter_table(connection, table, "NO FORCE ROW LEVEL SECURITY")
        for table, name, _ in foreign_keys:
            alter_table(connection, table, f'DROP CONSTRAINT "{name}"')
        yield PostgresTableWriter(connection)
        advance_sequences(connection)
        for table in triggered:
            alter_table(connection, table, "ENABLE TRIGGER USER")
        for table, name, definition in foreign_keys:
            alter_table(connection, table, f'ADD CONSTRAINT "{name}" {definition}')
        for table in forced:
            alter_table(connection, table, "FORCE ROW LEVEL SECURITY")


def alter_table(connection: psycopg.Connection[Row], table: str, change: str) -> None:
    """Change a table; both texts come from the schema."""
    connection.execute(f"ALTER TABLE {table} {change}".encode())


def advance_sequences(connection: psycopg.Connection[Row]) -> None:
    """Let the numbers that tables give out go on after the highest that is there."""
    for table, column in connection.execute(IDENTITY_COLUMNS_SQL).fetchall():
        query = sql.SQL(
            "SELECT setval(pg_get_serial_sequence({table_name}, {column_name}), max({column})) FROM {table}"
        )
        connection.execute(
            query.format(
                table_name=sql.Literal(table),
                column_name=sql.Literal(column),
                column=sql.Identifier(column),
                table=sql.Identifier(table),
            )
        )


@contextmanager
def fill_database(url: str) -> Generator[PostgresTableWriter]:
    """Bring a database to the newest schema and let its tables be filled: all of them, or nothing at all."""
    with connect_tool(url) as connection:
        check_server(connection)
        migrate(connection)
        secure_tables(connection)
        with load_tables(connection) as writer:
            yield writer
        connection.execute("ANALYZE")
