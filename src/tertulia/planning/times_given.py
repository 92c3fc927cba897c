"""Days and times as callers give them: written as ISO 8601, or in words."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from tertulia.core.clock import from_ms, now
from tertulia.dates.expressions import read_expression, read_range_end
from tertulia.planning.clock_segments import moments_of_clock_time, start_of_day
from tertulia.planning.errors import TimeUnreadable

ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
ISO_START = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d")
#: Days that can be planned.
PLANNED_FIRST_YEAR = 1970
PLANNED_LAST_YEAR = 2199


@dataclass(frozen=True, slots=True)
class DayEdge:
    """A day at which a range of them begins or ends, and the moment of it where one is given."""

    day: date
    moment: datetime | None = None


def read_day(text: str, *, zone: str, since: date | None = None) -> DayEdge:
    """Return the day that is meant, in a zone; where it ends what begins on a day, the last of several.

    Raise `TimeUnreadable` where none is meant.
    """
    given = _read_iso(text)
    if given is None:
        given = _read_words(text, zone=zone) if since is None else _read_end(text, zone=zone, since=since)
    if not PLANNED_FIRST_YEAR <= given.year <= PLANNED_LAST_YEAR:
        raise TimeUnreadable(text)
    if not isinstance(given, datetime):
        return DayEdge(given)
    moment = to_moment(given, zone=zone)
    return DayEdge(moment.astimezone(ZoneInfo(zone)).date(), moment)


def read_start(text: str, *, zone: str) -> datetime:
    """Return the moment at which something is to begin; raise `TimeUnreadable` where only a day is given."""
    moment = _read_iso(text)
    if moment is None:
        reading = read_expression(text, now=now(), zone=zone)
        if reading is None:
            raise TimeUnreadable(text)
        moment = reading.start
    if not isinstance(moment, datetime) or not PLANNED_FIRST_YEAR <= moment.year <= PLANNED_LAST_YEAR:
        raise TimeUnreadable(text)
    return to_moment(moment, zone=zone)


def read_busy_time(start: str, end: str, *, zone: str) -> tuple[datetime, datetime]:
    """Return a busy time; times without an offset are those of the zone, and a day begins at its midnight.

    Where a clock shows a time twice, all that may be meant is busy.
    """
    begin, finish = _read_busy_edge(start, zone=zone)[0], _read_busy_edge(end, zone=zone)[1]
    if finish < begin:
        raise TimeUnreadable(end, message=f"A busy time ends before it begins: {start[:40]} to {end[:40]}.")
    return begin, finish


def to_moment(moment: datetime, *, zone: str) -> datetime:
    """Return a moment in UTC; a time without an offset is the zone's, the first where it comes twice."""
    if moment.tzinfo is not None:
        return moment.astimezone(UTC)
    return from_ms(moments_of_clock_time(moment, ZoneInfo(zone))[0])


def _read_words(text: str, *, zone: str) -> date | datetime:
    """Return the day or time that words mean, or the first day of several."""
    reading = read_expression(text, now=now(), zone=zone)
    if reading is None:
        raise TimeUnreadable(text)
    return reading.start


def _read_end(text: str, *, zone: str, since: date) -> date | datetime:
    """Return the day or time until which words mean, or the last day of several."""
    reading = read_range_end(text, now=now(), zone=zone, since=since)
    if reading is None:
        raise TimeUnreadable(text)
    return reading.last_day if reading.is_all_day else reading.end or reading.start


def _read_busy_edge(text: str, *, zone: str) -> tuple[datetime, datetime]:
    """Return the first and the last moment that an edge of a busy time may mean."""
    moment = _read_iso(text)
    if moment is None or not PLANNED_FIRST_YEAR <= moment.year <= PLANNED_LAST_YEAR:
        raise TimeUnreadable(text)
    if not isinstance(moment, datetime):
        midnight = from_ms(start_of_day(moment, ZoneInfo(zone)))
        return midnight, midnight
    if moment.tzinfo is not None:
        return moment.astimezone(UTC), moment.astimezone(UTC)
    first, last = moments_of_clock_time(moment, ZoneInfo(zone))
    return from_ms(first), from_ms(last)


def _read_iso(text: str) -> date | datetime | None:
    """Return a day or a time that is written as ISO 8601."""
    written = text.strip()
    try:
        if ISO_DAY.fullmatch(written):
            return date.fromisoformat(written)
        return datetime.fromisoformat(written) if ISO_START.match(written) else None
    except ValueError:
        raise TimeUnreadable(text) from None
