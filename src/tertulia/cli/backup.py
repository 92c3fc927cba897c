"""`tertulia backup`: a consistent copy of the data while the server runs."""

import os
import shutil
from pathlib import Path

import click

from tertulia.cli.database_copy import checksum, copy_database
from tertulia.cli.errors import FileUnreadable, InTheWay
from tertulia.cli.output import meter, note
from tertulia.settings import Settings

DATABASE = "tertulia.db"
KEY = "secret.key"
SUMS = "SHA256SUMS"


@click.command()
@click.argument("target", type=click.Path(file_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace a backup that is there.")
@click.option("--with-secret-key", is_flag=True, help="Copy the key that opens stored provider keys, too.")
def backup(target: Path, force: bool, with_secret_key: bool) -> None:
    """Copy the database into the folder TARGET, verify the copy and note its checksum.

    The server may run and be busy. To restore, stop it and put the files back
    into the data directory.
    """
    settings = Settings.from_env()
    if not settings.database.is_file():
        raise FileUnreadable(
            f"There is no database in {settings.data_dir}. Set TERTULIA_DATA_DIR to its folder."
        )
    wanted = [DATABASE, SUMS, *([KEY] if with_secret_key else [])]
    for name in wanted:
        if (target / name).exists() and not force:
            raise InTheWay(target / name)
    target.mkdir(mode=0o700, parents=True, exist_ok=True)
    with meter(size=True) as show:
        copy_database(settings.database, target / DATABASE, show=show, busy_seconds=settings.busy_seconds)
    if with_secret_key:
        copy_key(settings.data_dir / KEY, target / KEY)
    write_sums(target, [name for name in (DATABASE, KEY) if name in wanted])
    note("The copy was verified.")
    click.echo(str(target))


def copy_key(source: Path, target: Path) -> None:
    """Copy the secret key, for its owner's eyes only, and say what that means."""
    if not source.is_file():
        raise FileUnreadable(
            f"{source} is not there. If TERTULIA_SECRET_KEY holds the key, keep that instead."
        )
    target.unlink(missing_ok=True)
    with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        with source.open("rb") as key:
            shutil.copyfileobj(key, file)
        file.flush()
        os.fsync(file.fileno())
    note(f"Warning: with {KEY} beside it, whoever gets this backup can read every stored provider key.")


def write_sums(folder: Path, names: list[str]) -> None:
    """Note the checksums, as `sha256sum --check` reads them."""
    lines = [f"{checksum(folder / name)}  {name}\n" for name in names]
    (folder / SUMS).write_text("".join(lines), "utf-8")
