"""Some lines of a text, however long it is, without holding all of it."""

from dataclasses import dataclass
from typing import BinaryIO

BLOCK = 1 << 20
MOST_LINES = 2000
MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of a text, and how many there are."""

    content: str
    start_line: int
    #: The last line that is shown, at least in part; `start_line` - 1 when none is.
    end_line: int
    total_lines: int
    #: Whether there is more to be had of what was asked for.
    truncated: bool


def read_lines(text: BinaryIO, *, start: int, end: int | None) -> Lines:
    """Read the lines from `start` to `end`, as many of them as one answer holds."""
    wanted = MOST_LINES if end is None else min(MOST_LINES, end - start + 1)
    kept, passed, at_end, last = bytearray(), 0, True, b""
    full = False
    while block := text.read(BLOCK):
        last = block
        ends = block.count(b"\n")
        if not full and passed + ends >= start - 1:
            piece = lines_of(block, start - 1 - passed, start - 1 + wanted - passed)
            kept += piece[: MOST_BYTES + 1 - len(kept)]
            full = len(kept) > MOST_BYTES or passed + ends >= start - 1 + wanted
        passed += ends
    at_end = not last or last.endswith(b"\n")
    total = passed if at_end else passed + 1
    content = bytes(kept[:MOST_BYTES]).decode(errors="ignore")
    shown = content.count("\n") + (bool(content) and not content.endswith("\n"))
    asked = total if end is None else min(end, total)
    cut = len(kept) > MOST_BYTES or start - 1 + shown < asked
    return Lines(content, start, start - 1 + shown, total, cut)


def lines_of(block: bytes, first: int, beyond: int) -> bytes:
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
