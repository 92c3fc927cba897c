"""Stretches of time as pairs of milliseconds since 1970, the end exclusive."""

from collections.abc import Iterable, Iterator, Sequence

#: Where a stretch begins, and where it is over.
Interval = tuple[int, int]


def merge_intervals(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the same time in order, with what touches or overlaps in one piece; empty ones are left out."""
    merged: list[Interval] = []
    first, until = 0, -1
    # A year of several calendars has tens of thousands.
    for start, end in sorted(intervals):
        if start >= end:
            continue
        if not merged or start > until:
            first, until = start, end
            merged.append((start, end))
        elif end > until:
            until = end
            merged[-1] = (first, end)
    return merged


def subtract_intervals(windows: Sequence[Interval], busy: Sequence[Interval]) -> Iterator[Interval]:
    """Yield what is left of windows; both are merged and in order."""
    position = 0
    for window_start, window_end in windows:
        start = window_start
        while position < len(busy) and busy[position][1] <= start:
            position += 1
        index = position
        while index < len(busy) and busy[index][0] < window_end:
            if start < busy[index][0]:
                yield start, busy[index][0]
            start = max(start, busy[index][1])
            index += 1
        if start < window_end:
            yield start, window_end


def find_overlap(intervals: Iterable[Interval], interval: Interval) -> Interval | None:
    """Return the first of some stretches that shares time with another one; touching shares none."""
    return next(
        (other for other in intervals if other[0] < interval[1] and interval[0] < other[1]),
        None,
    )
