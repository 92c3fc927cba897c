"""Spreadsheets: each sheet under its name, rows with tabs between their cells."""

import datetime
import importlib
import zipfile
from pathlib import Path
from typing import Any

from tertulia.files.extract.archive import COMPOUND, DAMAGED, SECRET, checked
from tertulia.files.extract.domain import Limits
from tertulia.files.extract.errors import Cut, Unreadable
from tertulia.files.extract.sink import Sink, one_line


def read_sheets(source: Path, sink: Sink, *, limits: Limits) -> None:
    """Write every sheet; a workbook has no title."""
    if not is_old(source):
        checked(source, limits=limits)
    # A compiled library that only this process needs, and only now.
    calamine: Any = importlib.import_module("python_calamine")
    long: list[str] = []
    try:
        with calamine.CalamineWorkbook.from_path(source) as book:
            for about in book.sheets_metadata:
                if about.typ == calamine.SheetTypeEnum.WorkSheet:
                    sheet = book.get_sheet_by_name(about.name)
                    write_sheet(about.name, sheet, sink, limits=limits)
                    long += [about.name] if sheet.height > limits.rows else []
    except (calamine.CalamineError, OSError, zipfile.BadZipFile, ValueError) as error:
        raise Unreadable(reason(calamine, error)) from error
    if long:
        raise Cut(f"Only the first {limits.rows} rows of {', '.join(map(one_line, long[:5]))} were read.")


def reason(calamine: Any, error: Exception) -> str:
    """Say why a workbook does not open."""
    return (
        SECRET if isinstance(error, calamine.PasswordError) or "password" in str(error).lower() else DAMAGED
    )


def is_old(source: Path) -> bool:
    """Tell whether this is a workbook of before 2007, which is no archive."""
    with source.open("rb") as file:
        return file.read(len(COMPOUND)) == COMPOUND


def write_sheet(name: str, sheet: Any, sink: Sink, *, limits: Limits) -> None:
    """Write one sheet's rows, but for those without any content."""
    sink.page(f'sheet "{name}"')
    sink.block(f"# {one_line(name)}")
    for number, cells in enumerate(sheet.iter_rows()):
        if number >= limits.rows:
            break
        line = "\t".join(cell_text(cell) for cell in cells).rstrip("\t")
        if line:
            sink.line(line)
    sink.line()


def cell_text(cell: Any) -> str:
    """Return a cell as people read it, on one line."""
    match cell:
        case bool():
            return "TRUE" if cell else "FALSE"
        case float() if cell.is_integer():
            return f"{cell:.0f}" if abs(cell) < 1e15 else repr(cell)
        case datetime.datetime() if cell.time() == datetime.time():
            return cell.date().isoformat()
        case datetime.datetime():
            return cell.isoformat(sep=" ")
        case str():
            return " ".join(cell.split())
        case _:
            return str(cell)
