"""PDF: page by page, in reading order as the pages' programs wrote it."""

import importlib
import re
from pathlib import Path
from typing import Any

from tertulia.files.extract.confinement import allow
from tertulia.files.extract.errors import TextUnreadable
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.extract.office_archive import OFFICE_FILE_ENCRYPTED
from tertulia.files.extract.text_sink import TextSink

PDF_DAMAGED = "The PDF is damaged or incomplete, so its text could not be read."
PDF_SCANNED = "The PDF holds pictures of pages but no text: have it recognised (OCR) to make it searchable."
#: What the library puts where a word was parted at the end of a line.
HYPHENATION_PATTERN = re.compile("[\ufffe\x02]\r?\n?")


def read_pdf(source: Path, sink: TextSink, *, limits: ExtractionLimits) -> None:
    """Write the text of every page."""
    # A compiled library without types, that only this process needs, and only now.
    pdfium: Any = importlib.import_module("pypdfium2")
    document = open_pdf(pdfium, source)
    sink.title = document.get_metadata_value("Title") or ""
    anything = False
    for number in range(len(document)):
        sink.begin_page(f"page {number + 1}")
        # An honest page takes milliseconds: one that takes seconds was made to.
        allow(limits.page_seconds)
        text = read_page_text(pdfium, document, number)
        anything = anything or bool(text)
        sink.write_block(text)
    if not anything:
        raise TextUnreadable(PDF_SCANNED)


def open_pdf(pdfium: Any, source: Path) -> Any:
    """Open the document, or say why it does not open."""
    try:
        return pdfium.PdfDocument(source)
    except pdfium.PdfiumError as error:
        raise TextUnreadable(
            OFFICE_FILE_ENCRYPTED if "password" in str(error).lower() else PDF_DAMAGED
        ) from error


def read_page_text(pdfium: Any, document: Any, number: int) -> str:
    """Return the text of one page; a page that is broken gives none."""
    try:
        page = document[number]
    except pdfium.PdfiumError:
        return ""
    text_page = page.get_textpage()
    try:
        return HYPHENATION_PATTERN.sub("", text_page.get_text_bounded()).strip()
    finally:
        text_page.close()
        page.close()
