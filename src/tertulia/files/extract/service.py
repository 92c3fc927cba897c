"""Takes the text out of a file, or says in one sentence why there is none."""

import asyncio
from pathlib import Path

from tertulia.files.extract.child import ExtractionReport, read_in_child
from tertulia.files.extract.domain import Extraction
from tertulia.files.extract.file_kinds import FileKind, Media
from tertulia.files.extract.limits import DEFAULT_EXTRACTION_LIMITS, ExtractionLimits
from tertulia.files.extract.picture_check import find_picture_problem
from tertulia.files.extract.text_decoder import decode_file

FILE_EMPTY = "The file is empty."
FILE_PARTLY_READ = "Only the first part of the file was read: the rest is damaged, or took too long."
KIND_WITHOUT_TEXT = "No text can be taken out of this kind of file; it is kept as it is."
DECODED_MEDIA = frozenset({Media.TEXT, Media.MARKDOWN, Media.CODE, Media.TABLE})
BLANK_CHECK_BLOCK_BYTES = 64 * 1024
#: Bytes of one character.
UTF8_CHAR_MAX_BYTES = 4


async def extract_file(
    source: Path, *, kind: FileKind, into: Path, limits: ExtractionLimits = DEFAULT_EXTRACTION_LIMITS
) -> Extraction:
    """Write the file's text to `into` as UTF-8 with \\n line ends; clean text is not copied but named."""
    if kind.media in DECODED_MEDIA:
        return await asyncio.to_thread(decode_file, source, into=into, limits=limits)
    if await asyncio.to_thread(is_empty, source):
        return Extraction(None, [], "", FILE_EMPTY)
    if kind.media is Media.IMAGE:
        return await asyncio.to_thread(check_picture_header, source, kind.mime, limits)
    if kind.media is Media.BINARY:
        return Extraction(None, [], "", KIND_WITHOUT_TEXT)
    report = await read_in_child(source, media=kind.media, into=into, limits=limits)
    return await asyncio.to_thread(keep_extracted, report, into)


def check_picture_header(source: Path, mime: str, limits: ExtractionLimits) -> Extraction:
    """Look at a picture's header: there is no text in it, but there may be a problem."""
    with source.open("rb") as file:
        return Extraction(None, [], "", find_picture_problem(file, mime, limits=limits))


def keep_extracted(report: ExtractionReport, into: Path) -> Extraction:
    """Keep what was written: all, or as much as there is in whole lines."""
    if report.problem and into.exists():
        truncate_broken_char(into)
    if not into.exists() or is_blank(into):
        into.unlink(missing_ok=True)
        return Extraction(None, [], report.title, report.problem)
    return Extraction(
        into, report.pages, report.title, FILE_PARTLY_READ if report.has_died else report.problem
    )


def truncate_broken_char(into: Path) -> None:
    """Drop the first part of a character at the end: its writer may have died in the middle of it."""
    with into.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - UTF8_CHAR_MAX_BYTES))
        file.truncate(size - incomplete_char_bytes(file.read()))


def incomplete_char_bytes(tail: bytes) -> int:
    """Return how many bytes at the end begin a character that is not all there."""
    starts = [place for place, byte in enumerate(tail) if byte < 0x80 or byte >= 0xC0]
    if not starts:
        return 0
    try:
        tail[starts[-1] :].decode()
    except UnicodeDecodeError:
        return len(tail) - starts[-1]
    return 0


def is_empty(source: Path) -> bool:
    """Tell whether the file holds not a single byte."""
    return source.stat().st_size == 0


def is_blank(into: Path) -> bool:
    """Tell whether nothing but space was written."""
    with into.open("rb") as file:
        return not any(piece.strip() for piece in iter(lambda: file.read(BLANK_CHECK_BLOCK_BYTES), b""))
