"""Bringing a database to the newest schema: numbered SQL files, each applied once."""

import psycopg
from psycopg import errors

from tertulia.infra.db.errors import MigrationFailed
from tertulia.infra.db.migration_files import load_migration_files, pending_after
from tertulia.infra.db.postgres.errors import first_line
from tertulia.infra.db.statements import Row

#: The advisory lock that whoever migrates holds: any number that nothing else locks.
MIGRATION_LOCK_KEY = 7_258_304_611
APPLIED_TABLE_SQL = b"""CREATE TABLE IF NOT EXISTS schema_migrations (
    number BIGINT PRIMARY KEY,
    applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
)"""


def migrate(connection: psycopg.Connection[Row]) -> int:
    """Apply what is missing and return the schema's number; processes that start at once take turns.

    All of it is one transaction: a kill half-way leaves the schema as it was.
    """
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", [MIGRATION_LOCK_KEY])
        connection.execute("SET LOCAL client_min_messages = warning")
        connection.execute(APPLIED_TABLE_SQL)
        for number, script in list_pending(connection):
            apply_script(connection, number, script)
            connection.execute("INSERT INTO schema_migrations (number) VALUES (%s)", [number])
        return read_schema_number(connection)


def apply_script(connection: psycopg.Connection[Row], number: int, script: str) -> None:
    """Run one migration; say which it was where it does not fit the database."""
    try:
        connection.execute(script.encode())
    except (psycopg.OperationalError, errors.InsufficientPrivilege, errors.ReadOnlySqlTransaction):
        raise  # it is not for the script that this failed
    except psycopg.Error as error:
        raise MigrationFailed(number, error.diag.message_primary or first_line(error)) from error


def list_pending(connection: psycopg.Connection[Row]) -> list[tuple[int, str]]:
    """Return the migrations that a database has not had yet; raise where it had one that we do not know."""
    return pending_after(read_schema_number(connection), load_migrations())


def read_schema_number(connection: psycopg.Connection[Row]) -> int:
    """Return the number of the last migration that was applied, 0 where there is none."""
    [(is_new,)] = connection.execute("SELECT to_regclass('schema_migrations') IS NULL").fetchall()
    if is_new:
        return 0
    [(number,)] = connection.execute("SELECT coalesce(max(number), 0) FROM schema_migrations").fetchall()
    return int(number)


def load_migrations() -> list[tuple[int, str]]:
    """Return every migration's number and text, in order."""
    return load_migration_files("tertulia.infra.db.postgres")
