"""Turns a page's tags, as they come, into Markdown-like text."""

from collections.abc import Mapping

from tertulia.files.extract import markdown
from tertulia.files.extract.text_sink import TextSink

HIDDEN_TAGS = frozenset(
    {"script", "style", "noscript", "template", "svg", "math", "iframe", "object", "embed", "applet"}
    | {"canvas", "audio", "video", "select", "datalist", "head"}
)
HTML_HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}
BLOCK_TAGS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog"}
    | {"div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr"}
    | {"legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td"}
    | {"tfoot", "th", "thead", "tr", "ul", *HTML_HEADING_LEVELS}
)
TABLE_CELL_TAGS = frozenset({"td", "th", "tr"})
HTML_LIST_DEPTH_MAX = 8
LINE_BREAK_MARK = "\0"


class HtmlTextWriter:
    """Hears tags and text from a parser and writes what a reader would see."""

    def __init__(self, sink: TextSink) -> None:
        self.title = ""
        self._sink = sink
        self._inline: list[str] = []
        self._mark = ""
        self._hidden = 0
        self._in_title = 0
        self._verbatim = 0
        self._language = ""
        self._lists: list[int | None] = []
        self._tables: list[HtmlTable] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Hear that an element begins."""
        if tag == "title" and not self.title:
            self._in_title += 1
        if self._hidden or is_hidden_element(tag, attributes):
            self._hidden += 1
        elif self._verbatim:
            self._start_in_verbatim(tag, attributes)
        elif tag == "br":
            self._inline.append(LINE_BREAK_MARK)
        elif tag == "img":
            self._inline.append(f" {attributes.get('alt') or ''} ")
        elif tag in BLOCK_TAGS:
            self._start_block(tag)

    def end(self, tag: str) -> None:
        """Hear that an element ends."""
        if tag == "title" and self._in_title:
            self._in_title -= 1
        if self._hidden:
            self._hidden -= 1
        elif tag == "pre" and self._verbatim:
            self._end_verbatim()
        elif not self._verbatim and tag in BLOCK_TAGS:
            self._end_block(tag)

    def data(self, text: str) -> None:
        """Hear text between tags."""
        if self._in_title:
            self.title += text
        if not self._hidden:
            self._inline.append(text)

    def close(self) -> None:
        """Hear that the page ends."""
        self.finish()

    def finish(self) -> None:
        """Write what is still held, as when a page breaks off."""
        self._hidden = 0
        if self._verbatim:
            self._verbatim = 1
            self._end_verbatim()
        while self._tables:
            self._leave_table()
        self._flush()

    @property
    def _is_in_cell(self) -> bool:
        """Tell whether text goes into a table's cell."""
        return bool(self._tables) and self._tables[-1].is_cell_open

    def _start_block(self, tag: str) -> None:
        if tag == "table":
            self._enter_table()
        elif self._tables and tag in TABLE_CELL_TAGS:
            self._start_cell(tag)
        elif self._is_in_cell:
            self._inline.append(" ")
        else:
            self._flush()
            self._open(tag)

    def _start_cell(self, tag: str) -> None:
        if self._tables[-1].is_broken_up:
            self._flush()
        else:
            self._tables[-1].start(tag, self._take_text())

    def _open(self, tag: str) -> None:
        """Begin a block that stands by itself."""
        if tag in HTML_HEADING_LEVELS:
            self._mark = f"{'#' * HTML_HEADING_LEVELS[tag]} "
        elif tag in {"ul", "ol"}:
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._mark = self._next_item_mark()
        elif tag == "blockquote":
            self._mark = "> "
        elif tag == "pre":
            self._verbatim = 1

    def _next_item_mark(self) -> str:
        """Return the mark of the next item: a bullet, or its number."""
        depth = "  " * min(max(len(self._lists) - 1, 0), HTML_LIST_DEPTH_MAX)
        count = self._lists[-1] if self._lists else None
        if count is None:
            return f"{depth}- "
        self._lists[-1] = count + 1
        return f"{depth}{count + 1}. "

    def _end_block(self, tag: str) -> None:
        if tag == "table":
            self._leave_table()
        elif self._tables and tag in TABLE_CELL_TAGS:
            self._end_cell(tag)
        elif self._is_in_cell:
            self._inline.append(" ")
        else:
            self._flush()
            self._mark = ""
            if tag in {"ul", "ol"} and self._lists:
                self._lists.pop()
                if not self._lists:
                    self._sink.write_line()

    def _end_cell(self, tag: str) -> None:
        table = self._tables[-1]
        if table.is_broken_up:
            self._flush()
        elif tag == "tr":
            self._write_rows(table.end_row(self._take_text()))
        else:
            table.end_cell(self._take_text())

    def _enter_table(self) -> None:
        """Begin a table; one that holds another is layout, and is read as prose."""
        if self._is_in_cell:
            outer = self._tables[-1]
            for text in outer.break_up(self._take_text()):
                self._sink.write_block(text)
        self._flush()
        self._tables.append(HtmlTable())

    def _leave_table(self) -> None:
        if not self._tables:
            return
        table = self._tables.pop()
        if table.is_broken_up:
            self._flush()
        else:
            self._write_rows(table.end_row(self._take_text()))
        self._sink.write_line()

    def _write_rows(self, lines: list[str]) -> None:
        for line in lines:
            self._sink.write_line(line)

    def _start_in_verbatim(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "pre":
            self._verbatim += 1
        elif tag == "br":
            self._inline.append("\n")
        elif tag == "code":
            names = (attributes.get("class") or "").split()
            found = (name.removeprefix("language-") for name in names if name.startswith("language-"))
            self._language = next(found, self._language)

    def _end_verbatim(self) -> None:
        """Write a block of code between fences that it does not hold itself."""
        self._verbatim -= 1
        if self._verbatim:
            return
        text, self._inline = "".join(self._inline).strip("\n").rstrip(), []
        fence = "```" if "```" not in text else "~~~~~~"
        if text:
            self._sink.write_block(f"{fence}{self._language[:40]}\n{text}\n{fence}")
        self._language = ""

    def _take_text(self) -> str:
        """Take the text held so far, with single spaces and the page's own line breaks."""
        text, self._inline = "".join(self._inline), []
        return "\n".join(" ".join(line.split()) for line in text.split(LINE_BREAK_MARK)).strip()

    def _flush(self) -> None:
        """Write the text held so far as a block: a heading, an item or a paragraph."""
        text = self._take_text()
        if not text:
            return
        mark, self._mark = self._mark, ""
        if mark.startswith("#"):
            self._sink.write_block(mark + " ".join(text.split()))
        elif mark and not mark.startswith(">"):
            self._sink.write_line(mark + " ".join(text.split()))
        else:
            self._sink.write_block(mark + text)


class HtmlTable:
    """A table as it comes, row by row."""

    def __init__(self) -> None:
        self.is_broken_up = False
        self._cells: list[str] = []
        self._in_cell = False
        self._header_written = False

    @property
    def is_cell_open(self) -> bool:
        """Tell whether text belongs to a cell just now."""
        return self._in_cell and not self.is_broken_up

    def start(self, tag: str, before: str) -> None:
        """Begin a row or a cell; text before it belongs to the cell that was left open."""
        if tag == "tr":
            self._cells = []
            return
        self.end_cell(before)
        self._in_cell = True

    def end_cell(self, text: str) -> None:
        """Close a cell."""
        if self._in_cell or text:
            self._cells.append(text)
        self._in_cell = False

    def end_row(self, text: str) -> list[str]:
        """Close a row and return the lines that it makes."""
        self.end_cell(text)
        cells, self._cells = self._cells, []
        if not any(cells):
            return []
        if self._header_written:
            return [markdown.table_row(cells)]
        self._header_written = True
        return [markdown.table_row(cells), markdown.table_rule(len(cells))]

    def break_up(self, text: str) -> list[str]:
        """Give up being a table, and return the texts of the row at hand."""
        self.end_cell(text)
        cells, self._cells, self.is_broken_up = self._cells, [], True
        return [cell for cell in cells if cell]


def is_hidden_element(tag: str, attributes: Mapping[str, str]) -> bool:
    """Tell whether a browser would not show this element."""
    style = "".join((attributes.get("style") or "").lower().split())
    hidden = "display:none" in style or "visibility:hidden" in style
    return tag in HIDDEN_TAGS or "hidden" in attributes or hidden
