"""Markdown by heading: blocks are kept whole where they fit, and know the headings they stand below."""

import re

from tertulia.retrieval.chunking.domain import CHUNK_MAX_TOKENS, ChunkKind
from tertulia.retrieval.chunking.measured_lines import MeasuredLines, indent_width, is_blank_row
from tertulia.retrieval.chunking.table_reader import table_header
from tertulia.retrieval.chunking.units import Unit

MARKDOWN_LANGUAGE = "markdown"
HEADING_ROW_PATTERN = re.compile(r"\ufeff? {0,3}(#{1,6})(?=[ \t\r]|$)(.*)")
HEADING_UNDERLINE_PATTERN = re.compile(r" {0,3}(=+|-+)[ \t\r]*")
#: These never step back (`*+`), so that no row can make them slow.
FENCE_ROW_PATTERN = re.compile(
    r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?(`{3,}+|~{3,}+)[ \t]*+\{?\.?([^\s`{}]*+)[^`]*+"
)
TABLE_DELIMITER_PATTERN = re.compile(r"[ \t>]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)*+\r?")
LIST_ITEM_ROW_PATTERN = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
FRONT_MATTER_END_PATTERN = re.compile(r"(?:---|\.\.\.)[ \t\r]*")
FRONT_MATTER_MAX_ROWS = 200
HEADING_TITLE_MAX_CHARS = 120


class MarkdownReader:
    """Reads Markdown window by window: open headings and an open fence stay known."""

    def __init__(self, *, fences_apart: bool = False) -> None:
        self.fences_apart = fences_apart
        self.headings: list[tuple[int, str]] = []
        self.open_fence_mark = ""
        self.language = ""
        self.has_begun = False

    def read(self, lines: MeasuredLines) -> list[Unit]:
        """Return the blocks of a window in order."""
        units: list[Unit] = []
        row = 0
        while row < len(lines):
            if is_blank_row(lines.rows[row]) and not self.open_fence_mark:
                row += 1
                continue
            found = self.read_block(lines, row)
            units += found
            row = found[-1].last
            self.has_begun = True
        return units

    def read_block(self, lines: MeasuredLines, row: int) -> list[Unit]:
        """Return the block that begins at `row`: almost always one unit."""
        text = lines.rows[row]
        lead = text.lstrip()[:1]
        if self.open_fence_mark or (
            lead and lead in "`~>-*+0123456789" and FENCE_ROW_PATTERN.fullmatch(text)
        ):
            return [self.read_fence(lines, row)]
        if lead in ("#", "\ufeff") and (heading := HEADING_ROW_PATTERN.fullmatch(text)):
            return [self.read_heading(row, row + 1, len(heading[1]), heading[2].strip().rstrip("#"))]
        if (
            not self.has_begun
            and text.rstrip() in ("---", "\ufeff---")
            and (end := front_matter_end(lines, row))
        ):
            return [self.prose_unit(row, end)]
        if "|" in text and is_table_start(lines, row):
            return self.read_table(lines, row)
        if LIST_ITEM_ROW_PATTERN.match(text):
            return [self.prose_unit(row, list_end(lines, row))]
        return [self.read_paragraph(lines, row)]

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The titles of the headings that are open, highest first."""
        return tuple(title for _, title in self.headings)

    def prose_unit(self, first: int, last: int) -> Unit:
        """Return rows as a block of prose below the open headings."""
        return Unit(first, last, ChunkKind.PROSE, MARKDOWN_LANGUAGE, self.heading_path)

    def read_heading(self, first: int, last: int, level: int, title: str) -> Unit:
        """Return a heading, and remember it for what follows."""
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        unit = Unit(first, last, ChunkKind.PROSE, MARKDOWN_LANGUAGE, self.heading_path, level)
        if title.strip():
            self.headings.append((level, title.strip()[:HEADING_TITLE_MAX_CHARS]))
        return unit

    def read_fence(self, lines: MeasuredLines, row: int) -> Unit:
        """Return a fenced block up to its end, or up to the window's end when it goes on after it."""
        first = row
        if not self.open_fence_mark:
            opening = FENCE_ROW_PATTERN.fullmatch(lines.rows[row])
            self.open_fence_mark, self.language = (opening[1], opening[2].lower()) if opening else ("```", "")
            row += 1
        language = self.language
        while row < len(lines) and not closes_fence(lines.rows[row], self.open_fence_mark):
            row += 1
        if row < len(lines):
            self.open_fence_mark = self.language = ""
        level = 1 if self.fences_apart else 0
        return Unit(first, min(row + 1, len(lines)), ChunkKind.CODE, language, self.heading_path, level)

    def read_table(self, lines: MeasuredLines, row: int) -> list[Unit]:
        """Return a table whole, or row by row below its header when it is too large."""
        last = row + 2
        while last < len(lines) and "|" in lines.rows[last]:
            last += 1
        if lines.estimate_tokens(row, last) <= CHUNK_MAX_TOKENS:
            return [Unit(row, last, ChunkKind.TABLE, MARKDOWN_LANGUAGE, self.heading_path)]
        head = Unit(row, row + 2, ChunkKind.TABLE, MARKDOWN_LANGUAGE, self.heading_path)
        below = (*self.heading_path, table_header(lines.rows[row]))
        rest = [
            Unit(line, line + 1, ChunkKind.TABLE, MARKDOWN_LANGUAGE, below) for line in range(row + 2, last)
        ]
        return [head, *rest]

    def read_paragraph(self, lines: MeasuredLines, row: int) -> Unit:
        """Return the rows up to a blank one or another block; underlined, they are a heading."""
        first = row
        row += 1
        while row < len(lines) and not is_blank_row(text := lines.rows[row]):
            if text[0] in " =-" and (line := HEADING_UNDERLINE_PATTERN.fullmatch(text)) and row - first <= 3:
                title = " ".join(lines.rows[first:row]).lstrip("\ufeff")
                return self.read_heading(first, row + 1, 1 if line[1][0] == "=" else 2, title)
            if interrupts_paragraph(text):
                break
            row += 1
        return self.prose_unit(first, row)


def closes_fence(row: str, mark: str) -> bool:
    """Return whether a row ends the fence that `mark` began."""
    end = row.strip(" \t\r>")
    return end.startswith(mark) and not end.strip(mark[0])


def interrupts_paragraph(text: str) -> bool:
    """Return whether a row begins another block in the middle of a paragraph."""
    lead = text.lstrip()[:1]
    if lead == "#":
        return bool(HEADING_ROW_PATTERN.fullmatch(text))
    return text[0] == "\f" or (lead in "`~" and bool(FENCE_ROW_PATTERN.fullmatch(text)))


def is_table_start(lines: MeasuredLines, row: int) -> bool:
    """Return whether a table begins here: a row of cells over a row of dashes."""
    return (
        row + 1 < len(lines)
        and "-" in lines.rows[row + 1]
        and bool(TABLE_DELIMITER_PATTERN.fullmatch(lines.rows[row + 1]))
    )


def list_end(lines: MeasuredLines, row: int) -> int:
    """Return the row after a list: what is set in, or is a further item, belongs to it."""
    outer = indent_width(lines.rows[row])
    row += 1
    while row < len(lines):
        text = lines.rows[row]
        if is_blank_row(text):
            following = next(
                (at for at in range(row, min(row + 3, len(lines))) if not is_blank_row(lines.rows[at])), -1
            )
            if following < 0 or not continues_list(lines.rows[following], outer):
                return row
        elif interrupts_paragraph(text):
            return row
        row += 1
    return row


def continues_list(text: str, outer: int) -> bool:
    """Return whether a row after a gap is still of the list."""
    return indent_width(text) > outer or bool(LIST_ITEM_ROW_PATTERN.match(text))


def front_matter_end(lines: MeasuredLines, row: int) -> int:
    """Return the row after the front matter that begins here, or 0 when it never ends."""
    for last in range(row + 1, min(row + FRONT_MATTER_MAX_ROWS, len(lines))):
        if FRONT_MATTER_END_PATTERN.fullmatch(lines.rows[last]):
            return last + 1
    return 0
