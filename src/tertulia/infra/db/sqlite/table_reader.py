"""Reading whole tables out of SQLite."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import apsw

from tertulia.infra.db.packed_values import unpack_text
from tertulia.infra.db.sqlite.connection import translate_storage_errors
from tertulia.infra.db.statements import Row
from tertulia.infra.db.table_digests import TableColumns

#: Without views, and without an index of full text and the tables that stand behind it.
TABLES_SQL = """SELECT name FROM pragma_table_list
    WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY name"""
COLUMNS_SQL = "SELECT name FROM pragma_table_info(?) ORDER BY cid"
TEXT_COLUMNS_SQL = "SELECT name FROM pragma_table_info(?) WHERE type = 'TEXT'"


class SqliteTableReader:
    """Reads whole tables, row by row, packed texts as they were; for one moment, within a transaction."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def read_schema_number(self) -> int:
        """Return the number of the last migration that the database has had."""
        return int(self._connection.pragma("user_version"))

    def read_columns(self) -> TableColumns:
        """Return the columns of every table that holds rows of its own."""
        tables = [str(name) for (name,) in self._connection.execute(TABLES_SQL)]
        return {
            table: tuple(str(name) for (name,) in self._connection.execute(COLUMNS_SQL, (table,)))
            for table in tables
        }

    def count_rows(self, table: str) -> int:
        """Return how many rows a table has."""
        [(count,)] = self._connection.execute(f'SELECT count(*) FROM "{table}"')
        return int(str(count))

    def read_rows(self, table: str, columns: Sequence[str]) -> Generator[Row]:
        """Yield every row of a table, in any order."""
        names = ", ".join(f'"{column}"' for column in columns)
        texts = {str(name) for (name,) in self._connection.execute(TEXT_COLUMNS_SQL, (table,))}
        places = [place for place, column in enumerate(columns) if column in texts]
        rows = cast("Iterator[Row]", self._connection.execute(f'SELECT {names} FROM "{table}"'))
        yield from (unpack_row(row, places) for row in rows)


def unpack_row(row: Row, places: Sequence[int]) -> Row:
    """Return a row whose columns of text, at these places, hold none that is packed."""
    if not any(isinstance(row[place], bytes) for place in places):
        return row
    values = list(row)
    for place in places:
        if isinstance(values[place], bytes):
            values[place] = unpack_text(values[place])
    return tuple(values)


@contextmanager
def read_snapshot(path: Path, *, busy_seconds: float = 0) -> Generator[SqliteTableReader]:
    """Read one moment of a database, whatever is written to it meanwhile; nothing of its file changes."""
    with translate_storage_errors():
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        connection.set_busy_timeout(int(busy_seconds * 1000))
        try:
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            yield SqliteTableReader(connection)
            connection.execute("COMMIT")
        finally:
            connection.close()
