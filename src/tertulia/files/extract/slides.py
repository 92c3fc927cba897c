"""Slides: one section each, with title, body, tables and the speaker's notes."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tertulia.files.extract import markdown
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.extract.office_archive import copy_markup_only
from tertulia.files.extract.text_sink import TextSink, to_one_line


def read_slides(source: Path, sink: TextSink, *, limits: ExtractionLimits) -> None:
    """Write all slides; the first that has a title names the whole if nothing else does."""
    slim = copy_markup_only(source, limits=limits)
    # Only this process needs the library, and only now.
    pptx: Any = importlib.import_module("pptx")
    presentation = pptx.Presentation(slim)
    sink.title = str(presentation.core_properties.title or "")
    for number, slide in enumerate(presentation.slides, start=1):
        sink.begin_page(f"slide {number}")
        name = write_slide(slide, number, sink)
        sink.title = sink.title or name


def write_slide(slide: Any, number: int, sink: TextSink) -> str:
    """Write one slide and return its title."""
    head = slide.shapes.title
    title = to_one_line(head.text_frame.text) if head is not None else ""
    sink.write_block(markdown.render_heading(1, title or f"Slide {number}"))
    for shape in iterate_shapes(slide.shapes):
        if head is None or shape.shape_id != head.shape_id:
            write_shape(shape, sink)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        write_notes(slide.notes_slide.notes_text_frame.text, sink)
    return title


def iterate_shapes(parent: Any) -> Iterator[Any]:
    """Yield all shapes, also those in groups."""
    for shape in parent:
        if hasattr(shape, "shapes"):
            yield from iterate_shapes(shape.shapes)
        else:
            yield shape


def write_shape(shape: Any, sink: TextSink) -> None:
    """Write what a shape says, if it says something."""
    if getattr(shape, "has_table", False):
        rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
        if rows:
            sink.write_block(markdown.render_markdown_table(rows))
    elif shape.has_text_frame and shape.text_frame.text.strip():
        sink.write_block("\n".join(iterate_paragraphs(shape.text_frame)))


def iterate_paragraphs(frame: Any) -> Iterator[str]:
    """Yield the paragraphs of a text, the deeper ones as items of a list."""
    for paragraph in frame.paragraphs:
        text = paragraph.text.replace("\v", "\n").strip()
        if text:
            yield f"{'  ' * (paragraph.level - 1)}- {text}" if paragraph.level else text


def write_notes(notes: str, sink: TextSink) -> None:
    """Write the speaker's notes."""
    if notes.strip():
        sink.write_block(f"Notes: {notes.strip()}")
