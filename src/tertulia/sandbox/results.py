"""What is believed of a worker's verdict: as much as fits its shape and the job's limits."""

from collections.abc import Mapping

from tertulia.sandbox.domain import MB, Figure, Job, Outcome, Status, Table
from tertulia.sandbox.errors import NameRefused
from tertulia.sandbox.frames import Done, Grid
from tertulia.sandbox.names import tool_name

PNG = b"\x89PNG\r\n\x1a\n"
MOST_FIGURES = 20
FIGURE_BYTES = 10 * MB
MOST_TEXT = 100_000
MOST_ROWS, MOST_COLUMNS, MOST_CELL = 200, 60, 1000
TOO_LARGE = "The tools take more room than the run was given, so this one is not kept."


def outcome(done: Done, *, job: Job, seconds: float) -> Outcome:
    """Return a worker's verdict as an outcome, without what cannot be right in it."""
    kept, refused = kept_tools(done.tools, job)
    pictures = [png for png in done.figures if png.startswith(PNG) and len(png) <= FIGURE_BYTES]
    return Outcome(
        Status(done.status),
        seconds,
        error=done.error[:MOST_TEXT],
        value=done.value[:MOST_TEXT],
        table=None if done.table is None else table(done.table),
        figures=tuple(map(Figure, pictures[:MOST_FIGURES])),
        tools=kept,
        refused=refused,
        removed=tuple(name for name in job.tools if name in set(done.removed)),
    )


def kept_tools(tools: Mapping[str, bytes], job: Job) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the tools that may be saved under their regular names, and why others may not."""
    kept: dict[str, bytes] = {}
    refused: dict[str, str] = {}
    room = job.limits.disk_bytes + sum(map(len, job.tools.values()))
    for name in sorted(tools):
        try:
            regular = tool_name(name)
        except NameRefused as error:
            refused[name[:MOST_CELL]] = error.message
            continue
        room -= len(tools[name])
        if room < 0 or len(kept) >= job.limits.files + len(job.tools):
            refused[regular] = TOO_LARGE
        else:
            kept[regular] = tools[name]
    return kept, refused


def table(grid: Grid) -> Table:
    """Return a table of bounded size."""
    rows = tuple(cells(row) for row in grid.rows[:MOST_ROWS])
    return Table(cells(grid.columns), rows, max(grid.rows_in_all, len(rows)))


def cells(texts: list[str]) -> tuple[str, ...]:
    """Return a row's texts, each of bounded length."""
    return tuple(text[:MOST_CELL] for text in texts[:MOST_COLUMNS])
