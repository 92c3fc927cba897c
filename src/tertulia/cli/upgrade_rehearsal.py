"""Upgrading a copy of a SQLite database, and comparing it with what it was."""

import shutil
import time
from pathlib import Path

import apsw

from tertulia.cli.database_copy import copy_database, find_database_problems
from tertulia.cli.errors import FileUnreadable
from tertulia.cli.output import ProgressCallback
from tertulia.infra.db.errors import DiskFull
from tertulia.infra.db.sqlite.connection import open_connection
from tertulia.infra.db.sqlite.migration import list_pending, migrate
from tertulia.infra.db.sqlite.table_reader import SqliteTableReader
from tertulia.infra.db.table_digests import TableColumns, digest_tables, shared_columns
from tertulia.infra.db.upgrades import NOTHING_TO_REHEARSE, Rehearsal, list_changes
from tertulia.settings import Settings

REHEARSAL_FOLDER = "rehearsal"
#: The copy, and the write-ahead log of an upgrade that writes all of it anew.
REHEARSAL_SPACE_FACTOR = 2


def rehearse_upgrade(settings: Settings, *, report_progress: ProgressCallback) -> Rehearsal:
    """Upgrade a copy of the database that lies beside it, compare the two, and delete the copy."""
    if not has_pending(settings):
        return NOTHING_TO_REHEARSE
    folder = settings.data_dir / REHEARSAL_FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    if shutil.disk_usage(settings.data_dir).free < REHEARSAL_SPACE_FACTOR * settings.database.stat().st_size:
        raise DiskFull
    folder.mkdir(mode=0o700)
    try:
        began_at = time.perf_counter()
        copy_database(
            settings.database,
            folder / settings.database.name,
            report_progress=report_progress,
            busy_seconds=settings.busy_seconds,
        )
        copied_at = time.perf_counter()
        return upgrade_copy(folder / settings.database.name, copy_seconds=copied_at - began_at)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def has_pending(settings: Settings) -> bool:
    """Tell whether the database lacks migrations; raise where it had one that we do not know."""
    connection = open_connection(settings.database, busy_seconds=settings.busy_seconds)
    try:
        return bool(list_pending(connection))
    finally:
        connection.close()


def upgrade_copy(path: Path, *, copy_seconds: float) -> Rehearsal:
    """Upgrade a database that nobody else uses, and say what that did."""
    connection = open_connection(path, busy_seconds=0)
    try:
        pending = [number for number, _ in list_pending(connection)]
        reader = SqliteTableReader(connection)
        columns_before, columns_after = reader.read_columns(), read_newest_columns()
        shared = shared_columns(columns_before, columns_after)
        before = digest_tables(reader, shared)
        rows_removed = {table: reader.count_rows(table) for table in columns_before.keys() - shared.keys()}
        began_at = time.perf_counter()
        migrate(connection)
        upgrade_seconds = time.perf_counter() - began_at
        after = digest_tables(reader, shared)
        rows_added = {table: reader.count_rows(table) for table in columns_after.keys() - shared.keys()}
    finally:
        connection.close()
    if problems := find_database_problems(path):
        raise FileUnreadable(f"The upgraded copy is not sound ({problems[0]}). The original was not touched.")
    changes = list_changes(before, after, removed=rows_removed, added=rows_added)
    return Rehearsal(pending, changes, copy_seconds, upgrade_seconds)


def read_newest_columns() -> TableColumns:
    """Return the columns that every table has once all migrations are applied."""
    connection = apsw.Connection(":memory:")
    try:
        migrate(connection)
        return SqliteTableReader(connection).read_columns()
    finally:
        connection.close()
