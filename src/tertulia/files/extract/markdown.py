"""Pieces of Markdown that several formats are written as."""

from collections.abc import Iterable, Sequence


def table_row(cells: Iterable[str]) -> str:
    """Return one row of a table."""
    return f"| {' | '.join(cell_text(cell) for cell in cells)} |"


def table_rule(columns: int) -> str:
    """Return the line between a table's header and its rows."""
    return f"|{' --- |' * columns}"


def render_markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose first row is the header."""
    header, *body = rows
    return "\n".join([table_row(header), table_rule(len(header)), *(table_row(cells) for cells in body)])


def cell_text(text: str) -> str:
    """Return text that stays within its cell."""
    return " ".join(text.split()).replace("|", "\\|")


def render_heading(level: int, text: str) -> str:
    """Return a heading of the level, of which Markdown knows six."""
    return f"{'#' * min(max(level, 1), 6)} {' '.join(text.split())}"
