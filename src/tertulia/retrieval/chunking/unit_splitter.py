"""Cutting what is too large: between rows where it hurts least, inside a row only when it is overlong."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import replace

from tertulia.retrieval.chunking.domain import CHUNK_MAX_TOKENS, CHUNK_TARGET_TOKENS, ChunkKind
from tertulia.retrieval.chunking.measured_lines import (
    CHARS_PER_TOKEN_MAX,
    MeasuredLines,
    count_chunk_tokens,
    indent_width,
    is_blank_row,
)
from tertulia.retrieval.chunking.units import ChunkPiece, Unit

CLOSING_ROW_STARTS = ("}", ")", "]", "end", "</", "fi", "done", "esac")
SENTENCE_END_CHARS = (".", "!", "?", ":", ";", "}", "\u3002", "\uff01", "\uff1f", "\u061f")
#: Where a long row is cut, best first: after a line end of another kind, a sentence, a clause, a word.
SEAM_PATTERNS = tuple(
    re.compile(seam)
    for seam in (
        r"[\r\f\v\x85\u2028\u2029]+",
        r"[.!?\u061f]['\")\]]*\s+|[\u3002\uff01\uff1f]",
        r"[;,:)}\]]\s*|[\u3001\uff0c\uff1b]",
        r"\s+",
    )
)
JOINER_CHARS = "\u200d\ufe0e\ufe0f"


def split_unit(
    unit: Unit,
    lines: MeasuredLines,
    *,
    target_tokens: int = CHUNK_TARGET_TOKENS,
    max_tokens: int = CHUNK_MAX_TOKENS,
) -> Iterator[ChunkPiece]:
    """Yield an oversized unit as pieces of about `target_tokens`; all but the first stand below its title."""
    below = unit.path + ((unit.title,) if unit.title else ())
    whole = ChunkPiece(0, 0, 0, unit.kind, unit.language, unit.path, unit.level)
    for start, end, cost in split_rows(
        lines, unit.first, unit.last, target_tokens=target_tokens, max_tokens=max_tokens
    ):
        yield replace(whole, start=start, end=end, estimated_tokens=cost)
        whole = replace(whole, path=below, level=0)


def split_rows(
    lines: MeasuredLines, first: int, last: int, *, target_tokens: int, max_tokens: int
) -> Iterator[tuple[int, int, int]]:
    """Yield characters from, up to, and their cost, so that all rows are in exactly one."""
    while first < last:
        end = find_cut_row(lines, first, last, target_tokens)
        start, stop = lines.starts[first], lines.starts[end]
        if end == first + 1 and lines.estimate_tokens(first, end) > max_tokens:
            yield from split_row(lines.text, start, stop, target_tokens=target_tokens)
        else:
            yield start, stop, lines.estimate_tokens(first, end)
        first = end


def find_cut_row(lines: MeasuredLines, first: int, last: int, target_tokens: int) -> int:
    """Return the row before which to cut, so that what follows is neither torn nor a crumb."""
    remaining = lines.estimate_tokens(first, last)
    if remaining <= target_tokens:
        return last
    parts = -(-remaining // target_tokens)
    furthest = min(lines.last_row_within(first, target_tokens), last)
    nearest = max(first + 1, lines.last_row_within(first, remaining * 3 // (parts * 5)))
    if furthest <= nearest:
        return max(furthest, first + 1)
    outer = min(
        (indent_width(row) for row in lines.rows[nearest : furthest + 1] if not is_blank_row(row)), default=0
    )
    return max(range(furthest, nearest - 1, -1), key=lambda row: score_cut(lines, row, outer))


def score_cut(lines: MeasuredLines, row: int, outer: int) -> int:
    """Return how well a text may be cut before `row`: best at an outer row after a blank one."""
    if row >= len(lines):
        return 0
    after, before = lines.rows[row], lines.rows[row - 1]
    if is_blank_row(after):
        return 0
    good = (
        4 * is_blank_row(before)
        + 2 * (indent_width(after) <= outer)
        + before.rstrip().endswith(SENTENCE_END_CHARS)
    )
    return good - 3 * after.lstrip().startswith(CLOSING_ROW_STARTS)


def split_row(text: str, start: int, end: int, *, target_tokens: int) -> Iterator[tuple[int, int, int]]:
    """Yield the parts of one overlong row, cut at sentences, else at words, else anywhere."""
    while start < end:
        stop, cost = fit_tokens(text, start, end, target_tokens)
        if stop < end:
            stop = find_seam(text, start, stop)
        yield start, stop, cost
        start = stop


def fit_tokens(text: str, start: int, end: int, target_tokens: int) -> tuple[int, int]:
    """Return how far `text` may go from `start` within `target_tokens`, and what that costs."""
    stop = min(end, start + target_tokens * 6)
    while (cost := count_chunk_tokens(text[start:stop])) > target_tokens and stop > start + 1:
        stop = start + max(1, min((stop - start) * target_tokens // cost, stop - start - 1))
    if cost * 2 < target_tokens and stop < end:
        stop = min(end, start + target_tokens * CHARS_PER_TOKEN_MAX)
        while (cost := count_chunk_tokens(text[start:stop])) > target_tokens:
            stop = start + (stop - start) * 3 // 4
    return stop, cost


def find_seam(text: str, start: int, stop: int) -> int:
    """Return the best place at or before `stop`, in the last half, to cut at."""
    half = (start + stop) // 2
    for pattern in SEAM_PATTERNS:
        places = [match.end() for match in pattern.finditer(text, half, stop)]
        if places:
            return places[-1]
    return find_character_boundary(text, max(half, start + 1), stop)


def find_character_boundary(text: str, lowest: int, stop: int) -> int:
    """Return the last place that does not part an accent or a joined emoji from what it belongs to."""
    for place in range(stop, max(lowest, stop - 32), -1):
        if not belongs_before(text[place]) and text[place - 1] != JOINER_CHARS[0]:
            return place
    return stop


def belongs_before(character: str) -> bool:
    """Return whether a character is part of the one before it."""
    return character in JOINER_CHARS or bool(unicodedata.combining(character))


def whole_unit_max_tokens(kind: ChunkKind, stretch: int) -> int:
    """Return how large one thing of this kind may be and stay whole."""
    return stretch if kind is ChunkKind.PROSE else CHUNK_MAX_TOKENS
