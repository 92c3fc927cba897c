"""What the clock of a time zone shows: stretches during which it is not changed.

Python's zones tell the offset at a moment, and not when it changes. That is looked for here, so that days of
23 or 25 hours, half-hour changes and days that a zone leaves out need no case of their own.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tertulia.core.clock import EPOCH, from_ms, to_ms

SECOND_MS = 1_000
MINUTE_MS = 60 * SECOND_MS
DAY_MS = 24 * 60 * MINUTE_MS
#: No zone has changed its clock twice within so little time.
CLOCK_CHANGE_APART_MS = DAY_MS // 2
#: More than any zone is ahead of or behind UTC.
OFFSET_MAX_MS = 26 * 60 * MINUTE_MS


@dataclass(frozen=True, slots=True)
class ClockSegment:
    """A stretch of time in which a clock is ahead of UTC by one offset, in milliseconds."""

    start: int
    end: int
    offset: int


def list_segments(start: int, end: int, zone: ZoneInfo) -> list[ClockSegment]:
    """Return the stretches between two moments in which the clock of a zone goes on evenly."""
    segments: list[ClockSegment] = []
    segment_start, offset = start, offset_at(start, zone)
    position = start
    while position < end:
        following = min(position + CLOCK_CHANGE_APART_MS, end)
        changed = offset_at(following, zone)
        if changed != offset:
            change = _find_change(position, following, zone)
            segments.append(ClockSegment(segment_start, change, offset))
            segment_start, offset = change, changed
        position = following
    if segment_start < end:
        segments.append(ClockSegment(segment_start, end, offset))
    return segments


def list_segments_of_days(first_day: date, last_day: date, zone: ZoneInfo) -> list[ClockSegment]:
    """Return the stretches of a range of days, with enough on both sides for any offset."""
    start, end = clock_ms(first_day) - OFFSET_MAX_MS, clock_ms(last_day) + DAY_MS + OFFSET_MAX_MS
    return list_segments(start, end, zone)


def offset_at(moment: int, zone: ZoneInfo) -> int:
    """Return by how many milliseconds the clock of a zone is ahead of UTC at a moment."""
    offset = from_ms(moment).astimezone(zone).utcoffset() or timedelta()
    return offset // timedelta(milliseconds=1)


def clock_ms(day: date) -> int:
    """Return the start of a day as a clock shows it, in milliseconds since a clock showed 1970."""
    return (day - EPOCH.date()).days * DAY_MS


def moments_of_clock_time(shown: datetime, zone: ZoneInfo) -> tuple[int, int]:
    """Return the first and the last moment at which a clock shows a time.

    Both are the same but where the clock is set back, and that of the change where the time is left out.
    """
    clock = to_ms(shown.replace(tzinfo=EPOCH.tzinfo))
    segments = list_segments(clock - OFFSET_MAX_MS, clock + OFFSET_MAX_MS, zone)
    found = [
        clock - segment.offset
        for segment in segments
        if segment.start <= clock - segment.offset < segment.end
    ]
    if not found:
        found = [segment.start for segment in segments if clock < segment.start + segment.offset][:1]
    return found[0], found[-1]


def start_of_day(day: date, zone: ZoneInfo) -> int:
    """Return the first moment at which it is this day or, where a zone leaves it out, a later one."""
    return moments_of_clock_time(datetime.combine(day, time()), zone)[0]


def _find_change(before: int, after: int, zone: ZoneInfo) -> int:
    """Return the first moment, to the second, at which the offset is no longer that of `before`."""
    offset = offset_at(before, zone)
    while after - before > SECOND_MS:
        middle = (before + after) // 2 // SECOND_MS * SECOND_MS
        # Halves are cut to whole seconds, in which clocks are changed.
        middle = max(middle, before + SECOND_MS)
        if offset_at(middle, zone) == offset:
            before = middle
        else:
            after = middle
    return after // SECOND_MS * SECOND_MS
