"""Spreadsheets: each sheet under its name, rows with tabs between their cells."""

import datetime
import importlib
import zipfile
from pathlib import Path
from typing import Any

from tertulia.files.extract.errors import FileTextCut, TextUnreadable
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.extract.office_archive import (
    COMPOUND_FILE_PREFIX,
    OFFICE_FILE_DAMAGED,
    OFFICE_FILE_ENCRYPTED,
    check_office_archive,
)
from tertulia.files.extract.text_sink import TextSink, to_one_line


def read_sheets(source: Path, sink: TextSink, *, limits: ExtractionLimits) -> None:
    """Write every sheet; a workbook has no title."""
    if not is_old_workbook(source):
        check_office_archive(source, limits=limits)
    # A compiled library that only this process needs, and only now.
    calamine: Any = importlib.import_module("python_calamine")
    long: list[str] = []
    try:
        with calamine.CalamineWorkbook.from_path(source) as book:
            for about in book.sheets_metadata:
                if about.typ == calamine.SheetTypeEnum.WorkSheet:
                    sheet = book.get_sheet_by_name(about.name)
                    write_sheet(about.name, sheet, sink, limits=limits)
                    long += [about.name] if sheet.height > limits.sheet_rows else []
    except (calamine.CalamineError, OSError, zipfile.BadZipFile, ValueError) as error:
        raise TextUnreadable(explain_open_error(calamine, error)) from error
    if long:
        raise FileTextCut(
            f"Only the first {limits.sheet_rows} rows of {', '.join(map(to_one_line, long[:5]))} were read."
        )


def explain_open_error(calamine: Any, error: Exception) -> str:
    """Say why a workbook does not open."""
    return (
        OFFICE_FILE_ENCRYPTED
        if isinstance(error, calamine.PasswordError) or "password" in str(error).lower()
        else OFFICE_FILE_DAMAGED
    )


def is_old_workbook(source: Path) -> bool:
    """Tell whether this is a workbook of before 2007, which is no archive."""
    with source.open("rb") as file:
        return file.read(len(COMPOUND_FILE_PREFIX)) == COMPOUND_FILE_PREFIX


def write_sheet(name: str, sheet: Any, sink: TextSink, *, limits: ExtractionLimits) -> None:
    """Write one sheet's rows, but for those without any content."""
    sink.begin_page(f'sheet "{name}"')
    sink.write_block(f"# {to_one_line(name)}")
    for number, cells in enumerate(sheet.iter_rows()):
        if number >= limits.sheet_rows:
            break
        line = "\t".join(cell_text(cell) for cell in cells).rstrip("\t")
        if line:
            sink.write_line(line)
    sink.write_line()


def cell_text(cell: object) -> str:
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
