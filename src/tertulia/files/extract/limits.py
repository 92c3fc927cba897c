"""How much one file may cost before its reader stops: time, memory, text, rows, pages."""

from dataclasses import dataclass

from tertulia.core.byte_units import MEBIBYTE_BYTES


@dataclass(frozen=True, slots=True)
class ExtractionLimits:
    """What one file may cost."""

    seconds: float = 60
    page_seconds: float = 10  #: of one page, in computing time
    memory_bytes: int = 1024 * MEBIBYTE_BYTES  #: address space of the process that reads
    text_bytes: int = 200 * MEBIBYTE_BYTES  #: of text written
    markup_bytes: int = 192 * MEBIBYTE_BYTES  #: of markup inside one office file, unpacked
    archive_members: int = 10_000  #: files inside one office file
    compression_ratio: int = 400  #: how many times its packed size one large part may unpack to
    sheet_rows: int = 200_000
    pages: int = 20_000
    picture_pixels: int = 200_000_000


DEFAULT_EXTRACTION_LIMITS = ExtractionLimits()
