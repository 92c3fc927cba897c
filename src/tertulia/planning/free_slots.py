"""Free slots: when something of a given length fits into a person's hours, exactly.

A moment is inside the hours where the clock of the zone shows one of the days asked for and a time of the
hours of that weekday. So a day on which the clock is changed needs no rule of its own: hours that are left
out are not there, and hours that come twice are there twice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from tertulia.core.clock import MILLISECOND, from_ms, to_ms
from tertulia.core.intervals import Interval, merge_intervals, subtract_intervals
from tertulia.planning.clock_segments import (
    DAY_MS,
    MINUTE_MS,
    ClockSegment,
    clock_ms,
    list_segments_of_days,
)
from tertulia.planning.errors import HoursInvalid

DAY_MINUTES = 24 * 60
#: The least by which two moments differ in Python.
RESOLUTION = timedelta.resolution
#: Where slots begin within a free window, unless somebody says otherwise.
SLOT_STEP = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class ClockSpan:
    """A part of a day as a clock shows it, in minutes after midnight; 24:00 can end it."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < DAY_MINUTES or not 0 < self.end <= DAY_MINUTES:
            raise HoursInvalid("Hours lie between 00:00 and 24:00.")
        if self.end <= self.start:
            raise HoursInvalid(
                f"Hours from {_show_minute(self.start)} to {_show_minute(self.end)} go over midnight or "
                "are empty. Give them as two parts: one until 24:00, and one from 00:00 on the next day."
            )

    def meet(self, other: "ClockSpan") -> "ClockSpan | None":
        """Return the part that both have, if there is one."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return ClockSpan(start, end) if start < end else None


#: The parts of each weekday (Monday is 0) in which something may lie.
WeekHours = Mapping[int, Sequence[ClockSpan]]


@dataclass(frozen=True, slots=True)
class SlotQuestion:
    """When does something fit? The days are those of the zone, the last one included."""

    first_day: date
    last_day: date
    hours: WeekHours
    zone: str
    duration: timedelta
    step: timedelta = SLOT_STEP
    #: Nothing begins before it.
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of free time of exactly the length asked for, in UTC."""

    start: datetime
    end: datetime


def find_slots(
    question: SlotQuestion, busy: Iterable[tuple[datetime, datetime]], *, buffer: timedelta = timedelta()
) -> Iterator[Slot]:
    """Yield every slot in order: each free window's start, then every step on the clock.

    What ends when a slot begins, or begins when it ends, is not in its way; `buffer` widens busy times on
    both sides.
    """
    segments = list_segments_of_days(question.first_day, question.last_day, ZoneInfo(question.zone))
    duration = question.duration // MILLISECOND
    for window in _list_free_windows(question, segments, busy, buffer=buffer):
        for start in _list_starts(window, segments, duration=duration, step=question.step // MILLISECOND):
            yield Slot(from_ms(start), from_ms(start + duration))


def find_first_slots(
    question: SlotQuestion,
    busy: Iterable[tuple[datetime, datetime]],
    *,
    limit: int,
    buffer: timedelta = timedelta(),
) -> tuple[list[Slot], bool]:
    """Return the first slots, and whether there are more."""
    found = list(islice(find_slots(question, busy, buffer=buffer), limit + 1))
    return found[:limit], len(found) > limit


def narrow_hours(hours: WeekHours, part: ClockSpan) -> WeekHours:
    """Return what of the hours of each weekday lies within a part of the day."""
    return {
        weekday: [common for span in spans if (common := span.meet(part))] for weekday, spans in hours.items()
    }


def list_hour_windows(
    first_day: date, last_day: date, hours: WeekHours, segments: Sequence[ClockSegment]
) -> list[Interval]:
    """Return the time inside the hours of a range of days, in order and in as few pieces as it has."""
    return merge_intervals(
        window
        for segment in segments
        for day in _list_shown_days(segment, first_day, last_day)
        for span in hours.get(day.weekday(), ())
        if (window := _place_span(segment, day, span))
    )


def _list_free_windows(
    question: SlotQuestion,
    segments: Sequence[ClockSegment],
    busy: Iterable[tuple[datetime, datetime]],
    *,
    buffer: timedelta,
) -> Iterator[Interval]:
    """Yield the time inside the hours that nothing takes."""
    windows = list_hour_windows(question.first_day, question.last_day, question.hours, segments)
    taken = merge_intervals(_to_interval(start - buffer, end + buffer) for start, end in busy if start < end)
    free = subtract_intervals(windows, taken)
    if question.not_before is None:
        yield from free
        return
    earliest = _next_step(question.not_before, segments, step=question.step // MILLISECOND)
    yield from ((max(start, earliest), end) for start, end in free if end > earliest)


def _to_interval(start: datetime, end: datetime) -> Interval:
    """Return a busy time in whole milliseconds, none of it lost."""
    return to_ms(start), to_ms(end + MILLISECOND - RESOLUTION)


def _list_shown_days(segment: ClockSegment, first_day: date, last_day: date) -> Iterator[date]:
    """Yield the days of a range that the clock shows during a stretch."""
    first = (segment.start + segment.offset) // DAY_MS
    last = (segment.end + segment.offset - 1) // DAY_MS
    wanted_first, wanted_last = clock_ms(first_day) // DAY_MS, clock_ms(last_day) // DAY_MS
    for number in range(max(first, wanted_first), min(last, wanted_last) + 1):
        yield first_day + timedelta(days=number - wanted_first)


def _place_span(segment: ClockSegment, day: date, span: ClockSpan) -> Interval | None:
    """Return when the clock shows a part of a day during a stretch, if it does."""
    midnight = clock_ms(day) - segment.offset
    start = max(midnight + span.start * MINUTE_MS, segment.start)
    end = min(midnight + span.end * MINUTE_MS, segment.end)
    return (start, end) if start < end else None


def _list_starts(
    window: Interval, segments: Sequence[ClockSegment], *, duration: int, step: int
) -> Iterator[int]:
    """Yield where slots begin in a free window."""
    start, end = window
    latest = end - duration
    if start > latest:
        return
    yield start
    for segment in segments:
        if segment.end > start and segment.start <= latest:
            yield from _list_steps(segment, max(segment.start, start + 1), latest, step=step)


def _list_steps(segment: ClockSegment, earliest: int, latest: int, *, step: int) -> Iterator[int]:
    """Yield the moments, between two of a stretch, at which the clock shows a multiple of the step."""
    last = min(latest, segment.end - 1)
    day = (earliest + segment.offset) // DAY_MS * DAY_MS
    while (midnight := day - segment.offset) <= last:
        first = midnight + max(0, -(-(earliest - midnight) // step)) * step
        yield from range(first, min(last, midnight + DAY_MS - 1) + 1, step)
        day += DAY_MS


def _next_step(moment: datetime, segments: Sequence[ClockSegment], *, step: int) -> int:
    """Return the first moment from this one on at which the clock shows a multiple of the step."""
    earliest = to_ms(moment + MILLISECOND - RESOLUTION)
    for segment in segments:
        if segment.end > earliest:
            start = max(segment.start, earliest)
            if (found := next(_list_steps(segment, start, segment.end - 1, step=step), None)) is not None:
                return found
    return earliest


def _show_minute(minute: int) -> str:
    return f"{minute // 60:02}:{minute % 60:02}"
