"""Looking into the database itself, from outside."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import apsw

SKIPPED = ("sqlite_",)


def check_integrity(path: Path) -> None:
    """Check that the file is whole and that every reference leads somewhere."""
    with closing(apsw.Connection(str(path))) as connection:
        assert list(connection.execute("PRAGMA integrity_check")) == [("ok",)]
        assert list(connection.execute("PRAGMA foreign_key_check")) == []


def rows(path: Path, sql: str, *values: str | float | None) -> list[tuple[Any, ...]]:
    """Return what a statement finds; a server that writes just now is waited for."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.set_busy_timeout(10_000)
        return list(connection.execute(sql, values))


def tables_with(path: Path, text: str) -> dict[str, list[str]]:
    """Return every row that holds a text in any column, by its table."""
    found: dict[str, list[str]] = {}
    with closing(apsw.Connection(str(path))) as connection:
        names = [
            str(row[0]) for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
        ]
        for name in names:
            hits = [str(row) for row in connection.execute(f"SELECT * FROM {name}") if text in str(row)]
            if hits and not name.startswith(SKIPPED):
                found[name] = hits
    return found


@contextmanager
def write_lock(path: Path) -> Generator[None]:
    """Hold the database's write lock, as another process would, until the block ends."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.set_busy_timeout(5000)
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("ROLLBACK")
