"""Web pages, read as people see them: no scripts, no styles, nothing hidden, no tree in memory."""

import importlib
import re
from pathlib import Path
from typing import Any

from tertulia.files.extract.errors import FileTextCut
from tertulia.files.extract.html_text import HtmlTextWriter
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.extract.text_decoder import check_encoding, decode_blocks
from tertulia.files.extract.text_sink import TextSink

WEBPAGE_DAMAGED = "The page's markup is damaged or nested too deeply: not all of its text was read."
CHARSET_HEAD_BYTES = 4096
CHARSET_PATTERN = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)


def read_webpage(source: Path, sink: TextSink, *, limits: ExtractionLimits) -> None:
    """Write the page's readable text."""
    del limits
    # A compiled library without types, that only this process needs, and only now.
    etree: Any = importlib.import_module("lxml.etree")
    readable = HtmlTextWriter(sink)
    parser = etree.HTMLParser(target=readable, encoding="utf-8", no_network=True, huge_tree=False)
    try:
        for piece in decode_blocks(source, detect_encoding(source)):
            if piece:
                parser.feed(piece.encode("utf-8", "replace"))
        parser.close()
    except etree.XMLSyntaxError as error:
        readable.finish()
        raise FileTextCut(WEBPAGE_DAMAGED) from error
    finally:
        sink.title = readable.title


def detect_encoding(source: Path) -> str:
    """Return the encoding: UTF-8 when the bytes are, else what the page says, else the likeliest."""
    found = check_encoding(source)
    if found.encoding.startswith("utf"):
        return found.encoding
    with source.open("rb") as file:
        named = CHARSET_PATTERN.search(file.read(CHARSET_HEAD_BYTES))
    return known_encoding(named[1].decode("ascii", "replace")) or found.encoding if named else found.encoding


def known_encoding(name: str) -> str | None:
    """Return the encoding's name if it is a text encoding that we can decode."""
    try:
        b"".decode(name)
    except LookupError:
        return None
    return name
