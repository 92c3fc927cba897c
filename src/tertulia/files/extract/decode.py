"""Text-like files: one pass to see whether they are clean, a second to write them anew if not."""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tertulia.files.extract.domain import Extracted, Limits
from tertulia.files.extract.encoding import guess, marked, wide
from tertulia.files.extract.errors import Cut
from tertulia.files.extract.sink import Sink

PIECE = 1024 * 1024
SAMPLE = 64 * 1024
BEFORE = 8 * 1024


@dataclass(frozen=True, slots=True)
class Found:
    """What a pass over the bytes found."""

    encoding: str
    clean: bool


def text_of(source: Path, *, into: Path, limits: Limits) -> Extracted:
    """Return the file itself when it is clean UTF-8 with \\n line ends, else write it so."""
    found = look(source)
    if found.clean and source.stat().st_size <= limits.text:
        return Extracted(source, [], "", "")
    try:
        with Sink(into, limits=limits) as sink:
            for piece in decoded(source, found.encoding):
                sink.write(piece)
    except Cut as cut:
        return Extracted(into, [], "", cut.message)
    return Extracted(into, [], "", "")


def look(source: Path) -> Found:
    """Find how the bytes are to be read, and whether they can be kept as they are."""
    with source.open("rb") as file:
        head = file.read(SAMPLE)
    encoding = marked(head) or wide(head)
    if encoding:
        return Found(encoding, clean=False)
    decoder, clean, offset = codecs.getincrementaldecoder("utf-8")(), True, 0
    for piece in pieces(source):
        try:
            decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            return Found(guess(sample_at(source, offset + error.start)), clean=False)
        clean = clean and b"\r" not in piece and b"\0" not in piece
        offset += len(piece)
    return Found("utf-8", clean)


def sample_at(source: Path, position: int) -> bytes:
    """Return bytes around the first that is not UTF-8: they tell more than an ASCII beginning."""
    with source.open("rb") as file:
        file.seek(max(0, position - BEFORE))
        return file.read(SAMPLE)


def pieces(source: Path) -> Iterator[bytes]:
    """Yield the file piece by piece; the last piece is empty."""
    with source.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece
    yield b""


def decoded(source: Path, encoding: str) -> Iterator[str]:
    """Yield the file's text with \\n line ends; what cannot be read becomes U+FFFD."""
    reader = codecs.getincrementaldecoder(encoding)(errors="replace")
    lines = io.IncrementalNewlineDecoder(reader, translate=True)
    for piece in pieces(source):
        yield lines.decode(piece, final=not piece)
