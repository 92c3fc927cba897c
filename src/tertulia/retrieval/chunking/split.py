"""Cutting what is too large: between rows where it hurts least, inside a row only when it is overlong."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from tertulia.retrieval.chunking.domain import MOST, TARGET, ChunkKind
from tertulia.retrieval.chunking.lines import CHARS_PER_TOKEN, Lines, blank, indent, tokens_of
from tertulia.retrieval.chunking.units import Piece, Unit

CLOSERS = ("}", ")", "]", "end", "</", "fi", "done", "esac")
ENDS = (".", "!", "?", ":", ";", "}", "\u3002", "\uff01", "\uff1f", "\u061f")
#: Where a long row is cut, best first: after a line end of another kind, a sentence, a clause, a word.
SEAMS = tuple(
    re.compile(seam)
    for seam in (
        r"[\r\f\v\x85\u2028\u2029]+",
        r"[.!?\u061f]['\")\]]*\s+|[\u3002\uff01\uff1f]",
        r"[;,:)}\]]\s*|[\u3001\uff0c\uff1b]",
        r"\s+",
    )
)
JOINERS = "\u200d\ufe0e\ufe0f"


def split(unit: Unit, lines: Lines, *, target: int = TARGET, most: int = MOST) -> Iterator[Piece]:
    """Yield an oversized unit as pieces of about `target` tokens; all but the first stand below its title."""
    below = unit.path + ((unit.title,) if unit.title else ())
    whole = Piece(0, 0, 0, unit.kind, unit.language, unit.path, unit.level)
    for start, end, cost in spans(lines, unit.first, unit.last, target=target, most=most):
        yield replace(whole, start=start, end=end, cost=cost)
        whole = replace(whole, path=below, level=0)


def spans(lines: Lines, first: int, last: int, *, target: int, most: int) -> Iterator[tuple[int, int, int]]:
    """Yield characters from, up to, and their cost, so that all rows are in exactly one."""
    while first < last:
        end = next_cut(lines, first, last, target)
        start, stop = lines.starts[first], lines.starts[end]
        if end == first + 1 and lines.cost(first, end) > most:
            yield from cut_row(lines.text, start, stop, target=target)
        else:
            yield start, stop, lines.cost(first, end)
        first = end


def next_cut(lines: Lines, first: int, last: int, target: int) -> int:
    """Return the row before which to cut, so that what follows is neither torn nor a crumb."""
    remaining = lines.cost(first, last)
    if remaining <= target:
        return last
    parts = -(-remaining // target)
    furthest = min(lines.reach(first, target), last)
    nearest = max(first + 1, lines.reach(first, remaining * 3 // (parts * 5)))
    if furthest <= nearest:
        return max(furthest, first + 1)
    outer = min((indent(row) for row in lines.rows[nearest : furthest + 1] if not blank(row)), default=0)
    return max(range(furthest, nearest - 1, -1), key=lambda row: goodness(lines, row, outer))


def goodness(lines: Lines, row: int, outer: int) -> int:
    """Return how well a text may be cut before `row`: best at an outer row after a blank one."""
    if row >= len(lines):
        return 0
    after, before = lines.rows[row], lines.rows[row - 1]
    if blank(after):
        return 0
    good = 4 * blank(before) + 2 * (indent(after) <= outer) + before.rstrip().endswith(ENDS)
    return good - 3 * after.lstrip().startswith(CLOSERS)


def cut_row(text: str, start: int, end: int, *, target: int) -> Iterator[tuple[int, int, int]]:
    """Yield the parts of one overlong row, cut at sentences, else at words, else anywhere."""
    while start < end:
        stop, cost = fitting(text, start, end, target)
        if stop < end:
            stop = seam(text, start, stop)
        yield start, stop, cost
        start = stop


def fitting(text: str, start: int, end: int, target: int) -> tuple[int, int]:
    """Return how far `text` may go from `start` within `target` tokens, and what that costs."""
    stop = min(end, start + target * 6)
    while (cost := tokens_of(text[start:stop])) > target and stop > start + 1:
        stop = start + max(1, min((stop - start) * target // cost, stop - start - 1))
    if cost * 2 < target and stop < end:
        stop = min(end, start + target * CHARS_PER_TOKEN)
        while (cost := tokens_of(text[start:stop])) > target:
            stop = start + (stop - start) * 3 // 4
    return stop, cost


def seam(text: str, start: int, stop: int) -> int:
    """Return the best place at or before `stop`, in the last half, to cut at."""
    half = (start + stop) // 2
    for pattern in SEAMS:
        places = [match.end() for match in pattern.finditer(text, half, stop)]
        if places:
            return places[-1]
    return between_characters(text, max(half, start + 1), stop)


def between_characters(text: str, lowest: int, stop: int) -> int:
    """Return the last place that does not part an accent or a joined emoji from what it belongs to."""
    for place in range(stop, max(lowest, stop - 32), -1):
        if not belongs_before(text[place]) and text[place - 1] != JOINERS[0]:
            return place
    return stop


def belongs_before(character: str) -> bool:
    """Return whether a character is part of the one before it."""
    return character in JOINERS or bool(unicodedata.combining(character))


def roof(kind: ChunkKind, stretch: int) -> int:
    """Return how large one thing of this kind may be and stay whole."""
    return stretch if kind is ChunkKind.PROSE else MOST
