"""Places in a text that do not overlap."""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")


def keep_apart(items: Iterable[T], place: Callable[[T], tuple[int, int]]) -> list[T]:
    """Return the items that overlap none before them, in the order of the text."""
    taken: list[tuple[int, int]] = []
    kept: list[T] = []
    for item in items:
        start, end = place(item)
        if start < end and is_free(taken, start, end):
            insort(taken, (start, end))
            kept.append(item)
    return sorted(kept, key=place)


def is_free(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    """Tell whether a place overlaps none of those that are taken, which are in order and apart."""
    index = bisect_left(taken, (start, end))
    if index < len(taken) and taken[index][0] < end:
        return False
    return index == 0 or taken[index - 1][1] <= start


def longest_first(items: Iterable[T], place: Callable[[T], tuple[int, int]]) -> list[T]:
    """Return items by their length, the longest first, and of equal ones the first in the text."""
    return sorted(items, key=lambda item: (place(item)[0] - place(item)[1], place(item)[0]))
