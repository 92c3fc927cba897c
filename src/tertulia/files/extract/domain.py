"""What is asked of an extraction, and what comes of it."""

from dataclasses import dataclass
from pathlib import Path

from tertulia.core.byte_units import MEBIBYTE_BYTES


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """How much one file may cost before its reader stops."""

    seconds: float = 60
    page_seconds: float = 10  #: of one page, in computing time
    memory: int = 1024 * MEBIBYTE_BYTES  #: address space of the process that reads
    text: int = 200 * MEBIBYTE_BYTES  #: bytes of text written
    unpacked: int = 192 * MEBIBYTE_BYTES  #: bytes of markup inside one office file
    members: int = 10_000  #: files inside one office file
    ratio: int = 400  #: how many times its packed size one large part may unpack to
    rows: int = 200_000  #: of one sheet
    pages: int = 20_000
    pixels: int = 200_000_000


@dataclass(frozen=True, slots=True)
class PageStart:
    """Where a page, slide or sheet begins in the text; the first line is 1."""

    label: str
    start_line: int


@dataclass(frozen=True, slots=True)
class Extraction:
    """The text of a file, or one sentence on why there is none or only a part."""

    text: Path | None
    pages: list[PageStart]
    title: str
    problem: str
