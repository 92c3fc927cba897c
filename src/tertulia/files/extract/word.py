"""Word documents: headings, lists and tables in the order of the document."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tertulia.files.extract import markdown
from tertulia.files.extract.archive import markup_only
from tertulia.files.extract.domain import Limits
from tertulia.files.extract.sink import Sink
from tertulia.files.extract.word_lists import Lists

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
LEFT_OUT = frozenset({f"{W}del", f"{W}moveFrom", f"{W}instrText", FALLBACK})
SPACING = {f"{W}tab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
WRAPPERS = frozenset({f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins", f"{W}smartTag"})
HEADING = re.compile(r"heading ([1-9])$")


def read_document(source: Path, sink: Sink, *, limits: Limits) -> None:
    """Write the document's text."""
    slim = markup_only(source, limits=limits)
    # Only this process needs the library, and only now.
    docx: Any = importlib.import_module("docx")
    document = docx.Document(slim)
    levels, lists = heading_levels(document), Lists.of(document)
    sink.title = str(document.core_properties.title or "")
    for block in blocks(document.element.body):
        if block.tag == f"{W}tbl":
            write_table(block, sink)
        elif text := text_of(block).strip():
            level = level_of(block, levels)
            sink.title = sink.title or (text if level == 1 else "")
            write_paragraph(block, text, level, lists=lists, sink=sink)


def blocks(parent: Any) -> Iterator[Any]:
    """Yield paragraphs and tables, also those that a content control or a tracked insertion wraps."""
    for child in parent.iterchildren():
        if child.tag in {f"{W}p", f"{W}tbl"}:
            yield child
        elif child.tag in WRAPPERS:
            yield from blocks(child)


def write_paragraph(paragraph: Any, text: str, level: int | None, *, lists: Lists, sink: Sink) -> None:
    """Write a heading, an item of a list or plain prose."""
    if level is not None:
        sink.block(markdown.heading(level, text))
    elif item := lists.mark(paragraph):
        sink.line(f"{item}{' '.join(text.split())}")
    else:
        sink.block(text)


def write_table(table: Any, sink: Sink) -> None:
    """Write a table; one within a cell is read as that cell's text."""
    rows = [
        [cell_text(cell) for cell in unwrapped(line, f"{W}tc")] or [""] for line in unwrapped(table, f"{W}tr")
    ]
    if rows:
        sink.block(markdown.table(rows))


def unwrapped(parent: Any, tag: str) -> Iterator[Any]:
    """Yield the children of a kind, also those that something wraps."""
    for child in parent.iterchildren():
        if child.tag == tag:
            yield child
        elif child.tag in WRAPPERS:
            yield from unwrapped(child, tag)


def cell_text(cell: Any) -> str:
    """Return all text in a cell as one line."""
    return " ".join(text_of(paragraph) for paragraph in cell.iter(f"{W}p"))


def text_of(paragraph: Any) -> str:
    """Return a paragraph's text with links and insertions, without what was deleted."""
    return "".join(parts(paragraph))


def parts(element: Any) -> Iterator[str]:
    """Yield the pieces of text under an element."""
    for child in element.iterchildren():
        if child.tag in LEFT_OUT:
            continue
        if child.tag == f"{W}t":
            yield child.text or ""
        elif child.tag in SPACING:
            yield SPACING[child.tag]
        else:
            yield from parts(child)


def heading_levels(document: Any) -> dict[str, int]:
    """Return the heading level of every style that is one, or is based on one."""
    named: dict[str, str] = {}
    based: dict[str, str] = {}
    for style in document.styles.element.iterchildren(f"{W}style"):
        style_id = style.get(f"{W}styleId") or ""
        named[style_id] = value(style, "name").lower()
        based[style_id] = value(style, "basedOn")
    levels = {style_id: named_level(named, based, style_id) for style_id in named}
    return {style_id: level for style_id, level in levels.items() if level}


def named_level(named: dict[str, str], based: dict[str, str], style_id: str) -> int:
    """Follow what a style is based on up to one whose name says its level; 0 when none does."""
    for _ in range(10):
        name = named.get(style_id, "")
        if name == "title":
            return 1
        if match := HEADING.match(name):
            return int(match[1])
        style_id = based.get(style_id, "")
    return 0


def level_of(paragraph: Any, levels: dict[str, int]) -> int | None:
    """Return the paragraph's heading level: by style, or by outline level when set by hand."""
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        return None
    outline = value(properties, "outlineLvl")
    by_hand = int(outline) + 1 if outline.isdigit() and int(outline) < 9 else None
    return levels.get(value(properties, "pStyle")) or by_hand


def value(parent: Any, name: str) -> str:
    """Return the value of a child element, or nothing."""
    child = parent.find(f"{W}{name}")
    return "" if child is None else child.get(f"{W}val") or ""
