"""Tables by rows, below their header."""

import csv
import re

from tertulia.retrieval.chunking.domain import ChunkKind
from tertulia.retrieval.chunking.lines import Lines, blank
from tertulia.retrieval.chunking.units import Unit

#: A quoted cell of more rows than this is a stray quote.
LONGEST_CELL = 100
NUMBER = re.compile(r"[\s\d.,:%+\-/€$£]*")
SHEET = re.compile(r"#{1,6} +(\S.*)")
LONGEST_HEADER = 300


class TableReader:
    """Reads tables window by window: the header and the sheet's name stay known."""

    def __init__(self, *, sheets: bool) -> None:
        self.sheets = sheets
        self.sheet: tuple[str, ...] = ()
        self.header: str | None = None

    def read(self, lines: Lines) -> list[Unit]:
        """Return the records of a table, each below its header; a sheet's name begins a section."""
        units: list[Unit] = []
        row = 0
        while row < len(lines):
            if blank(lines.rows[row]):
                row += 1
                continue
            unit = self.sheet_at(lines, row) or self.record_at(lines, row)
            units.append(unit)
            row = unit.last
        return units

    def sheet_at(self, lines: Lines, row: int) -> Unit | None:
        """Return a sheet's name when one stands here: the next row is its header."""
        named = SHEET.fullmatch(lines.rows[row].rstrip()) if self.sheets else None
        if not named or (row and not blank(lines.rows[row - 1])):
            return None
        self.sheet, self.header = (named[1],), None
        return Unit(row, row + 1, ChunkKind.TABLE, level=1)

    def record_at(self, lines: Lines, row: int) -> Unit:
        """Return one record, which may go over several rows when a cell is quoted."""
        last = record_end(lines, row)
        path = (*self.sheet, self.header) if self.header else self.sheet
        if self.header is None:
            self.header = header_of(lines.rows[row])
        return Unit(row, last, ChunkKind.TABLE, path=path)


def record_end(lines: Lines, row: int) -> int:
    """Return the row after a record: quotes that are open at its end go on in the next row."""
    if not lines.rows[row].count('"') % 2:
        return row + 1
    for last in range(row + 1, min(row + LONGEST_CELL, len(lines))):
        if lines.rows[last].count('"') % 2:
            return last + 1
    return row + 1


def header_of(row: str) -> str:
    """Return a header's cells, or nothing when the row is one of numbers."""
    cells = [cell.strip() for cell in cells_of(row[:LONGEST_HEADER].lstrip("\ufeff"))]
    if all(NUMBER.fullmatch(cell) for cell in cells):
        return ""
    return " | ".join(cell for cell in cells if cell)


def cells_of(row: str) -> list[str]:
    """Return a row's cells, whichever of the usual marks parts them."""
    mark = max("\t|;,", key=row.count)
    inside = row.strip().strip("|") if mark == "|" else row.replace("\0", " ").replace("\r", " ")
    if mark == "|":
        return inside.split("|")
    return [cell for cells in csv.reader([inside], delimiter=mark) for cell in cells]
