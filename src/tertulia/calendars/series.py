"""When an event happens: all its times, with those that were added, taken out or changed."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any, TypeVar, cast

from tertulia.calendars.errors import CalendarTextInvalid
from tertulia.calendars.event_reading import (
    MS,
    EventClock,
    EventPart,
    TimeKind,
    read_components,
    read_part,
)
from tertulia.calendars.recurrence_rules import FIRST_YEAR, LAST_YEAR, start_of_year
from tertulia.core.clock import from_ms

#: Texts of events that are known as values.
SERIES_CACHE_SIZE = 2_048
#: Years of which the times of an event are kept, unless there are more in one than on any day of it.
KEPT_YEARS = 4
KEPT_TIMES_MAX = 750
#: What has no end in sight ends then.
FAR_FUTURE = datetime(LAST_YEAR + 1, 1, 1, tzinfo=UTC)
#: The longest that one time of a series takes: so far back others are looked for.
RECURRING_LENGTH_MAX_MS = 366 * 24 * 3_600_000
T = TypeVar("T")
K = TypeVar("K")
TOO_FAR_AWAY = "its times lie too far away to be reckoned with"
#: A change of the clock, at most, and what zones may differ.
CLOCK_SLACK_MS = 26 * 3_600_000


@dataclass(frozen=True, slots=True)
class SeriesTime:
    """One time of an event in milliseconds; where its part has no zone, as a clock shows it."""

    start: int
    end: int
    part: EventPart
    #: How RFC 5545 names it; empty where the event does not recur.
    name: str
    is_exception: bool

    @property
    def is_zoned(self) -> bool:
        """Tell whether the milliseconds are a moment."""
        return self.part.clock.kind is TimeKind.ZONED


@dataclass(slots=True)
class EventSeries:
    """All that is known of one UID."""

    main: EventPart | None
    #: All parts as they stand in the text.
    in_order: tuple[EventPart, ...]
    #: The times that differ from the others, each by its name in the series.
    overrides: dict[str, EventPart]
    #: Those that stand for all that follow, too, in order.
    following: list[tuple[int, EventPart]]
    #: What its clock shows at the times that were taken out; a day takes out all of it.
    excluded: frozenset[datetime] = frozenset()
    excluded_days: frozenset[date] = frozenset()
    longest_ms: int = 0
    _years: dict[int, list[SeriesTime]] = field(default_factory=dict[int, list[SeriesTime]], repr=False)
    #: From when to when it takes time, by year and the name of the clock on which it happens without a zone.
    busy_years: dict[tuple[int, str], list[tuple[int, int]]] = field(
        default_factory=dict[tuple[int, str], list[tuple[int, int]]], repr=False
    )

    @property
    def parts(self) -> list[EventPart]:
        """Return the series itself, if it is there, and what differs."""
        return [*([self.main] if self.main else []), *self.overrides.values()]

    @property
    def lead(self) -> EventPart:
        """Return the part that speaks for the event."""
        return self.main or next(iter(self.overrides.values()))

    @property
    def is_recurring(self) -> bool:
        """Tell whether there is more to it than one time."""
        return bool(self.overrides) or (self.main is not None and self.main.is_recurring)

    @property
    def is_even(self) -> bool:
        """Tell whether no time of it differs from the others."""
        return not self.overrides and not self.following and not any(length for _, length in self.lead.added)

    @property
    def computed_count(self) -> int:
        """Return how many times its rules have worked out up to now."""
        return sum(rule.computed_count for part in self.in_order for rule in part.all_rules)

    @property
    def is_busy(self) -> bool:
        """Tell whether any time of it takes time."""
        return any(part.is_busy for part in self.parts)

    def list_times(self, start: int, end: int) -> Iterator[SeriesTime]:
        """Yield the times that may share a moment with a stretch, on whichever clock."""
        low, high = start - CLOCK_SLACK_MS, end + CLOCK_SLACK_MS
        for override in self.list_overrides():
            if _meets(override, low, high):
                yield override
        if self.main is None:
            return
        if not self.is_recurring:
            only = self.make_time(self.main.start)
            if _meets(only, low, high):
                yield only
            return
        first_year = year_of(low - self.longest_ms - CLOCK_SLACK_MS)
        for year in range(first_year, year_of(high) + 1):
            times = self.list_year(year)
            for time in times[bisect_left(times, low - self.longest_ms, key=lambda found: found.start) :]:
                if time.start >= high:
                    break
                if _meets(time, low, high):
                    yield time

    def find_time(self, name: str) -> SeriesTime | None:
        """Return one time by its name, in whichever form that is told."""
        if self.main is None or name in self.overrides:
            found = self.overrides.get(name)
            return self._show_override(name, found) if found else None
        shown = self._read_name(name)
        if shown is None:
            return None
        wanted = self.main.clock.name_time(shown)
        if wanted in self.overrides:
            return self._show_override(wanted, self.overrides[wanted])
        return next((time for time in self.list_year(shown.year) if time.name == wanted), None)

    def find_next(self, moment: int) -> SeriesTime | None:
        """Return the first time that is not over at a moment, else the last one."""
        since = year_of(moment - self.longest_ms - CLOCK_SLACK_MS)
        coming = (time for time in self._walk(since=since) if time.end > moment)
        return next(coming, None) or self._find_last()

    def find_first(self) -> SeriesTime | None:
        """Return the first time, if there is any."""
        return next(self._walk(), None)

    def make_time(self, shown: datetime, length: timedelta | None = None) -> SeriesTime:
        """Return the time of the series that begins when its clock shows this."""
        main = self.main or self.lead
        name = main.clock.name_time(shown) if self.is_recurring else ""
        start = main.clock.to_ms(shown)
        for moment, part in reversed(self.following):
            if moment < start and part.clock.kind is main.clock.kind:
                moved = part.clock.show(from_ms(start)) if part.clock.kind is TimeKind.ZONED else shown
                begun = moved + (part.start - part.clock.show(part.stands_for or part.start))
                return SeriesTime(part.clock.to_ms(begun), part.end_ms(begun), part, name, is_exception=True)
        is_exact = length is None and not main.is_nominal
        end = start + main.duration // MS if is_exact else main.end_ms(shown, length)
        return SeriesTime(start, end, main, name, is_exception=False)

    def find_first_shown(self) -> datetime | None:
        """Return what the clock shows at the first time of the series, whatever it became."""
        years = range(max(self.lead.start.year, FIRST_YEAR), LAST_YEAR + 1)
        return next((shown for year in years for shown in self.list_shown(year)), None)

    def has_shown(self, shown: datetime) -> bool:
        """Tell whether the series has a time when its clock shows this, taken out or not."""
        main = self.lead
        in_rules = any(shown in rule.list_year(shown.year) for rule in main.rules)
        return (
            in_rules or shown == main.start or any(main.clock.show(value) == shown for value, _ in main.added)
        )

    def show_name(self, name: str) -> datetime:
        """Return what the clock of the series shows at a time, from its name."""
        return self._read_name(name) or self.lead.start

    def _find_last(self) -> SeriesTime | None:
        """Return the last time of a series that is over."""
        return next(iter(deque(self._walk(), maxlen=1)), None)

    def _walk(self, *, since: int = FIRST_YEAR) -> Iterator[SeriesTime]:
        """Yield all times from a year on, in order of the years in which they would be."""
        overrides = sorted(self.list_overrides(), key=lambda time: time.start)
        if self.main is None or not self.is_recurring:
            yield from overrides if self.main is None else [self.make_time(self.main.start)]
            return
        years = range(max(self.main.start.year, since), LAST_YEAR + 1)
        for year in years:
            later = [time for time in overrides if time.start < _year_start(year + 1)]
            overrides = overrides[len(later) :]
            yield from sorted([*self.list_year(year), *later], key=lambda time: time.start)
        yield from overrides

    def list_year(self, year: int) -> list[SeriesTime]:
        """Return the times of a year that do not differ, in order."""
        times = self._years.get(year)
        if times is None:
            lengths = {self.lead.clock.show(value): length for value, length in self.lead.added}
            found = [self.make_time(shown, lengths.get(shown)) for shown in self.list_shown(year)]
            kept = [time for time in found if time.name not in self.overrides]
            times = sorted(kept, key=lambda time: time.start)
            keep_year(self._years, year, times)
        return times

    def list_shown(self, year: int, *, is_whole: bool = True) -> list[datetime]:
        """Return what the clock shows at the times of a year, exceptions not regarded."""
        main = self.lead
        shown = {time for rule in main.rules for time in rule.list_year(year)}
        if main.start.year == year:
            shown.add(main.start)
        if is_whole:
            added = {main.clock.show(value) for value, _ in main.added}
            shown |= {time for time in added if time.year == year}
            shown -= {time for rule in main.excluded_rules for time in rule.list_year(year)}
            shown = {time for time in shown - self.excluded if time.date() not in self.excluded_days}
        return sorted(shown)

    def list_overrides(self) -> Iterator[SeriesTime]:
        """Yield the times that differ from the others."""
        for name, part in self.overrides.items():
            yield self._show_override(name, part)

    def _show_override(self, name: str, part: EventPart) -> SeriesTime:
        return SeriesTime(
            part.clock.to_ms(part.start), part.end_ms(part.start), part, name, is_exception=True
        )

    def _read_name(self, name: str) -> datetime | None:
        from icalendar import vDDDTypes

        try:
            value: Any = cast("Any", vDDDTypes).from_ical(name)
            return self.lead.clock.show(value) if isinstance(value, date) else None
        except (ValueError, TypeError, OverflowError):
            return None


def keep_year(years: dict[K, list[T]], key: K, times: list[T]) -> None:
    """Keep the times of a year in memory, where they are no more than many series may have."""
    if len(times) > KEPT_TIMES_MAX:
        return
    if len(years) >= KEPT_YEARS:
        years.clear()
    years[key] = times


@lru_cache(maxsize=SERIES_CACHE_SIZE)
def read_series(ics: str) -> EventSeries:
    """Return what a text says of its UID, or raise where it cannot be read."""
    try:
        return _read_series(ics)
    except OverflowError:
        raise CalendarTextInvalid(TOO_FAR_AWAY) from None


def _read_series(ics: str) -> EventSeries:
    parts = [read_part(component) for component in read_components(ics)]
    main = next((part for part in parts if part.stands_for is None), None)
    clock = main.clock if main else None
    longest = _find_longest(parts)
    if main is not None and main.is_recurring and longest > RECURRING_LENGTH_MAX_MS:
        raise CalendarTextInvalid("it recurs, and one of its times takes longer than a year")
    overrides: dict[str, EventPart] = {}
    following: list[tuple[int, EventPart]] = []
    for part in parts:
        if part.stands_for is not None:
            of = clock or part.clock
            shown = of.show(part.stands_for)
            # What was taken out stays out, even where it was changed before.
            if main is None or not _is_excluded(main, shown):
                overrides[of.name_time(shown)] = part
            if part.is_for_following:
                following.append((of.to_ms(shown), part))
    return EventSeries(
        main,
        tuple(parts),
        overrides,
        sorted(following, key=lambda pair: pair[0]),
        excluded=frozenset(main.clock.show(value) for value in main.excluded) if main else frozenset(),
        excluded_days=_list_excluded_days(main) if main else frozenset(),
        longest_ms=longest,
    )


def find_span(series: EventSeries) -> tuple[datetime, datetime]:
    """Return the first start and the last end of all times."""
    starts = [part.clock.to_ms(part.start) for part in series.parts]
    ends = [part.end_ms(part.start) for part in series.parts]
    main = series.main
    if main is None or not main.is_recurring:
        return from_ms(min(starts)), from_ms(max(ends))
    for value, length in main.added:
        shown = main.clock.show(value)
        starts.append(main.clock.to_ms(shown))
        ends.append(main.end_ms(shown, length))
    for rule in main.rules:
        last = rule.find_last()
        if last is None:
            return from_ms(min(starts)), FAR_FUTURE
        ends.append(main.end_ms(last) + (series.longest_ms if series.following else 0))
    return from_ms(min(starts)), min(from_ms(max(ends)), FAR_FUTURE)


def _is_excluded(main: EventPart, shown: datetime) -> bool:
    return any(
        main.clock.show(value) == shown if isinstance(value, datetime) else value == shown.date()
        for value in main.excluded
    )


def _list_excluded_days(main: EventPart) -> frozenset[date]:
    return frozenset(value for value in main.excluded if not isinstance(value, datetime))


def _find_longest(parts: list[EventPart]) -> int:
    """Return how long a time of an event takes at most."""
    lengths = [part.end_ms(part.start) - part.clock.to_ms(part.start) for part in parts]
    added = (length for part in parts for _, length in part.added if length is not None)
    return max([*lengths, *(length // timedelta(milliseconds=1) for length in added)])


def _meets(time: SeriesTime, low: int, high: int) -> bool:
    return time.start < high and (time.end > low or time.start >= low)


def year_of(milliseconds: int) -> int:
    """Return the year of a moment; long ago, all are one."""
    return from_ms(max(milliseconds, -2_000_000_000_000)).year


def _year_start(year: int) -> int:
    return EventClock(TimeKind.FLOATING).to_ms(start_of_year(year))
