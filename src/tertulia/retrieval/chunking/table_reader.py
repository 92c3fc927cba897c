"""Tables by rows, below their header."""

import csv
import re

from tertulia.retrieval.chunking.domain import ChunkKind
from tertulia.retrieval.chunking.measured_lines import MeasuredLines, is_blank_row
from tertulia.retrieval.chunking.units import Unit

#: A quoted cell of more rows than this is a stray quote.
QUOTED_CELL_MAX_ROWS = 100
NUMERIC_ROW_PATTERN = re.compile(r"[\s\d.,:%+\-/€$£]*")
SHEET_NAME_PATTERN = re.compile(r"#{1,6} +(\S.*)")
TABLE_HEADER_MAX_CHARS = 300


class TableReader:
    """Reads tables window by window: the header and the sheet's name stay known."""

    def __init__(self, *, has_sheets: bool) -> None:
        self.has_sheets = has_sheets
        self.sheet: tuple[str, ...] = ()
        self.header: str | None = None

    def read(self, lines: MeasuredLines) -> list[Unit]:
        """Return the records of a table, each below its header; a sheet's name begins a section."""
        units: list[Unit] = []
        row = 0
        while row < len(lines):
            if is_blank_row(lines.rows[row]):
                row += 1
                continue
            unit = self.read_sheet_name(lines, row) or self.read_record(lines, row)
            units.append(unit)
            row = unit.last
        return units

    def read_sheet_name(self, lines: MeasuredLines, row: int) -> Unit | None:
        """Return a sheet's name when one stands here: the next row is its header."""
        named = SHEET_NAME_PATTERN.fullmatch(lines.rows[row].rstrip()) if self.has_sheets else None
        if not named or (row and not is_blank_row(lines.rows[row - 1])):
            return None
        self.sheet, self.header = (named[1],), None
        return Unit(row, row + 1, ChunkKind.TABLE, level=1)

    def read_record(self, lines: MeasuredLines, row: int) -> Unit:
        """Return one record, which may go over several rows when a cell is quoted."""
        last = record_end(lines, row)
        path = (*self.sheet, self.header) if self.header else self.sheet
        if self.header is None:
            self.header = table_header(lines.rows[row])
        return Unit(row, last, ChunkKind.TABLE, path=path)


def record_end(lines: MeasuredLines, row: int) -> int:
    """Return the row after a record: quotes that are open at its end go on in the next row."""
    if not lines.rows[row].count('"') % 2:
        return row + 1
    for last in range(row + 1, min(row + QUOTED_CELL_MAX_ROWS, len(lines))):
        if lines.rows[last].count('"') % 2:
            return last + 1
    return row + 1


def table_header(row: str) -> str:
    """Return a header's cells, or nothing when the row is one of numbers."""
    cells = [cell.strip() for cell in split_cells(row[:TABLE_HEADER_MAX_CHARS].lstrip("\ufeff"))]
    if all(NUMERIC_ROW_PATTERN.fullmatch(cell) for cell in cells):
        return ""
    return " | ".join(cell for cell in cells if cell)


def split_cells(row: str) -> list[str]:
    """Return a row's cells, whichever of the usual marks parts them."""
    mark = max("\t|;,", key=row.count)
    inside = row.strip().strip("|") if mark == "|" else row.replace("\0", " ").replace("\r", " ")
    if mark == "|":
        return inside.split("|")
    return [cell for cells in csv.reader([inside], delimiter=mark) for cell in cells]
