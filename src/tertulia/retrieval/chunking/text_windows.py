"""A text of any length as windows of bounded size, cut where its structure allows.

Where a window ends depends on the text alone, never on the pieces that it came in.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from tertulia.retrieval.chunking.domain import PLAIN_CHUNK_LINES

#: Code points of a window: at most 1 MB in UTF-8.
WINDOW_MAX_CHARS = 1 << 18
#: Those of code are smaller: what a parser cannot read takes it time that grows with the square.
CODE_WINDOW_MAX_CHARS = 1 << 16
BLANK_LINE_PATTERN = re.compile(r"\n[ \t\r]*+\n")
BEFORE_HEADING_PATTERN = re.compile(r"\n(?=#{1,6} )")
BEFORE_DEFINITION_PATTERN = re.compile(r"\n[ \t\r]*+\n(?=[^\s})\]])")
FindCut = Callable[[str], int]


def split_windows(
    pieces: Iterable[str], find_cut: FindCut, *, max_chars: int = WINDOW_MAX_CHARS
) -> Iterator[str]:
    """Yield the text in windows of at most `max_chars`; `find_cut` says where a full one is to end."""
    waiting: list[str] = []
    length = 0
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length > max_chars:
            text = "".join(waiting)
            start = 0
            while length - start > max_chars:
                end = start + find_cut(text[start : start + max_chars])
                yield text[start:end]
                start = end
            waiting, length = [text[start:]], length - start
    if length:
        yield "".join(waiting)


def cut_at_seams(*seams: re.Pattern[str]) -> FindCut:
    """Return a cut after the last of the first seam found in a window's second half, else after a row."""

    def cut(window: str) -> int:
        for seam in seams:
            ends = [match.end() for match in seam.finditer(window, len(window) // 2)]
            if ends:
                return ends[-1]
        return window.rfind("\n") + 1 or len(window)

    return cut


def cut_at_plain_lines(window: str) -> int:
    """Return the end of the last 50 lines that are whole."""
    ends = [match.end() for match in re.finditer("\n", window)]
    whole = len(ends) // PLAIN_CHUNK_LINES * PLAIN_CHUNK_LINES
    return ends[whole - 1] if whole else window.rfind("\n") + 1 or len(window)
