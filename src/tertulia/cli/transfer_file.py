"""Files that commands write and read back, or the standard streams where a file is named `-`."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from tertulia.cli.atomic_file import write_atomically
from tertulia.cli.errors import InTheWay

STANDARD_STREAM = Path("-")

target_argument = click.argument("file", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path))
source_argument = click.argument(
    "file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
force_option = click.option("--force", is_flag=True, help="Replace a file that is there.")
owner_project_option = click.option(
    "--project", default=None, help="Those of a project, by its name or id; else your own."
)


def refuse_existing_file(file: Path, *, force: bool) -> None:
    """Raise where a file is there already that nobody wants replaced."""
    if file != STANDARD_STREAM and file.exists() and not force:
        raise InTheWay(file)


@contextmanager
def open_target(file: Path) -> Generator[BinaryIO]:
    """Open what is written to: standard output, or a file that appears once it is whole and is then named."""
    if file == STANDARD_STREAM:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    with write_atomically(file) as into:
        yield into
    click.echo(str(file))


def read_source(file: Path) -> bytes:
    """Return all that a file holds, or standard input brings."""
    return sys.stdin.buffer.read() if file == STANDARD_STREAM else file.read_bytes()
