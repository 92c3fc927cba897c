"""Bringing a database to the newest schema: numbered SQL files, each applied once."""

from collections.abc import Generator
from contextlib import contextmanager

import apsw

from tertulia.infra.db.errors import MigrationFailed
from tertulia.infra.db.migration_files import load_migration_files, pending_after
from tertulia.infra.db.sqlite.connection import translate_storage_errors

#: What a script raises that does not fit the database; a disk that is full, say, raises others.
UNFIT_SCRIPT_ERRORS = (apsw.SQLError, apsw.ConstraintError, apsw.MismatchError)


def migrate(connection: apsw.Connection, *, until: int | None = None) -> int:
    """Apply what is missing, in one transaction: a kill half-way leaves the schema as it was.

    `until` names an earlier schema than the newest to end with.
    """
    with translate_storage_errors(), foreign_keys_off(connection):
        connection.execute("BEGIN IMMEDIATE")  # two processes that start at once take turns
        try:
            apply_pending(connection, until=until)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    return int(connection.pragma("user_version"))


def apply_pending(connection: apsw.Connection, *, until: int | None) -> None:
    """Apply each migration that was not applied yet, and raise where a reference then leads nowhere."""
    pending = [
        (number, script) for number, script in list_pending(connection) if until is None or number <= until
    ]
    for number, script in pending:
        try:
            connection.execute(script)
        except UNFIT_SCRIPT_ERRORS as error:
            raise MigrationFailed(number, str(error)) from error
        connection.execute(f"PRAGMA user_version = {number}")
    if pending and (dangling := list(connection.execute("PRAGMA foreign_key_check"))):
        raise MigrationFailed(pending[-1][0], f"{len(dangling)} references would lead to rows that are gone")


def list_pending(connection: apsw.Connection) -> list[tuple[int, str]]:
    """Return the migrations that a database has not had yet; raise where it had one that we do not know."""
    return pending_after(int(connection.pragma("user_version")), load_migrations())


@contextmanager
def foreign_keys_off(connection: apsw.Connection) -> Generator[None]:
    """Let a table be rebuilt: with references enforced, dropping the old one would take what refers to it."""
    connection.pragma("foreign_keys", False)
    try:
        yield
    finally:
        connection.pragma("foreign_keys", True)


def load_migrations() -> list[tuple[int, str]]:
    """Return every migration's number and text, in order."""
    return load_migration_files("tertulia.infra.db.sqlite")
