"""`tertulia restore`: a backup put back, into SQLite or PostgreSQL."""

import asyncio
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tertulia.cli.backup import CHECKSUMS_FILE_NAME, KEY_FILE_NAME
from tertulia.cli.blob_copy import BLOBS_FOLDER, open_blob_store, put_blobs
from tertulia.cli.database_address import DATABASE_FILE_NAME, read_database_address
from tertulia.cli.database_copy import checksum
from tertulia.cli.errors import FileUnreadable
from tertulia.cli.output import print_to_stderr, progress_bar
from tertulia.core.ids import new_id
from tertulia.files.blob_references import read_blob_references
from tertulia.files.spool import raise_disk_full
from tertulia.infra.db.server_facts import agree_on_fact, forget_fact
from tertulia.infra.db.sqlite.connection import open_connection, translate_storage_errors
from tertulia.infra.db.sqlite.migration import migrate
from tertulia.infra.db.sqlite.statements import SqliteStatements
from tertulia.infra.db.sqlite.table_reader import read_snapshot
from tertulia.infra.db.tx import Tx
from tertulia.infra.secrets import write_private_file
from tertulia.infra.shared_storage import BLOB_STORE_FACT
from tertulia.settings import KEY_VARIABLE, Settings


@click.command()
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
def restore(source: Path) -> None:
    """Put the backup in the folder SOURCE back, into the database that the settings name.

    No server may run, and that database must be empty. A backup of an earlier
    version is brought up to date on the way; the backup itself stays as it is.
    """
    settings = Settings.from_env()
    target = read_database_address(settings)
    check_backup(source)
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    with target.keep_servers_away(), TemporaryDirectory(dir=settings.data_dir, prefix=".restore-") as folder:
        target.check_empty()
        copy = Path(folder) / DATABASE_FILE_NAME
        mark = new_id("bst")
        with raise_disk_full():
            shutil.copyfile(source / DATABASE_FILE_NAME, copy)
            bring_up_to_date(copy, store_mark=mark)
            asyncio.run(restore_blobs(source, copy, settings, store_mark=mark))
        # Last, so that what is there by then is whole.
        target.fill_from_file(copy, settings)
    print_to_stderr(restore_secret_key(source / KEY_FILE_NAME, settings))
    print_to_stderr("The backup was restored.")
    click.echo(str(target))


def check_backup(folder: Path) -> None:
    """Raise unless every file of a backup is there and is what it was."""
    sums_path = folder / CHECKSUMS_FILE_NAME
    if not sums_path.is_file() or not (folder / DATABASE_FILE_NAME).is_file():
        raise FileUnreadable(
            f"{folder} holds no backup: it lacks {CHECKSUMS_FILE_NAME} or {DATABASE_FILE_NAME}."
        )
    sums = dict(line.split("  ", 1)[::-1] for line in sums_path.read_text("utf-8").splitlines())
    with progress_bar() as show:
        for done, (name, expected) in enumerate(sums.items(), start=1):
            if not (folder / name).is_file() or checksum(folder / name) != expected:
                raise FileUnreadable(f"{folder / name} is missing or damaged. Nothing was restored.")
            show("Checking", done, len(sums))


def bring_up_to_date(path: Path, *, store_mark: str) -> None:
    """Bring the copy of a database that nobody else uses to the newest schema, and to another blob store."""
    with translate_storage_errors():
        connection = open_connection(path, busy_seconds=0)
        try:
            migrate(connection)
            statements = SqliteStatements(connection)
            tx = Tx(statements, by=None, tenant_tables=frozenset(), checked_statements=set())
            # The files are put into the store of these settings, whichever they were in.
            forget_fact(tx, BLOB_STORE_FACT)
            agree_on_fact(tx, BLOB_STORE_FACT, store_mark)
        finally:
            connection.close()


async def restore_blobs(source: Path, database: Path, settings: Settings, *, store_mark: str) -> None:
    """Put the large files that a database names into the blob store, and a mark by which it is known."""
    with read_snapshot(database) as reader:
        references = read_blob_references(reader)
    blobs = open_blob_store(settings)
    await blobs.put_mark(store_mark)
    with progress_bar(in_bytes=True) as show:
        await put_blobs(
            blobs,
            references,
            source / BLOBS_FOLDER,
            scratch=database.parent,
            report_progress=show,
        )


def restore_secret_key(source: Path, settings: Settings) -> str:
    """Put the key of stored secrets where there is none, and say which key is used from now on."""
    path = settings.data_dir / KEY_FILE_NAME
    if settings.provider_env.get(KEY_VARIABLE):
        return f"{KEY_VARIABLE} must hold the key that was used when the backup was made."
    if path.exists():
        return f"{path} was there and is kept. It must be the one that was used when the backup was made."
    if not source.is_file():
        return (
            f"The backup has no {KEY_FILE_NAME}: put the old one into {settings.data_dir} before you start."
        )
    write_private_file(path, source.read_text("utf-8"))
    return f"{path} was restored."
