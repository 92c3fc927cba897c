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

#: Between two columns of a table, and around all of them.
TABLE_GAP_CHARS = 3
#: The last column is that of the longest texts, which may go on in the next line.
LAST_COLUMN_LEAST_CHARS = 12
#: An id is never cut; a longer word may be.
LONGEST_WORD_CHARS = 30


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
    from tertulia.cli.pipe_console import PipeConsole

    return PipeConsole(stderr=err, highlight=False, markup=False, emoji=False)


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table; where the output is no terminal, its cells with tabs between.

    A terminal too narrow for its columns gets a line for each cell that is not empty.
    """
    screen = console()
    if not screen.is_terminal:
        for row in rows:
            click.echo("\t".join(" ".join(strip_control_characters(cell).split()) for cell in row))
        return
    cells = [[strip_control_characters(cell) for cell in row] for row in rows]
    if not cells or least_table_width(head, cells) <= screen.width:
        draw_table(screen, head, cells)
    else:
        print_records(head, cells)


def least_table_width(head: Sequence[str], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide a table must be for no word in it to be cut; the last column holds long texts."""
    from rich.cells import cell_len

    *columns, _ = zip(head, *rows, strict=True)
    longest = [max(cell_len(word) for cell in column for word in cell.split() or [""]) for column in columns]
    widths = [*(min(width, LONGEST_WORD_CHARS) for width in longest), LAST_COLUMN_LEAST_CHARS]
    return sum(widths) + TABLE_GAP_CHARS * len(widths)


def draw_table(screen: "Console", head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Draw a table. A column of single words stays as wide as they are: others go on in the next line."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title, *column in zip(head, *rows, strict=True):
        whole = all(len(cell) <= LONGEST_WORD_CHARS and " " not in cell for cell in column)
        drawn.add_column(title, no_wrap=whole and any(column), overflow="fold")
    for row in rows:
        drawn.add_row(*map(Text, row))
    screen.print(drawn)


def print_records(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print each row as lines that say what is in which column, with an empty line between rows."""
    width = max(map(len, head))
    for number, row in enumerate(rows):
        if number:
            click.echo()
        for title, cell in zip(head, row, strict=True):
            if cell:
                click.echo(f"{title:<{width}}  {cell}")


@contextmanager
def progress_bar(*, in_bytes: bool = False) -> Generator[ProgressCallback]:
    """Draw progress on standard error; nothing where that is no terminal. `in_bytes` counts bytes."""
    from rich.progress import BarColumn, DownloadColumn, MofNCompleteColumn, Progress, TextColumn

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
