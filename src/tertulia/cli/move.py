"""`tertulia move`: all data copied to another database, SQLite's or PostgreSQL's."""

import time

import click

from tertulia.cli.database_address import (
    DatabaseAddress,
    PostgresAddress,
    parse_database_address,
    read_database_address,
)
from tertulia.cli.output import print_to_stderr
from tertulia.cli.row_progress import row_progress
from tertulia.infra.db.table_copy import copy_tables
from tertulia.settings import KEY_VARIABLE, Settings


@click.command()
@click.option(
    "--to", "target_text", required=True, help="An empty database: postgresql://…, or the path of a new file."
)
@click.option(
    "--from", "source_text", help="The database to read; by default the one that the settings name."
)
def move(target_text: str, source_text: str | None) -> None:
    """Copy all data from SQLite to PostgreSQL or back, and verify the copy.

    No server may run on either. The source is only read and stays as it is; the
    target is filled in one transaction: whatever goes wrong, it stays empty.
    """
    settings = Settings.from_env()
    source = parse_database_address(source_text) if source_text else read_database_address(settings)
    target = parse_database_address(target_text)
    began_at = time.monotonic()
    with (
        source.keep_servers_away(),
        target.keep_servers_away(),
        row_progress() as show,
        source.open_reader(settings) as reader,
        target.open_writer() as writer,
    ):
        copied = copy_tables(reader, writer, report_progress=show)
    rows = sum(digest.rows for digest in copied.values())
    print_to_stderr(
        f"{rows:,} rows of {len(copied)} tables were copied from {source} to {target} and compared, in "
        f"{time.monotonic() - began_at:.0f} s. {source} is as it was."
    )
    print_to_stderr(describe_next_steps(target, settings))


def describe_next_steps(target: DatabaseAddress, settings: Settings) -> str:
    """Say what is still to be done by hand: the settings, the secret key and the large files."""
    blobs = settings.blobs or settings.data_dir / "blobs"
    key = (
        f"Keep {KEY_VARIABLE} as it is."
        if settings.provider_env.get(KEY_VARIABLE)
        else f"The key of stored secrets stays in {settings.data_dir / 'secret.key'}"
        + (f": set {KEY_VARIABLE} to what is in it." if isinstance(target, PostgresAddress) else ".")
    )
    where = (
        "Set DATABASE_URL to the new address."
        if isinstance(target, PostgresAddress)
        else f"Unset DATABASE_URL, and set TERTULIA_DATA_DIR to {target.path.parent}."
    )
    return (
        f"{where} {key} Large files stay in {blobs}. The index of words is made anew at the first start, "
        "from the chunks that were copied."
    )
