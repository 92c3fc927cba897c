"""`tertulia backup`: a consistent copy of the data while the server runs."""

import asyncio
import os
import shutil
from pathlib import Path

import click

from tertulia.cli.blob_copy import (
    BLOBS_FOLDER,
    copy_blobs,
    delete_unreferenced_copies,
    open_blob_store,
)
from tertulia.cli.database_address import DATABASE_FILE_NAME, DatabaseAddress, read_database_address
from tertulia.cli.database_copy import checksum
from tertulia.cli.errors import FileUnreadable, InTheWay
from tertulia.cli.output import print_to_stderr, progress_bar
from tertulia.files.blob_references import BlobReference, read_blob_references
from tertulia.infra.db.sqlite.table_reader import read_snapshot
from tertulia.infra.secrets import key_from_environment
from tertulia.settings import KEY_VARIABLE, Settings

KEY_FILE_NAME = "secret.key"
CHECKSUMS_FILE_NAME = "SHA256SUMS"
#: How often the database is copied again because files were deleted meanwhile.
BACKUP_ATTEMPTS_MAX = 5


@click.command()
@click.argument("target", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace a backup that is there.")
@click.option("--with-secret-key", is_flag=True, help="Copy the key that opens stored provider keys, too.")
@click.pass_context
def backup(ctx: click.Context, target: Path, force: bool, with_secret_key: bool) -> None:
    """Copy the database and all files into the folder TARGET, verify the copies and note their checksums.

    The server may run and be busy. Of PostgreSQL, too, the copy is a file of
    SQLite; `tertulia restore` puts it back into either. Exits with 1 when the
    blob store has lost a file: everything else is copied then.
    """
    settings = Settings.from_env()
    source = read_database_address(settings)
    source.check_there()
    check_target(
        target,
        settings,
        [DATABASE_FILE_NAME, CHECKSUMS_FILE_NAME, *([KEY_FILE_NAME] if with_secret_key else [])],
        force=force,
    )
    if with_secret_key:
        check_secret_key_file(settings)
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    named, lost = asyncio.run(copy_data(source, target, settings))
    sums = {DATABASE_FILE_NAME: checksum(target / DATABASE_FILE_NAME)}
    if with_secret_key and (settings.data_dir / KEY_FILE_NAME).is_file():
        copy_secret_key(settings.data_dir / KEY_FILE_NAME, target / KEY_FILE_NAME)
        sums[KEY_FILE_NAME] = checksum(target / KEY_FILE_NAME)
    write_checksums(
        target,
        sums
        | {
            f"{BLOBS_FOLDER}/{blob_reference.key}": blob_reference.hash
            for blob_reference in named
            if blob_reference not in lost
        },
    )
    for blob_reference in lost:
        print_to_stderr(
            f"{blob_reference.key} is missing from the blob store, or damaged there: it is not in the copy."
        )
    print_to_stderr("The copy was verified.")
    click.echo(str(target))
    ctx.exit(1 if lost else 0)


def check_target(target: Path, settings: Settings, names: list[str], *, force: bool) -> None:
    """Raise where a backup would overwrite something that it must not."""
    if target.resolve() == settings.data_dir.resolve():
        raise FileUnreadable("That is the data directory itself. Choose another folder.")
    for name in names:
        if (target / name).exists() and not force:
            raise InTheWay(target / name)


async def copy_data(
    source: DatabaseAddress, target: Path, settings: Settings
) -> tuple[list[BlobReference], list[BlobReference]]:
    """Copy the database and the blobs it names; return those, and the ones that could not be had.

    A file that is deleted while blobs are copied is no longer named by a newer
    copy of the database, so copying that again tells what is deleted from what is lost.
    """
    blobs = open_blob_store(settings)
    references, lost = list[BlobReference](), list[BlobReference]()
    for _ in range(BACKUP_ATTEMPTS_MAX):
        before = lost
        source.copy_to_file(target / DATABASE_FILE_NAME, settings)
        with read_snapshot(target / DATABASE_FILE_NAME) as reader:
            references = read_blob_references(reader)
        with progress_bar(in_bytes=True) as show:
            lost = await copy_blobs(blobs, references, target / BLOBS_FOLDER, report_progress=show)
        if not lost or lost == before:
            break
    delete_unreferenced_copies(target / BLOBS_FOLDER, references)
    return references, lost


def check_secret_key_file(settings: Settings) -> None:
    """Raise where the key is in no file that could be copied; say so where there is none yet."""
    path = settings.data_dir / KEY_FILE_NAME
    kept = path.read_text("utf-8").strip() if path.is_file() else None
    if key_from_environment(settings) not in ("", kept):
        raise FileUnreadable(
            f"The key is in {KEY_VARIABLE} and in no file. Leave out --with-secret-key, and keep that."
        )
    if kept is None:
        print_to_stderr(f"There is no {KEY_FILE_NAME} yet: it is made when the first provider key is stored.")


def copy_secret_key(source: Path, target: Path) -> None:
    """Copy the secret key, for its owner's eyes only, and say what that means."""
    target.unlink(missing_ok=True)
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        with source.open("rb") as key:
            shutil.copyfileobj(key, file)
        file.flush()
        os.fsync(file.fileno())
    print_to_stderr(
        f"Warning: with {KEY_FILE_NAME} beside it, whoever gets this backup can read "
        "every stored provider key."
    )


def write_checksums(folder: Path, sums: dict[str, str]) -> None:
    """Note the checksums, as `sha256sum --check` reads them."""
    lines = [f"{checked}  {name}\n" for name, checked in sums.items()]
    (folder / CHECKSUMS_FILE_NAME).write_text("".join(lines), "utf-8")
