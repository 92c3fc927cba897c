"""`tertulia upgrade`: the database brought to this program's schema, or a copy of it first."""

import time

import click

from tertulia.cli.errors import FileUnreadable, ServerRunning
from tertulia.cli.output import print_table, print_to_stderr, progress_bar
from tertulia.cli.server_lock import is_server_stopped
from tertulia.cli.upgrade_rehearsal import Rehearsal, TableChange, rehearse_upgrade
from tertulia.infra.db.sqlite.connection import open_connection
from tertulia.infra.db.sqlite.migration import list_pending, migrate
from tertulia.settings import Settings


@click.command()
@click.option(
    "--rehearse", is_flag=True, help="Upgrade a copy only, and say what that did and how long it took."
)
def upgrade(rehearse: bool) -> None:
    """Bring the database to the schema of this program, while no server runs.

    `tertulia serve` does the same at its start. With --rehearse, which may run
    beside a server, a copy is upgraded and compared with what it was, table by
    table; nothing else changes.
    """
    settings = Settings.from_env()
    if not settings.database.is_file():
        raise FileUnreadable(
            f"There is no database in {settings.data_dir}. Set TERTULIA_DATA_DIR to its folder."
        )
    if rehearse:
        with progress_bar(in_bytes=True) as show:
            print_rehearsal(rehearse_upgrade(settings, report_progress=show))
    else:
        upgrade_database(settings)


def upgrade_database(settings: Settings) -> None:
    """Apply what is missing, and say what that was."""
    if not is_server_stopped(settings.data_dir):
        raise ServerRunning(settings.data_dir)
    connection = open_connection(settings.database, busy_seconds=settings.busy_seconds)
    try:
        pending = [number for number, _ in list_pending(connection)]
        began_at = time.perf_counter()
        number = migrate(connection)
    finally:
        connection.close()
    if pending:
        print_to_stderr(
            f"Upgraded from schema {pending[0] - 1} to {number} in {time.perf_counter() - began_at:.1f} s."
        )
    else:
        print_to_stderr(f"Schema {number} is up to date: there is nothing to do.")


def print_rehearsal(rehearsal: Rehearsal) -> None:
    """Print what the upgrade of a copy changed, and how long it took."""
    if not rehearsal.pending:
        print_to_stderr("The schema is up to date: there is nothing to do.")
        return
    print_table(
        ("Table", "Rows before", "Rows after", "What becomes of them"),
        [
            (change.table, show_count(change.before), show_count(change.after), describe_change(change))
            for change in rehearsal.changes
        ],
    )
    print_to_stderr(
        f"A copy was upgraded from schema {rehearsal.pending[0] - 1} to {rehearsal.pending[-1]} in "
        f"{rehearsal.upgrade_seconds:.1f} s, after {rehearsal.copy_seconds:.1f} s of copying. "
        "It is sound, and was deleted again. `tertulia backup`, then `tertulia upgrade` do it for good."
    )


def show_count(rows: int | None) -> str:
    """Return a number of rows; nothing where there is no such table."""
    return "" if rows is None else f"{rows:,}"


def describe_change(change: TableChange) -> str:
    """Say in a word what an upgrade did to a table."""
    if change.before is None:
        return "new"
    if change.after is None:
        return "removed"
    return "kept" if change.is_same else "changed"
