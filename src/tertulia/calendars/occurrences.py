"""The times at which events happen, of the caller's own calendars."""

from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from tertulia.accounts import users
from tertulia.calendars import event_store
from tertulia.calendars.busy_times import list_busy_spans, place_time, show_clock
from tertulia.calendars.calendar_access import list_chosen
from tertulia.calendars.domain import Calendar, CalendarObject, Occurrence, PendingChange
from tertulia.calendars.errors import EventRangeTooLong, TooManyOccurrences
from tertulia.calendars.event_reading import TimeKind
from tertulia.calendars.series import EventSeries, SeriesTime, read_series
from tertulia.core.clock import from_ms, to_ms
from tertulia.core.intervals import Interval, merge_intervals
from tertulia.core.time_zones import known_time_zone
from tertulia.infra.db import Tx, fold_case

#: How much time is looked through at once.
RANGE_MAX = timedelta(days=1_100)
OCCURRENCES_MAX = 20_000
#: Busy times are two numbers each, and a year of full calendars is looked through for free ones.
BUSY_TIMES_MAX = 200_000
#: Times that are worked out for one question, also those that lie outside of it: some seconds of work.
COMPUTED_OCCURRENCES_MAX = 1_000_000
#: What clocks may differ from UTC: events without a zone are looked up with so much around.
ZONE_SLACK = timedelta(hours=26)


@dataclass(slots=True)
class OccurrenceBudget:
    """How many times may be worked out for one question; those that are known already cost nothing."""

    left: int = COMPUTED_OCCURRENCES_MAX

    @contextmanager
    def watch(self, series: EventSeries) -> Generator[None]:
        """Count what is worked out of a series, and raise where that is too much."""
        before = series.computed_count
        yield
        self.left -= series.computed_count - before
        if self.left < 0:
            raise TooManyOccurrences(OCCURRENCES_MAX)


def list_occurrences(
    tx: Tx,
    *,
    start: datetime,
    end: datetime,
    zone: str = "",
    calendar_ids: Collection[str] = (),
    text: str = "",
) -> list[Occurrence]:
    """Return what happens between two moments, in order; without a zone the caller's own."""
    check_range(start, end)
    calendars = {calendar.id: calendar for calendar in list_chosen(tx, calendar_ids)}
    objects = event_store.list_between(
        tx,
        calendars,
        low=start - ZONE_SLACK,
        high=end + ZONE_SLACK,
        text=text,
        limit=OCCURRENCES_MAX + 1,
    )
    if len(objects) > OCCURRENCES_MAX:
        raise TooManyOccurrences(OCCURRENCES_MAX)
    clock = ZoneInfo(zone or find_zone(tx))
    wanted = fold_case(text)
    found: list[Occurrence] = []
    budget = OccurrenceBudget()
    for event in objects:
        series = read_series(event.ics)
        with budget.watch(series):
            times = list(_list_times(series, start, end, clock))
        found += [
            show_time(event, time, calendars, clock)
            for time in times
            if not wanted or _has_text(time, wanted)
        ]
        if len(found) > OCCURRENCES_MAX:
            raise TooManyOccurrences(OCCURRENCES_MAX)
    return sorted(found, key=lambda time: (time.start, not time.is_all_day, time.end, time.object_id))


def list_busy(
    tx: Tx, *, start: datetime, end: datetime, zone: str, calendar_ids: Collection[str] = ()
) -> list[tuple[datetime, datetime]]:
    """Return when blocking events take time between two moments, in order and in as few pieces as it has."""
    check_range(start, end)
    calendars = [calendar.id for calendar in list_chosen(tx, calendar_ids) if calendar.is_blocking]
    rows = event_store.list_busy(tx, calendars, low=start - ZONE_SLACK, high=end + ZONE_SLACK)
    clock = ZoneInfo(zone or find_zone(tx))
    low, high = to_ms(start), to_ms(end)
    busy: list[Interval] = []
    budget = OccurrenceBudget()
    for row in rows:
        if row.is_recurring:
            series = read_series(row.ics)
            with budget.watch(series):
                busy += list_busy_spans(series, low, high, clock)
        else:
            span = (row.starts_at, row.ends_at)
            begun, over = span if row.is_zoned else (show_clock(span[0], clock), show_clock(span[1], clock))
            if begun < high and over > low:
                busy.append((begun, over))
        if len(busy) > BUSY_TIMES_MAX:
            raise TooManyOccurrences(BUSY_TIMES_MAX)
    return [(from_ms(begun), from_ms(over)) for begun, over in merge_intervals(busy)]


def find_zone(tx: Tx) -> str:
    """Return the caller's own time zone."""
    return known_time_zone(users.get(tx, tx.by.user_id).time_zone)


def check_range(start: datetime, end: datetime) -> None:
    """Raise unless a stretch of time is one that can be looked through at once."""
    if not timedelta() < end - start <= RANGE_MAX:
        raise EventRangeTooLong(RANGE_MAX.days)


def show_time(
    event: CalendarObject, time: SeriesTime, calendars: Mapping[str, Calendar], clock: ZoneInfo
) -> Occurrence:
    """Return one time of an event as everybody meets it."""
    part, calendar = time.part, calendars[event.calendar_id]
    start, end = (from_ms(moment).astimezone(clock) for moment in place_time(time, clock))
    is_day = part.clock.kind is TimeKind.DAY
    series = read_series(event.ics)
    return Occurrence(
        object_id=event.id,
        calendar_id=event.calendar_id,
        uid=event.uid,
        title=part.title,
        start=start,
        end=end,
        is_all_day=is_day,
        first_day=from_ms(time.start).date() if is_day else None,
        end_day=from_ms(time.end).date() if is_day else None,
        description=part.description,
        location=part.location,
        time_zone=part.clock.name if part.clock.kind is TimeKind.ZONED else "",
        rrule=series.main.rule_text if series.main else "",
        recurrence_id=time.name or None,
        is_exception=time.is_exception,
        is_transparent=part.is_transparent,
        status=part.status,
        reminders=part.reminders,
        is_blocking=part.is_busy and calendar.is_blocking,
        revision=event.revision,
        is_pending=event.pending is not PendingChange.NONE,
        problem=event.problem,
    )


def _list_times(series: EventSeries, start: datetime, end: datetime, clock: ZoneInfo) -> Iterator[SeriesTime]:
    """Yield the times of an event that share a moment with a stretch, or are a moment in it."""
    low, high = to_ms(start), to_ms(end)
    for time in series.list_times(low, high):
        begun, over = place_time(time, clock)
        if begun < high and (over > low or begun >= low):
            yield time


def _has_text(time: SeriesTime, wanted: str) -> bool:
    part = time.part
    return any(wanted in fold_case(text) for text in (part.title, part.location, part.description))
