"""Word documents: headings, lists and tables in the order of the document."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tertulia.files.extract import markdown
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.extract.office_archive import copy_markup_only
from tertulia.files.extract.text_sink import TextSink
from tertulia.files.extract.word_lists import WordLists
from tertulia.files.extract.xml_element import XmlElement

WORD_NAMESPACE = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
FALLBACK_TAG = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
SKIPPED_TAGS = frozenset(
    {f"{WORD_NAMESPACE}del", f"{WORD_NAMESPACE}moveFrom", f"{WORD_NAMESPACE}instrText", FALLBACK_TAG}
)
SPACING_TAGS = {
    f"{WORD_NAMESPACE}tab": "\t",
    f"{WORD_NAMESPACE}br": "\n",
    f"{WORD_NAMESPACE}cr": "\n",
    f"{WORD_NAMESPACE}noBreakHyphen": "-",
}
WRAPPER_TAGS = frozenset(
    {
        f"{WORD_NAMESPACE}sdt",
        f"{WORD_NAMESPACE}sdtContent",
        f"{WORD_NAMESPACE}customXml",
        f"{WORD_NAMESPACE}ins",
        f"{WORD_NAMESPACE}smartTag",
    }
)
HEADING_STYLE_PATTERN = re.compile(r"heading ([1-9])$")


def read_document(source: Path, sink: TextSink, *, limits: ExtractionLimits) -> None:
    """Write the document's text."""
    slim = copy_markup_only(source, limits=limits)
    # Only this process needs the library, and only now.
    docx: Any = importlib.import_module("docx")
    document = docx.Document(slim)
    levels, lists = heading_levels(document.styles.element), WordLists.of(document)
    sink.title = str(document.core_properties.title or "")
    for block in iterate_blocks(document.element.body):
        if block.tag == f"{WORD_NAMESPACE}tbl":
            write_table(block, sink)
        elif text := paragraph_text(block).strip():
            level = heading_level(block, levels)
            sink.title = sink.title or (text if level == 1 else "")
            write_paragraph(block, text, level, lists=lists, sink=sink)


def iterate_blocks(parent: XmlElement) -> Iterator[XmlElement]:
    """Yield paragraphs and tables, also those that a content control or a tracked insertion wraps."""
    for child in parent.iterchildren():
        if child.tag in {f"{WORD_NAMESPACE}p", f"{WORD_NAMESPACE}tbl"}:
            yield child
        elif child.tag in WRAPPER_TAGS:
            yield from iterate_blocks(child)


def write_paragraph(
    paragraph: XmlElement, text: str, level: int | None, *, lists: WordLists, sink: TextSink
) -> None:
    """Write a heading, an item of a list or plain prose."""
    if level is not None:
        sink.write_block(markdown.render_heading(level, text))
    elif item := lists.item_mark(paragraph):
        sink.write_line(f"{item}{' '.join(text.split())}")
    else:
        sink.write_block(text)


def write_table(table: XmlElement, sink: TextSink) -> None:
    """Write a table; one within a cell is read as that cell's text."""
    rows = [
        [cell_text(cell) for cell in iterate_unwrapped(line, f"{WORD_NAMESPACE}tc")] or [""]
        for line in iterate_unwrapped(table, f"{WORD_NAMESPACE}tr")
    ]
    if rows:
        sink.write_block(markdown.render_markdown_table(rows))


def iterate_unwrapped(parent: XmlElement, tag: str) -> Iterator[XmlElement]:
    """Yield the children of a kind, also those that something wraps."""
    for child in parent.iterchildren():
        if child.tag == tag:
            yield child
        elif child.tag in WRAPPER_TAGS:
            yield from iterate_unwrapped(child, tag)


def cell_text(cell: XmlElement) -> str:
    """Return all text in a cell as one line."""
    return " ".join(paragraph_text(paragraph) for paragraph in cell.iter(f"{WORD_NAMESPACE}p"))


def paragraph_text(paragraph: XmlElement) -> str:
    """Return a paragraph's text with links and insertions, without what was deleted."""
    return "".join(iterate_text(paragraph))


def iterate_text(element: XmlElement) -> Iterator[str]:
    """Yield the pieces of text under an element."""
    for child in element.iterchildren():
        if child.tag in SKIPPED_TAGS:
            continue
        if child.tag == f"{WORD_NAMESPACE}t":
            yield child.text or ""
        elif child.tag in SPACING_TAGS:
            yield SPACING_TAGS[child.tag]
        else:
            yield from iterate_text(child)


def heading_levels(styles: XmlElement) -> dict[str, int]:
    """Return the heading level of every style that is one, or is based on one."""
    named: dict[str, str] = {}
    based: dict[str, str] = {}
    for style in styles.iterchildren(f"{WORD_NAMESPACE}style"):
        style_id = style.get(f"{WORD_NAMESPACE}styleId") or ""
        named[style_id] = child_value(style, "name").lower()
        based[style_id] = child_value(style, "basedOn")
    levels = {style_id: level_by_style_name(named, based, style_id) for style_id in named}
    return {style_id: level for style_id, level in levels.items() if level}


def level_by_style_name(named: dict[str, str], based: dict[str, str], style_id: str) -> int:
    """Follow what a style is based on up to one whose name says its level; 0 when none does."""
    for _ in range(10):
        name = named.get(style_id, "")
        if name == "title":
            return 1
        if match := HEADING_STYLE_PATTERN.match(name):
            return int(match[1])
        style_id = based.get(style_id, "")
    return 0


def heading_level(paragraph: XmlElement, levels: dict[str, int]) -> int | None:
    """Return the paragraph's heading level: by style, or by outline level when set by hand."""
    properties = paragraph.find(f"{WORD_NAMESPACE}pPr")
    if properties is None:
        return None
    outline = child_value(properties, "outlineLvl")
    by_hand = int(outline) + 1 if outline.isdigit() and int(outline) < 9 else None
    return levels.get(child_value(properties, "pStyle")) or by_hand


def child_value(parent: XmlElement, name: str) -> str:
    """Return the value of a child element, or nothing."""
    child = parent.find(f"{WORD_NAMESPACE}{name}")
    return "" if child is None else child.get(f"{WORD_NAMESPACE}val") or ""
