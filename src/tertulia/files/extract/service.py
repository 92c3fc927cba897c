"""Takes the text out of a file, or says in one sentence why there is none."""

import asyncio
from pathlib import Path

from tertulia.files.extract.child import Told, read_in_child
from tertulia.files.extract.decode import text_of
from tertulia.files.extract.domain import Extracted, Limits, Page
from tertulia.files.extract.media import Kind, Media
from tertulia.files.extract.pictures import picture_problem

__all__ = ["Extracted", "Limits", "Page", "extract"]

USUAL = Limits()
EMPTY = "The file is empty."
PART = "Only the first part of the file was read: the rest is damaged, or took too long."
NO_TEXT = "No text can be taken out of this kind of file; it is kept as it is."
DECODED = frozenset({Media.TEXT, Media.MARKDOWN, Media.CODE, Media.TABLE})
PIECE = 64 * 1024
#: Bytes of one character.
LONGEST = 4


async def extract(source: Path, *, kind: Kind, into: Path, limits: Limits = USUAL) -> Extracted:
    """Write the file's text to `into` as UTF-8 with \\n line ends; clean text is not copied but named."""
    if kind.media in DECODED:
        return await asyncio.to_thread(text_of, source, into=into, limits=limits)
    if await asyncio.to_thread(is_empty, source):
        return Extracted(None, [], "", EMPTY)
    if kind.media is Media.IMAGE:
        return await asyncio.to_thread(looked_at, source, kind.mime, limits)
    if kind.media is Media.BINARY:
        return Extracted(None, [], "", NO_TEXT)
    told = await read_in_child(source, media=kind.media, into=into, limits=limits)
    return await asyncio.to_thread(kept, told, into)


def looked_at(source: Path, mime: str, limits: Limits) -> Extracted:
    """Look at a picture's header: there is no text in it, but there may be a problem."""
    with source.open("rb") as file:
        return Extracted(None, [], "", picture_problem(file, mime, limits=limits))


def kept(told: Told, into: Path) -> Extracted:
    """Keep what was written: all, or as much as there is in whole lines."""
    if told.problem and into.exists():
        drop_broken_end(into)
    if not into.exists() or is_blank(into):
        into.unlink(missing_ok=True)
        return Extracted(None, [], told.title, told.problem)
    return Extracted(into, told.pages, told.title, PART if told.died else told.problem)


def drop_broken_end(into: Path) -> None:
    """Drop the first part of a character at the end: its writer may have died in the middle of it."""
    with into.open("r+b") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - LONGEST))
        file.truncate(size - pending(file.read()))


def pending(tail: bytes) -> int:
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
        return not any(piece.strip() for piece in iter(lambda: file.read(PIECE), b""))
