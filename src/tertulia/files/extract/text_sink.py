"""Where extracted text goes: clean UTF-8 with \\n line ends, counted and limited."""

import re
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from tertulia.core.byte_units import MEBIBYTE_BYTES
from tertulia.files.extract.domain import PageStart
from tertulia.files.extract.errors import FileTextCut
from tertulia.files.extract.limits import ExtractionLimits

SINK_BUFFER_BYTES = 256 * 1024
PAGE_LABEL_MAX_CHARS = 200
NON_TEXT_PATTERN = re.compile("[\0\ud800-\udfff]")


def ignore_page(page: PageStart) -> None:
    """Hear of a page and do nothing."""
    del page


class TextSink:
    """Writes text to a file; pages are told only once their beginning is on disk."""

    def __init__(
        self, into: Path, *, limits: ExtractionLimits, report_page: Callable[[PageStart], None] = ignore_page
    ) -> None:
        self._file = into.open("wb", buffering=0)
        self._limits = limits
        self._report_page = report_page
        self._pending: list[bytes] = []
        self._pending_size = 0
        self._unreported_pages: list[tuple[int, PageStart]] = []
        self._pages = 0
        self._line = 1
        self._among_lines = False
        self.size = 0
        self.title = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.flush()
        finally:
            self._file.close()

    def begin_page(self, label: str) -> None:
        """Begin a page; those before it are safe, whatever this one does."""
        if self._pages >= self._limits.pages:
            raise FileTextCut(f"Only the first {self._limits.pages} pages of this file were read.")
        self.flush()
        self._pages += 1
        self._unreported_pages.append((self.size, PageStart(to_one_line(label), self._line)))

    def write_line(self, text: str = "") -> None:
        """Write one line of several that belong together."""
        self._among_lines = bool(text)
        self.write(f"{text}\n")

    def write_block(self, text: str) -> None:
        """Write lines that stand by themselves, between empty ones."""
        before, self._among_lines = "\n" if self._among_lines else "", False
        self.write(f"{before}{text}\n\n")

    def write(self, text: str) -> None:
        """Write text as it is, but for what is not text and for other line ends."""
        data = encode_text(text)
        room = self._limits.text_bytes - self.size
        cut = len(data) > room
        if cut:
            data = data[: max(room, 0)].decode("utf-8", "ignore").encode()
        self.size += len(data)
        self._line += data.count(b"\n")
        self._pending.append(data)
        self._pending_size += len(data)
        if self._pending_size >= SINK_BUFFER_BYTES:
            self.flush()
        if cut:
            raise FileTextCut(
                f"Only the first {format_bytes(self._limits.text_bytes)} of the text in this file are kept."
            )

    def flush(self) -> None:
        """Put what was written so far on disk, and tell of the pages that begin in it."""
        data = b"".join(self._pending)
        self._pending, self._pending_size = [], 0
        while data:
            data = data[self._file.write(data) :]
        while self._unreported_pages and self._unreported_pages[0][0] < self.size:
            self._report_page(self._unreported_pages.pop(0)[1])


def encode_text(text: str) -> bytes:
    """Return the text as UTF-8 with \\n line ends; what no text may hold becomes U+FFFD."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\0" not in text:
        try:
            return text.encode()
        except UnicodeEncodeError:
            pass
    return NON_TEXT_PATTERN.sub("\ufffd", text).encode()


def to_one_line(text: str) -> str:
    """Return text as one short line, for a label or a title."""
    return NON_TEXT_PATTERN.sub("", " ".join(text.split()))[:PAGE_LABEL_MAX_CHARS]


def format_bytes(size: int) -> str:
    """Say a number of bytes as people do."""
    return f"{size // MEBIBYTE_BYTES} MB" if size >= MEBIBYTE_BYTES else f"{size} bytes"
