"""Web pages, read as people see them: no scripts, no styles, nothing hidden, no tree in memory."""

import importlib
import re
from pathlib import Path
from typing import Any

from tertulia.files.extract.decode import decoded, look
from tertulia.files.extract.domain import Limits
from tertulia.files.extract.errors import Cut
from tertulia.files.extract.readable import Readable
from tertulia.files.extract.sink import Sink

DAMAGED = "The page's markup is damaged or nested too deeply: not all of its text was read."
HEAD = 4096
CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([\w-]+)""", re.IGNORECASE)


def read_webpage(source: Path, sink: Sink, *, limits: Limits) -> None:
    """Write the page's readable text."""
    del limits
    # A compiled library without types, that only this process needs, and only now.
    etree: Any = importlib.import_module("lxml.etree")
    readable = Readable(sink)
    parser = etree.HTMLParser(target=readable, encoding="utf-8", no_network=True, huge_tree=False)
    try:
        for piece in decoded(source, encoding_of(source)):
            if piece:
                parser.feed(piece.encode("utf-8", "replace"))
        parser.close()
    except etree.XMLSyntaxError as error:
        readable.finish()
        raise Cut(DAMAGED) from error
    finally:
        sink.title = readable.title


def encoding_of(source: Path) -> str:
    """Return the encoding: UTF-8 when the bytes are, else what the page says, else the likeliest."""
    found = look(source)
    if found.encoding.startswith("utf"):
        return found.encoding
    with source.open("rb") as file:
        named = CHARSET.search(file.read(HEAD))
    return known(named[1].decode("ascii", "replace")) or found.encoding if named else found.encoding


def known(name: str) -> str | None:
    """Return the encoding's name if it is a text encoding that we can decode."""
    try:
        b"".decode(name)
    except LookupError:
        return None
    return name
