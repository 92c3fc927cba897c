"""When an event takes time, in milliseconds: what free time is reckoned from, worked out once a year."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from tertulia.calendars.event_reading import MS, EventPart, TimeKind
from tertulia.calendars.series import (
    CLOCK_SLACK_MS,
    EventSeries,
    SeriesTime,
    keep_year,
    year_of,
)
from tertulia.core.clock import from_ms, to_ms
from tertulia.core.intervals import Interval


def list_busy_spans(series: EventSeries, low: int, high: int, clock: ZoneInfo) -> list[Interval]:
    """Return when a series takes time between two moments; what has no zone happens on this clock."""
    spans = [place_time(time, clock) for time in series.list_overrides() if time.part.is_busy]
    if series.main is not None:
        earliest = low - series.longest_ms - CLOCK_SLACK_MS
        for year in range(year_of(earliest - CLOCK_SLACK_MS), year_of(high + CLOCK_SLACK_MS) + 1):
            found = _list_busy_year(series, year, clock)
            spans += found[bisect_left(found, (earliest, earliest)) : bisect_left(found, (high, high))]
    return [span for span in spans if span[0] < high and span[1] > low and span[0] < span[1]]


def place_time(time: SeriesTime, clock: ZoneInfo) -> Interval:
    """Return the moments of a time; without a zone of its own, it happens on this clock."""
    if time.is_zoned:
        return time.start, time.end
    return show_clock(time.start, clock), show_clock(time.end, clock)


def show_clock(shown: int, clock: ZoneInfo) -> int:
    """Return the moment at which a clock shows a time that is given as if it were in UTC."""
    return to_ms(from_ms(shown).replace(tzinfo=clock))


def _list_busy_year(series: EventSeries, year: int, clock: ZoneInfo) -> list[Interval]:
    """Return when the times of a year take time, in order; overrides not among them."""
    key = (year, clock.key)
    found = series.busy_years.get(key)
    if found is None:
        found = sorted(_place_year(series, year, clock))
        keep_year(series.busy_years, key, found)
    return found


def _place_year(series: EventSeries, year: int, clock: ZoneInfo) -> Iterator[Interval]:
    """Yield when the times of a year take time."""
    if series.main is not None and series.is_even:
        if series.main.is_busy:
            yield from _place_even(series.main, series.list_shown(year), clock)
        return
    for time in series.list_year(year):
        if time.part.is_busy:
            yield place_time(time, clock)


def _place_even(part: EventPart, shown_times: Iterable[datetime], clock: ZoneInfo) -> Iterator[Interval]:
    """Yield the moments of times that are all alike."""
    is_zoned = part.clock.kind is TimeKind.ZONED
    zone = part.clock.zone if is_zoned else clock
    # What has no zone ends when the clock shows its end.
    is_exact = is_zoned and not part.is_nominal
    for shown in shown_times:
        start = to_ms(shown.replace(tzinfo=zone))
        if is_exact:
            yield start, start + part.duration // MS
        else:
            yield start, to_ms((shown + part.duration).replace(tzinfo=zone))
