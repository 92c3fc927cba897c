"""Runs inside the sandbox, around the code: its text is given to the interpreter there.

Whatever the code does to this module harms only the code's own report: the
server believes nothing of it that the code could not have printed as well.
"""

from __future__ import annotations

import ast
import json
import linecache
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:  # so that nothing is imported for types alone: it would take half of the time
    from typing import Any, TextIO

CODE_FILE_NAME = "<code>"
GUEST_REPORT_FOLDER = "/report"
GUEST_VALUE_MAX_CHARS = 50_000
GUEST_ERROR_MAX_CHARS = 20_000
GUEST_FIGURES_MAX = 20
GUEST_TABLE_MAX_ROWS, GUEST_TABLE_MAX_COLUMNS = 200, 50
#: The report's file, opened beforehand: the code may leave no room for one more open file.
report_files: list[TextIO] = []
PANDAS_DISPLAY_OPTIONS = ("display.max_rows", 60, "display.max_columns", 30, "display.width", 160)


def prepare(tools: str, scratch: str) -> None:
    """Make the interpreter ready for any code."""
    report_files.append(open(f"{GUEST_REPORT_FOLDER}/report.json", "w", encoding="utf-8"))  # noqa: SIM115 - closed by `run`
    sys.path.append(tools)
    os.chdir(scratch)
    # `plt.show()` has nobody to show to; every open figure is returned anyway.
    sys.warnoptions.append("ignore:FigureCanvasAgg is non-interactive")
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True)  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType] - the interpreter's own streams can


def run(source: str) -> None:
    """Run the code as a notebook's cell, and leave a report."""
    report: dict[str, Any] = {"error": "", "memory": False, "value": "", "table": None, "figures": 0}
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.argv = [CODE_FILE_NAME]
    linecache.cache[CODE_FILE_NAME] = (len(source), None, source.splitlines(keepends=True), CODE_FILE_NAME)
    try:
        value = evaluate(source, main.__dict__)
        if value is not None:
            report["value"], report["table"] = format_value(value), table_head(value)
        report["figures"] = save_figures()
    except SystemExit as exit_:
        if exit_.code not in (None, 0):
            report["error"] = f"SystemExit: {exit_.code}"
    except BaseException as error:  # noqa: BLE001 - whatever ends the code is its result
        report["error"], report["memory"] = format_error(error), isinstance(error, MemoryError)
    sys.stdout.flush()
    sys.stderr.flush()
    with report_files.pop() as report_file:
        json.dump(report, report_file)


def evaluate(source: str, names: dict[str, Any]) -> Any:
    """Run the code and return the value of its last expression."""
    tree = ast.parse(source, CODE_FILE_NAME)
    final = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, CODE_FILE_NAME, "exec"), names)  # noqa: S102 - this is the sandbox
    if not isinstance(final, ast.Expr):
        return None
    return eval(compile(ast.Expression(final.value), CODE_FILE_NAME, "eval"), names)  # noqa: S307 - as above


def format_error(error: BaseException) -> str:
    """Return the traceback without our own frames, its end if it is long."""
    import traceback  # noqa: PLC0415 - takes longer than everything else here

    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != CODE_FILE_NAME:
        trace = trace.tb_next
    return "".join(traceback.format_exception(type(error), error, trace))[-GUEST_ERROR_MAX_CHARS:]


def format_value(value: Any) -> str:
    """Return a value as text, tables with more room than a terminal gives."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, (pandas.DataFrame, pandas.Series)):
        with pandas.option_context(*PANDAS_DISPLAY_OPTIONS):
            return repr(value)[:GUEST_VALUE_MAX_CHARS]
    return repr(value)[:GUEST_VALUE_MAX_CHARS]


def table_head(value: Any) -> dict[str, Any] | None:
    """Return the beginning of a table as texts."""
    pandas = sys.modules.get("pandas")
    if pandas is None or not isinstance(value, (pandas.DataFrame, pandas.Series)):
        return None
    frame = value.to_frame() if isinstance(value, pandas.Series) else value
    part = frame.iloc[:GUEST_TABLE_MAX_ROWS, :GUEST_TABLE_MAX_COLUMNS]
    index = [str(name or "") for name in part.index.names]
    keys = part.index.to_frame().itertuples(index=False, name=None)
    values = part.itertuples(index=False, name=None)
    rows = [[*map(str, key), *map(str, row)] for key, row in zip(keys, values, strict=True)]
    columns = index + [str(name) for name in part.columns]
    return {"columns": columns, "rows": rows, "rows_in_all": len(frame)}


def save_figures() -> int:
    """Save every open figure; return how many there are."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return 0
    numbers = pyplot.get_fignums()[:GUEST_FIGURES_MAX]
    for place, number in enumerate(numbers):
        pyplot.figure(number).savefig(f"{GUEST_REPORT_FOLDER}/{place}.png", format="png", bbox_inches="tight")
    return len(numbers)
