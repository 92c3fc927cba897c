"""Loading whole tables into a new SQLite file, which appears only once it is whole."""

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from tertulia.infra.db.errors import StorageFailed
from tertulia.infra.db.sqlite.connection import open_connection, translate_storage_errors
from tertulia.infra.db.sqlite.migration import migrate
from tertulia.infra.db.sqlite.table_reader import SqliteTableReader
from tertulia.infra.db.statements import Row

#: Safe on disk is only the file as a whole, at its end: one that was not finished is thrown away.
DRAFT_PRAGMAS = ("journal_mode = OFF", "synchronous = OFF", "foreign_keys = OFF")


class SqliteTableWriter(SqliteTableReader):
    """Writes whole tables within the transaction that a connection has open."""

    def to_storable(self, row: Row) -> Row:
        """Return a row as SQLite can hold it, which is any."""
        return row

    def write_rows(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Insert rows into a table."""
        names = ", ".join(f'"{column}"' for column in columns)
        marks = ", ".join("?" * len(columns))
        self._connection.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', rows)


@contextmanager
def create_database_file(path: Path, *, schema: int | None = None) -> Generator[SqliteTableWriter]:
    """Let the tables of a new database be filled in any order; its file appears at the end, or not at all.

    `schema` is the number of an earlier schema that it is to have.
    """
    draft = path.with_name(f".{path.name}.part")
    draft.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with translate_storage_errors():
            connection = open_connection(draft, busy_seconds=0)
            try:
                yield from load_tables(connection, schema=schema)
            finally:
                connection.close()
        with draft.open("rb") as file:
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def load_tables(connection: apsw.Connection, *, schema: int | None) -> Generator[SqliteTableWriter]:
    """Make the tables, let them be filled, and raise where a reference then leads nowhere."""
    migrate(connection, until=schema)
    for pragma in DRAFT_PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("BEGIN")
    # What triggers write is copied like everything else.
    triggers = list(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"))
    for name, _ in triggers:
        connection.execute(f'DROP TRIGGER "{name}"')
    yield SqliteTableWriter(connection)
    for _, sql in triggers:
        connection.execute(str(sql))
    connection.execute("COMMIT")
    if dangling := list(connection.execute("PRAGMA foreign_key_check")):
        raise StorageFailed(f"the copy has {len(dangling)} references to rows that are not there")
