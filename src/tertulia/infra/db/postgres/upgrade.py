"""Upgrading a PostgreSQL database, or a copy of it, in a schema and a transaction of its own."""

import time

import psycopg
from psycopg import sql

from tertulia.infra.db.postgres import migration
from tertulia.infra.db.postgres.row_security import secure_tables
from tertulia.infra.db.postgres.server_checks import check_server
from tertulia.infra.db.postgres.table_reader import PostgresTableReader, join_names
from tertulia.infra.db.postgres.table_writer import load_tables
from tertulia.infra.db.postgres.tool_connection import connect_tool
from tertulia.infra.db.statements import Row
from tertulia.infra.db.table_digests import TableColumns, digest_tables, shared_columns
from tertulia.infra.db.upgrades import NOTHING_TO_REHEARSE, Rehearsal, Upgrade, list_changes

REHEARSAL_SCHEMA = "tertulia_rehearsal"


def upgrade_database(url: str) -> Upgrade:
    """Bring a database to the newest schema."""
    with connect_tool(url) as connection:
        check_server(connection)
        before, began_at = migration.read_schema_number(connection), time.perf_counter()
        after = migration.migrate(connection)
        secure_tables(connection)
        return Upgrade(before, after, time.perf_counter() - began_at)


def rehearse_upgrade(url: str) -> Rehearsal:
    """Upgrade a copy of every table, compare it with the original, and undo all of it.

    Servers go on meanwhile: nothing of theirs is locked, and nothing of this is ever committed.
    """
    with connect_tool(url) as connection:
        if not migration.list_pending(connection):
            return NOTHING_TO_REHEARSE
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
        try:
            return upgrade_copy(connection)
        finally:
            connection.execute("ROLLBACK")


def upgrade_copy(connection: psycopg.Connection[Row]) -> Rehearsal:
    """Copy all tables into a schema beside theirs, upgrade that, and say what it did."""
    [(home,)] = connection.execute("SELECT current_schema()").fetchall()
    pending = migration.list_pending(connection)
    original = PostgresTableReader(connection)
    columns_before = {
        table: names for table, names in original.read_columns().items() if table != "schema_migrations"
    }
    began_at = time.perf_counter()
    copy_schema(connection, home=home, columns=columns_before)
    copied_at = time.perf_counter()
    for number, script in pending:
        migration.apply_script(connection, number, script)
    upgraded_at = time.perf_counter()
    copy = PostgresTableReader(connection)
    columns_after = copy.read_columns()
    shared = shared_columns(columns_before, columns_after)
    after = digest_tables(copy, shared)
    added = {table: copy.count_rows(table) for table in columns_after.keys() - shared.keys()}
    look_into(connection, home)
    before = digest_tables(original, shared)
    removed = {table: original.count_rows(table) for table in columns_before.keys() - shared.keys()}
    return Rehearsal(
        [number for number, _ in pending],
        list_changes(before, after, removed=removed, added=added),
        copy_seconds=copied_at - began_at,
        upgrade_seconds=upgraded_at - copied_at,
    )


def copy_schema(connection: psycopg.Connection[Row], *, home: str, columns: TableColumns) -> None:
    """Make the same tables in the schema of the rehearsal, and fill them with the rows of `home`."""
    applied = migration.read_schema_number(connection)
    connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(REHEARSAL_SCHEMA)))
    look_into(connection, REHEARSAL_SCHEMA, home)
    for number, script in migration.load_migrations():
        if number <= applied:
            connection.execute(script.encode())
    with load_tables(connection) as made:
        for table, names in made.read_columns().items():
            kept = tuple(name for name in names if name in columns.get(table, ()))
            connection.execute(
                sql.SQL("INSERT INTO {copy} ({names}) SELECT {names} FROM {original}").format(
                    copy=sql.Identifier(REHEARSAL_SCHEMA, table),
                    names=join_names(kept),
                    original=sql.Identifier(home, table),
                )
            )


def look_into(connection: psycopg.Connection[Row], *schemas: str) -> None:
    """Have names without a schema mean what is in these, the first of them first."""
    connection.execute(
        sql.SQL("SET LOCAL search_path = {}").format(sql.SQL(", ").join(map(sql.Identifier, schemas)))
    )
