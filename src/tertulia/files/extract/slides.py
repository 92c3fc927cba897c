"""Slides: one section each, with title, body, tables and the speaker's notes."""

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tertulia.files.extract import markdown
from tertulia.files.extract.archive import markup_only
from tertulia.files.extract.domain import Limits
from tertulia.files.extract.sink import Sink, one_line


def read_slides(source: Path, sink: Sink, *, limits: Limits) -> None:
    """Write all slides; the first that has a title names the whole if nothing else does."""
    slim = markup_only(source, limits=limits)
    # Only this process needs the library, and only now.
    pptx: Any = importlib.import_module("pptx")
    presentation = pptx.Presentation(slim)
    sink.title = str(presentation.core_properties.title or "")
    for number, slide in enumerate(presentation.slides, start=1):
        sink.page(f"slide {number}")
        name = write_slide(slide, number, sink)
        sink.title = sink.title or name


def write_slide(slide: Any, number: int, sink: Sink) -> str:
    """Write one slide and return its title."""
    head = slide.shapes.title
    title = one_line(head.text_frame.text) if head is not None else ""
    sink.block(markdown.heading(1, title or f"Slide {number}"))
    for shape in shapes(slide.shapes):
        if head is None or shape.shape_id != head.shape_id:
            write_shape(shape, sink)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        write_notes(slide.notes_slide.notes_text_frame.text, sink)
    return title


def shapes(parent: Any) -> Iterator[Any]:
    """Yield all shapes, also those in groups."""
    for shape in parent:
        if hasattr(shape, "shapes"):
            yield from shapes(shape.shapes)
        else:
            yield shape


def write_shape(shape: Any, sink: Sink) -> None:
    """Write what a shape says, if it says something."""
    if getattr(shape, "has_table", False):
        rows = [[cell.text for cell in row.cells] for row in shape.table.rows]
        if rows:
            sink.block(markdown.table(rows))
    elif shape.has_text_frame and shape.text_frame.text.strip():
        sink.block("\n".join(paragraphs(shape.text_frame)))


def paragraphs(frame: Any) -> Iterator[str]:
    """Yield the paragraphs of a text, the deeper ones as items of a list."""
    for paragraph in frame.paragraphs:
        text = paragraph.text.replace("\v", "\n").strip()
        if text:
            yield f"{'  ' * (paragraph.level - 1)}- {text}" if paragraph.level else text


def write_notes(notes: str, sink: Sink) -> None:
    """Write the speaker's notes."""
    if notes.strip():
        sink.block(f"Notes: {notes.strip()}")
