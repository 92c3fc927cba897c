"""Looking into the database itself, from outside, whichever engine the tests run on."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw
import psycopg

from tests.databases import databases

Row = tuple[Any, ...]
#: What SQLite keeps for itself.
SKIPPED = ("sqlite_",)
SQLITE_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table'"
POSTGRES_TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename"


def check_integrity(path: Path) -> None:
    """Check that the file is whole and that every reference leads somewhere."""
    if databases.url(path):
        return  # PostgreSQL lets no reference lead nowhere, and its files are its own affair
    with closing(apsw.Connection(str(path))) as connection:
        assert list(connection.execute("PRAGMA integrity_check")) == [("ok",)]
        assert list(connection.execute("PRAGMA foreign_key_check")) == []


def rows(path: Path, sql: str, *values: str | float | None) -> list[Row]:
    """Return what a statement finds, its values marked by `?`; a server that writes is waited for."""
    if url := databases.url(path):
        with connect_to_all(url) as connection:
            found = connection.execute(sql.replace("%", "%%").replace("?", "%s").encode(), values)
            return found.fetchall() if found.description else []
    with closing(apsw.Connection(str(path))) as connection:
        connection.set_busy_timeout(10_000)
        return list(connection.execute(sql, values))


def tables_with(path: Path, part: str | bytes) -> dict[str, list[str]]:
    """Return every row that holds a text, or some bytes, in any column, by its table."""
    names = [str(row[0]) for row in rows(path, POSTGRES_TABLES if databases.url(path) else SQLITE_TABLES)]
    found: dict[str, list[str]] = {}
    for name in names:
        hits = [str(row) for row in rows(path, f"SELECT * FROM {name}") if is_in_row(part, row)]
        if hits and not name.startswith(SKIPPED):
            found[name] = hits
    return found


def is_in_row(part: str | bytes, row: Row) -> bool:
    """Tell whether a row holds a text, or some bytes."""
    if isinstance(part, str):
        return part in str(row)
    return any(isinstance(value, bytes) and part in value for value in row)


@contextmanager
def write_lock(path: Path) -> Generator[None]:
    """Keep everyone from writing, as another process would, until the block ends."""
    if url := databases.url(path):
        with connect_to_all(url, autocommit=False) as connection:
            tables = ", ".join(str(row[0]) for row in connection.execute(POSTGRES_TABLES).fetchall())
            connection.execute(f"LOCK TABLE {tables} IN EXCLUSIVE MODE".encode())
            yield
            connection.rollback()
        return
    with closing(apsw.Connection(str(path))) as connection:
        connection.set_busy_timeout(5000)
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")


@contextmanager
def connect_to_all(url: str, *, autocommit: bool = True) -> Generator[psycopg.Connection[Row]]:
    """Connect to PostgreSQL with all workspaces in sight."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET tertulia.workspace = '*'")
        connection.autocommit = autocommit
        yield connection
