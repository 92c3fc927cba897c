"""A text of any length as windows of bounded size, cut where its structure allows.

Where a window ends depends on the text alone, never on the pieces that it came in.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from tertulia.retrieval.chunking.domain import PLAIN_LINES

#: Code points of a window: at most 1 MB in UTF-8.
WINDOW = 1 << 18
#: Those of code are smaller: what a parser cannot read takes it time that grows with the square.
CODE_WINDOW = 1 << 16
BLANK_LINE = re.compile(r"\n[ \t\r]*+\n")
AT_HEADING = re.compile(r"\n(?=#{1,6} )")
AT_DEFINITION = re.compile(r"\n[ \t\r]*+\n(?=[^\s})\]])")
Cut = Callable[[str], int]


def windows(pieces: Iterable[str], cut: Cut, *, size: int = WINDOW) -> Iterator[str]:
    """Yield the text in windows of at most `size`; `cut` says where a full one is to end."""
    waiting: list[str] = []
    length = 0
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length > size:
            text = "".join(waiting)
            start = 0
            while length - start > size:
                end = start + cut(text[start : start + size])
                yield text[start:end]
                start = end
            waiting, length = [text[start:]], length - start
    if length:
        yield "".join(waiting)


def cut_at(*seams: re.Pattern[str]) -> Cut:
    """Return a cut after the last of the first seam found in a window's second half, else after a row."""

    def cut(window: str) -> int:
        for seam in seams:
            ends = [match.end() for match in seam.finditer(window, len(window) // 2)]
            if ends:
                return ends[-1]
        return window.rfind("\n") + 1 or len(window)

    return cut


def cut_plain(window: str) -> int:
    """Return the end of the last 50 lines that are whole."""
    ends = [match.end() for match in re.finditer("\n", window)]
    whole = len(ends) // PLAIN_LINES * PLAIN_LINES
    return ends[whole - 1] if whole else window.rfind("\n") + 1 or len(window)
