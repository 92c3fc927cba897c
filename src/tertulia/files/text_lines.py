"""Some lines of a text, however long it is, without holding all of it."""

from dataclasses import dataclass
from typing import BinaryIO

LINE_READ_BLOCK_BYTES = 1 << 20
LINES_PER_ANSWER_MAX = 2000
LINES_PER_ANSWER_MAX_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class TextLines:
    """Some lines of a text, and how many there are."""

    content: str
    start_line: int
    #: The last line that is shown, at least in part; `start_line` - 1 when none is.
    end_line: int
    total_lines: int
    #: Whether there is more to be had of what was asked for.
    truncated: bool


def read_lines(text: BinaryIO, *, start: int, end: int | None) -> TextLines:
    """Read the lines from `start` to `end`, as many of them as one answer holds."""
    wanted = LINES_PER_ANSWER_MAX if end is None else min(LINES_PER_ANSWER_MAX, end - start + 1)
    kept, passed, at_end, last = bytearray(), 0, True, b""
    full = False
    while block := text.read(LINE_READ_BLOCK_BYTES):
        last = block
        ends = block.count(b"\n")
        if not full and passed + ends >= start - 1:
            piece = slice_lines(block, start - 1 - passed, start - 1 + wanted - passed)
            kept += piece[: LINES_PER_ANSWER_MAX_BYTES + 1 - len(kept)]
            full = len(kept) > LINES_PER_ANSWER_MAX_BYTES or passed + ends >= start - 1 + wanted
        passed += ends
    at_end = not last or last.endswith(b"\n")
    total = passed if at_end else passed + 1
    content = bytes(kept[:LINES_PER_ANSWER_MAX_BYTES]).decode(errors="ignore")
    shown = content.count("\n") + (bool(content) and not content.endswith("\n"))
    asked = total if end is None else min(end, total)
    cut = len(kept) > LINES_PER_ANSWER_MAX_BYTES or start - 1 + shown < asked
    return TextLines(content, start, start - 1 + shown, total, cut)


def slice_lines(block: bytes, first: int, beyond: int) -> bytes:
    """Return a block from after its `first` line end up to and with its `beyond`th."""
    begin, end = position_after(block, first), position_after(block, beyond)
    return block[begin:end]


def position_after(block: bytes, line_ends: int) -> int:
    """Return the place after so many line ends, or the end of the block when it has fewer."""
    place = 0
    for _ in range(max(0, line_ends)):
        found = block.find(b"\n", place)
        if found < 0:
            return len(block)
        place = found + 1
    return place
