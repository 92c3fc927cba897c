"""`tertulia move`: all data copied to another database, SQLite's or PostgreSQL's."""

import time

import click

from tertulia.cli.database_address import (
    DATABASE_FILE_NAME,
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
    target.make_folder()
    with (
        source.keep_servers_away(),
        target.keep_servers_away(),
        row_progress() as show,
        source.open_reader(settings) as reader,
        target.open_writer() as writer,
    ):
        copied = copy_tables(reader, writer, report_progress=show)
        # What a server wrote since would be missing from the copy.
        source.check_unused()
    rows = sum(digest.rows for digest in copied.values())
    print_to_stderr(
        f"{rows:,} rows of {len(copied)} tables were copied from {source} to {target} and compared, in "
        f"{time.monotonic() - began_at:.0f} s. {source} is as it was."
    )
    print_to_stderr(describe_next_steps(target, settings))


def describe_next_steps(target: DatabaseAddress, settings: Settings) -> str:
    """Say what is still to be done by hand: the settings, the secret key and the large files."""
    blobs = settings.blobs or settings.data_dir / "blobs"
    return (
        f"{describe_address_step(target)} {describe_key_step(target, settings)} Large files stay in {blobs}. "
        "The index of words is made anew at the first start, from the chunks that were copied."
    )


def describe_address_step(target: DatabaseAddress) -> str:
    """Say by which setting servers find the new database."""
    if isinstance(target, PostgresAddress):
        return "Set DATABASE_URL to the new address."
    if target.path.name != DATABASE_FILE_NAME:
        return f"Unset DATABASE_URL, and put {target.path} into the data directory as {DATABASE_FILE_NAME}."
    return f"Unset DATABASE_URL, and set TERTULIA_DATA_DIR to {target.path.parent}."


def describe_key_step(target: DatabaseAddress, settings: Settings) -> str:
    """Say where servers have the key of stored secrets from."""
    key_file = settings.data_dir / "secret.key"
    if settings.provider_env.get(KEY_VARIABLE):
        return f"Keep {KEY_VARIABLE} as it is."
    if not isinstance(target, PostgresAddress):
        return f"The key of stored secrets stays in {key_file}."
    if key_file.is_file():
        return f"The key of stored secrets stays in {key_file}: set {KEY_VARIABLE} to what is in it."
    return f"No key of stored secrets was made yet: set {KEY_VARIABLE} to one from `openssl rand -hex 32`."
