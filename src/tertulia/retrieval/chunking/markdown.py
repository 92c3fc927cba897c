"""Markdown by heading: blocks are kept whole where they fit, and know the headings they stand below."""

import re

from tertulia.retrieval.chunking.domain import MOST, ChunkKind
from tertulia.retrieval.chunking.lines import Lines, blank, indent
from tertulia.retrieval.chunking.tables import header_of
from tertulia.retrieval.chunking.units import Unit

LANGUAGE = "markdown"
HEADING = re.compile(r"\ufeff? {0,3}(#{1,6})(?=[ \t\r]|$)(.*)")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t\r]*")
#: These never step back (`*+`), so that no row can make them slow.
FENCE = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?(`{3,}+|~{3,}+)[ \t]*+\{?\.?([^\s`{}]*+)[^`]*+")
DELIMITER = re.compile(r"[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)*+\r?")
ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
FRONT_END = re.compile(r"(?:---|\.\.\.)[ \t\r]*")
LONGEST_FRONT = 200
LONGEST_TITLE = 120


class MarkdownReader:
    """Reads Markdown window by window: open headings and an open fence stay known."""

    def __init__(self, *, fences_apart: bool = False) -> None:
        self.fences_apart = fences_apart
        self.headings: list[tuple[int, str]] = []
        self.mark = ""
        self.language = ""
        self.begun = False

    def read(self, lines: Lines) -> list[Unit]:
        """Return the blocks of a window in order."""
        units: list[Unit] = []
        row = 0
        while row < len(lines):
            if blank(lines.rows[row]) and not self.mark:
                row += 1
                continue
            found = self.block(lines, row)
            units += found
            row = found[-1].last
            self.begun = True
        return units

    def block(self, lines: Lines, row: int) -> list[Unit]:
        """Return the block that begins at `row`: almost always one unit."""
        text = lines.rows[row]
        lead = text.lstrip()[:1]
        if self.mark or (lead and lead in "`~>-*+0123456789" and FENCE.fullmatch(text)):
            return [self.fence(lines, row)]
        if lead in ("#", "\ufeff") and (heading := HEADING.fullmatch(text)):
            return [self.heading(row, row + 1, len(heading[1]), heading[2].strip().rstrip("#"))]
        if not self.begun and text.rstrip() in ("---", "\ufeff---") and (end := front_end(lines, row)):
            return [self.unit(row, end)]
        if "|" in text and is_table(lines, row):
            return self.table(lines, row)
        if ITEM.match(text):
            return [self.unit(row, list_end(lines, row))]
        return [self.paragraph(lines, row)]

    @property
    def path(self) -> tuple[str, ...]:
        """The titles of the headings that are open, highest first."""
        return tuple(title for _, title in self.headings)

    def unit(self, first: int, last: int) -> Unit:
        """Return rows as a block of prose below the open headings."""
        return Unit(first, last, ChunkKind.PROSE, LANGUAGE, self.path)

    def heading(self, first: int, last: int, level: int, title: str) -> Unit:
        """Return a heading, and remember it for what follows."""
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        unit = Unit(first, last, ChunkKind.PROSE, LANGUAGE, self.path, level)
        if title.strip():
            self.headings.append((level, title.strip()[:LONGEST_TITLE]))
        return unit

    def fence(self, lines: Lines, row: int) -> Unit:
        """Return a fenced block up to its end, or up to the window's end when it goes on after it."""
        first = row
        if not self.mark:
            opening = FENCE.fullmatch(lines.rows[row])
            self.mark, self.language = (opening[1], opening[2].lower()) if opening else ("```", "")
            row += 1
        language = self.language
        while row < len(lines) and not closes(lines.rows[row], self.mark):
            row += 1
        if row < len(lines):
            self.mark = self.language = ""
        level = 1 if self.fences_apart else 0
        return Unit(first, min(row + 1, len(lines)), ChunkKind.CODE, language, self.path, level)

    def table(self, lines: Lines, row: int) -> list[Unit]:
        """Return a table whole, or row by row below its header when it is too large."""
        last = row + 2
        while last < len(lines) and "|" in lines.rows[last]:
            last += 1
        if lines.cost(row, last) <= MOST:
            return [Unit(row, last, ChunkKind.TABLE, LANGUAGE, self.path)]
        head = Unit(row, row + 2, ChunkKind.TABLE, LANGUAGE, self.path)
        below = (*self.path, header_of(lines.rows[row]))
        rest = [Unit(one, one + 1, ChunkKind.TABLE, LANGUAGE, below) for one in range(row + 2, last)]
        return [head, *rest]

    def paragraph(self, lines: Lines, row: int) -> Unit:
        """Return the rows up to a blank one or another block; underlined, they are a heading."""
        first = row
        row += 1
        while row < len(lines) and not blank(text := lines.rows[row]):
            if text[0] in " =-" and (line := UNDERLINE.fullmatch(text)) and row - first <= 3:
                title = " ".join(lines.rows[first:row]).lstrip("\ufeff")
                return self.heading(first, row + 1, 1 if line[1][0] == "=" else 2, title)
            if interrupts(text):
                break
            row += 1
        return self.unit(first, row)


def closes(row: str, mark: str) -> bool:
    """Return whether a row ends the fence that `mark` began."""
    end = row.strip(" \t\r>")
    return end.startswith(mark) and not end.strip(mark[0])


def interrupts(text: str) -> bool:
    """Return whether a row begins another block in the middle of a paragraph."""
    lead = text.lstrip()[:1]
    if lead == "#":
        return bool(HEADING.fullmatch(text))
    return text[0] == "\f" or (lead in "`~" and bool(FENCE.fullmatch(text)))


def is_table(lines: Lines, row: int) -> bool:
    """Return whether a table begins here: a row of cells over a row of dashes."""
    return (
        row + 1 < len(lines) and "-" in lines.rows[row + 1] and bool(DELIMITER.fullmatch(lines.rows[row + 1]))
    )


def list_end(lines: Lines, row: int) -> int:
    """Return the row after a list: what is set in, or is a further item, belongs to it."""
    outer = indent(lines.rows[row])
    row += 1
    while row < len(lines):
        text = lines.rows[row]
        if blank(text):
            following = next(
                (at for at in range(row, min(row + 3, len(lines))) if not blank(lines.rows[at])), -1
            )
            if following < 0 or not goes_on(lines.rows[following], outer):
                return row
        elif interrupts(text):
            return row
        row += 1
    return row


def goes_on(text: str, outer: int) -> bool:
    """Return whether a row after a gap is still of the list."""
    return indent(text) > outer or bool(ITEM.match(text))


def front_end(lines: Lines, row: int) -> int:
    """Return the row after the front matter that begins here, or 0 when it never ends."""
    for last in range(row + 1, min(row + LONGEST_FRONT, len(lines))):
        if FRONT_END.fullmatch(lines.rows[last]):
            return last + 1
    return 0
