"""What is believed of a worker's verdict: as much as fits its shape and the job's limits."""

from collections.abc import Mapping

from tertulia.core.byte_units import MEGABYTE_BYTES
from tertulia.core.image_header import PNG_MIME, detect_image_mime
from tertulia.sandbox.domain import RunFigure, RunOutcome, RunStatus, RunTable, SandboxJob
from tertulia.sandbox.errors import NameRefused
from tertulia.sandbox.frames import RunResult, TableFrame
from tertulia.sandbox.tool_names import normalise_tool_name

RUN_FIGURES_MAX = 20
RUN_FIGURE_MAX_BYTES = 10 * MEGABYTE_BYTES
RUN_TEXT_MAX_CHARS = 100_000
RUN_TABLE_MAX_ROWS, RUN_TABLE_MAX_COLUMNS, RUN_CELL_MAX_CHARS = 200, 60, 1000
SAVED_TOOLS_TOO_LARGE = "The tools take more room than the run was given, so this one is not kept."


def validate_result(result: RunResult, *, job: SandboxJob, seconds: float) -> RunOutcome:
    """Return a worker's verdict as an outcome, without what cannot be right in it."""
    kept, refused = validate_tools(result.tools, job)
    pictures = [
        png
        for png in result.figures
        if detect_image_mime(png) == PNG_MIME and len(png) <= RUN_FIGURE_MAX_BYTES
    ]
    return RunOutcome(
        RunStatus(result.status),
        seconds,
        error=result.error[:RUN_TEXT_MAX_CHARS],
        value=result.value[:RUN_TEXT_MAX_CHARS],
        table=None if result.table is None else bound_table(result.table),
        figures=tuple(map(RunFigure, pictures[:RUN_FIGURES_MAX])),
        tools=kept,
        refused=refused,
        removed=tuple(name for name in job.tools if name in set(result.removed)),
    )


def validate_tools(tools: Mapping[str, bytes], job: SandboxJob) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return the tools that may be saved under their regular names, and why others may not."""
    kept: dict[str, bytes] = {}
    refused: dict[str, str] = {}
    room = job.limits.disk_bytes + sum(map(len, job.tools.values()))
    for name in sorted(tools):
        try:
            regular = normalise_tool_name(name)
        except NameRefused as error:
            refused[name[:RUN_CELL_MAX_CHARS]] = error.message
            continue
        room -= len(tools[name])
        if room < 0 or len(kept) >= job.limits.files + len(job.tools):
            refused[regular] = SAVED_TOOLS_TOO_LARGE
        else:
            kept[regular] = tools[name]
    return kept, refused


def bound_table(grid: TableFrame) -> RunTable:
    """Return a table of bounded size."""
    rows = tuple(bound_cells(row) for row in grid.rows[:RUN_TABLE_MAX_ROWS])
    return RunTable(bound_cells(grid.columns), rows, max(grid.rows_in_all, len(rows)))


def bound_cells(texts: list[str]) -> tuple[str, ...]:
    """Return a row's texts, each of bounded length."""
    return tuple(text[:RUN_CELL_MAX_CHARS] for text in texts[:RUN_TABLE_MAX_COLUMNS])
