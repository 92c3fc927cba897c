"""Text-like files: one pass to see whether they are clean, a second to write them anew if not."""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tertulia.files.extract.domain import Extraction
from tertulia.files.extract.encoding_detector import encoding_by_mark, guess_encoding, guess_utf16
from tertulia.files.extract.errors import FileTextCut
from tertulia.files.extract.limits import ExtractionLimits
from tertulia.files.extract.text_sink import TextSink

DECODE_BLOCK_BYTES = 1024 * 1024
ENCODING_SAMPLE_BYTES = 64 * 1024
ENCODING_SAMPLE_LEAD_BYTES = 8 * 1024


@dataclass(frozen=True, slots=True)
class EncodingCheck:
    """What a pass over the bytes found."""

    encoding: str
    is_clean: bool


def decode_file(source: Path, *, into: Path, limits: ExtractionLimits) -> Extraction:
    """Return the file itself when it is clean UTF-8 with \\n line ends, else write it so."""
    found = check_encoding(source)
    if found.is_clean and source.stat().st_size <= limits.text_bytes:
        return Extraction(source, [], "", "")
    try:
        with TextSink(into, limits=limits) as sink:
            for piece in decode_blocks(source, found.encoding):
                sink.write(piece)
    except FileTextCut as cut:
        return Extraction(into, [], "", cut.message)
    return Extraction(into, [], "", "")


def check_encoding(source: Path) -> EncodingCheck:
    """Find how the bytes are to be read, and whether they can be kept as they are."""
    with source.open("rb") as file:
        head = file.read(ENCODING_SAMPLE_BYTES)
    encoding = encoding_by_mark(head) or guess_utf16(head)
    if encoding:
        return EncodingCheck(encoding, is_clean=False)
    decoder, clean, offset = codecs.getincrementaldecoder("utf-8")(), True, 0
    for piece in read_file_blocks(source):
        try:
            decoder.decode(piece, final=not piece)
        except UnicodeDecodeError as error:
            return EncodingCheck(guess_encoding(read_sample(source, offset + error.start)), is_clean=False)
        clean = clean and b"\r" not in piece and b"\0" not in piece
        offset += len(piece)
    return EncodingCheck("utf-8", clean)


def read_sample(source: Path, position: int) -> bytes:
    """Return bytes around the first that is not UTF-8: they tell more than an ASCII beginning."""
    with source.open("rb") as file:
        file.seek(max(0, position - ENCODING_SAMPLE_LEAD_BYTES))
        return file.read(ENCODING_SAMPLE_BYTES)


def read_file_blocks(source: Path) -> Iterator[bytes]:
    """Yield the file piece by piece; the last piece is empty."""
    with source.open("rb") as file:
        while piece := file.read(DECODE_BLOCK_BYTES):
            yield piece
    yield b""


def decode_blocks(source: Path, encoding: str) -> Iterator[str]:
    """Yield the file's text with \\n line ends; what cannot be read becomes U+FFFD."""
    reader = codecs.getincrementaldecoder(encoding)(errors="replace")
    lines = io.IncrementalNewlineDecoder(reader, translate=True)
    for piece in read_file_blocks(source):
        yield lines.decode(piece, final=not piece)
