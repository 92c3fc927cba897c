"""`tertulia upgrade`: the database brought to this program's schema, or a copy of it first."""

import click

from tertulia.cli.database_address import read_database_address
from tertulia.cli.output import print_table, print_to_stderr
from tertulia.infra.db.upgrades import Rehearsal, TableChange, Upgrade
from tertulia.settings import Settings


@click.command()
@click.option(
    "--rehearse", is_flag=True, help="Upgrade a copy only, and say what that did and how long it took."
)
def upgrade(rehearse: bool) -> None:
    """Bring the database to the schema of this program; with SQLite while no server runs.

    `tertulia serve` does the same at its start. With --rehearse, which may run
    beside a server, a copy is upgraded and compared with what it was, table by
    table; nothing else changes.
    """
    settings = Settings.from_env()
    address = read_database_address(settings)
    address.check_there()
    if rehearse:
        print_rehearsal(address.rehearse_upgrade(settings))
    else:
        print_upgrade(address.upgrade(settings))


def print_upgrade(upgraded: Upgrade) -> None:
    """Say from which schema to which a database was brought."""
    if upgraded.before == upgraded.after:
        print_to_stderr(f"Schema {upgraded.after} is up to date: there is nothing to do.")
    else:
        print_to_stderr(
            f"Upgraded from schema {upgraded.before} to {upgraded.after} in {upgraded.seconds:.1f} s."
        )


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
