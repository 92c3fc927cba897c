"""Where words go: what was asked for to standard output, everything else to standard error."""

import re
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

import click

if TYPE_CHECKING:
    from rich.console import Console

#: All that moves a terminal's cursor or changes its state; models and titles may contain it.
CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class ProgressCallback(Protocol):
    """Is told how far something has come."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show that `done` of `total` is done."""
        ...


def strip_control_characters(text: str) -> str:
    """Return text that can only be read: no control characters but tab and line feed."""
    return CONTROL_CHARACTERS.sub("", text.replace("\r\n", "\n"))


def print_to_stderr(text: str) -> None:
    """Say something that is not the result."""
    click.echo(strip_control_characters(text), err=True)


def write_piece(text: str) -> None:
    """Write a piece of a reply at once; a terminal is spared what could steer it."""
    click.echo(strip_control_characters(text) if sys.stdout.isatty() else text, nl=False)
    sys.stdout.flush()


def console(*, err: bool = False) -> "Console":
    """Return the terminal."""
    from tertulia.cli.pipe_console import PipeConsole  # noqa: PLC0415 - not every command draws

    return PipeConsole(stderr=err, highlight=False, markup=False, emoji=False)


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; where the output is no terminal, its cells with tabs between."""
    from rich import box  # noqa: PLC0415 - see `console`
    from rich.table import Table  # noqa: PLC0415 - see `console`
    from rich.text import Text  # noqa: PLC0415 - see `console`

    screen = console()
    if not screen.is_terminal:
        for row in rows:
            click.echo("\t".join(" ".join(strip_control_characters(cell).split()) for cell in row))
        return
    drawn = Table(*head, box=box.SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        drawn.add_row(*(Text(strip_control_characters(cell)) for cell in row))
    screen.print(drawn)


@contextmanager
def progress_bar(*, in_bytes: bool = False) -> Generator[ProgressCallback]:
    """Draw progress on standard error; nothing where that is no terminal. `in_bytes` counts bytes."""
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    amount = DownloadColumn() if in_bytes else MofNCompleteColumn()
    screen = console(err=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        amount,
        console=screen,
        transient=True,
        disable=not screen.is_terminal,
    )
    with bar:
        task = bar.add_task("", total=None)
        yield lambda step, done, total: bar.update(task, description=step, completed=done, total=total)
