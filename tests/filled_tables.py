"""Databases with rows in every table, whatever tables there are."""

import shutil
from pathlib import Path

import apsw

from tertulia.infra.db.sqlite.table_reader import SqliteTableReader
from tests.databases import migrated_database

#: Equal in all columns, so that every reference leads somewhere; with what formats of rows stumble over.
ROW_TEXTS = ("ä\\N\t\n'\"", "ö\r\n\\.�{}😀")
#: Columns that take only certain values.
CHECKED_VALUES = {"status": "active", "role": "owner", "purpose": "setup"}
VALUES_BY_TYPE = {"REAL": 0.1, "BLOB": b"\0\xff'\\"}
#: Where numbers are kept as floating point, its last digit is lost.
LARGE_INTEGER = 9_007_199_254_740_993


def write_filled_database(path: Path) -> None:
    """Make a database of the newest schema that has two rows in every table which may have two."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(migrated_database(), path)
    connection = apsw.Connection(str(path))
    connection.execute("BEGIN")
    # They would write more, and refuse what belongs to somebody whose account has a day of deletion.
    triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        connection.execute(f'DROP TRIGGER "{name}"')
    for table in SqliteTableReader(connection).read_columns():
        columns = connection.execute("SELECT name, type FROM pragma_table_info(?)", (table,)).fetchall()
        for number, text in enumerate(ROW_TEXTS, start=1):
            row = {str(name): cell_value(str(name), str(type_), number, text) for name, type_ in columns}
            marks = ", ".join(f":{name}" for name in row)
            names = ", ".join(f'"{name}"' for name in row)
            if row.get("only", 1) == 1:
                connection.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', row)
    for _, sql in triggers:
        connection.execute(str(sql))
    connection.execute("COMMIT")
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def cell_value(column: str, type_: str, number: int, text: str) -> object:
    """Return something that a column may hold, the number of its row where that is an integer."""
    if column in CHECKED_VALUES:
        return CHECKED_VALUES[column]
    if column == "email":
        return text.lower()
    if type_ in ("INTEGER", "BIGINT"):
        return LARGE_INTEGER + number if column == "created_at" else number
    return VALUES_BY_TYPE.get(type_, text)
