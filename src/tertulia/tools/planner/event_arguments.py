"""The arguments by which events are written, and when they say that something happens."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from msgspec import Meta

from tertulia.calendars.domain import Occurrence
from tertulia.dates.wording import describe_span
from tertulia.tools.planner.date_arguments import GivenTime, day_of, read_time, write_time
from tertulia.tools.planner.errors import EndsBeforeStart

EVENT_DEFAULT_DURATION = timedelta(hours=1)
EVENT_MAX_MINUTES = 366 * 24 * 60

TimeText = Annotated[
    str,
    Meta(
        max_length=200,
        description="2026-11-20T16:00, for all day 2026-11-20, or words such as 'next Friday at 4 pm'.",
    ),
]
EventTitle = Annotated[str, Meta(min_length=1, max_length=500)]
EventText = Annotated[str, Meta(max_length=20_000)]
EventMinutes = Annotated[int, Meta(ge=1, le=EVENT_MAX_MINUTES)]
ZoneName = Annotated[
    str, Meta(max_length=100, description="Such as Europe/Madrid; the person's if left out.")
]


@dataclass(frozen=True, slots=True)
class EventTime:
    """When something happens: days, the end being the day after the last, or moments."""

    start: date | datetime
    end: date | datetime
    zone: str
    rrule: str = ""
    note: str = ""

    @property
    def is_all_day(self) -> bool:
        """Tell whether it takes whole days."""
        return not isinstance(self.start, datetime)

    @property
    def written_start(self) -> str:
        """Return the start as it is written exactly."""
        return write_time(self.start, self.zone)

    @property
    def written_end(self) -> str:
        """Return the end as it is written exactly: of whole days the last one."""
        return write_time(self.end if isinstance(self.end, datetime) else last_day(self.end), self.zone)

    def describe(self) -> str:
        """Return from when to when it lasts as a person reads it."""
        told = describe_span(self.start, self.end, self.zone)
        return f"{told}, all day" if self.is_all_day else told


def last_day(end: date) -> date:
    """Return the last day of what ends before a day."""
    return end - timedelta(days=1)


def read_event_time(
    start: str,
    end: str | None,
    *,
    minutes: int | None,
    zone: str,
    usual: timedelta = EVENT_DEFAULT_DURATION,
    day: date | None = None,
) -> EventTime:
    """Return when something happens: `usual` is how long it lasts where nothing says so.

    A start that is a time of day alone is one of `day`, and such an end one of the day of the start.
    """
    begin = read_time(start, zone=zone, day=day)
    finish = choose_end(begin, end, minutes=minutes, zone=zone, usual=usual)
    if not is_before(begin.start, finish):
        raise EndsBeforeStart
    return EventTime(begin.start, finish, zone, begin.rrule, begin.note)


def is_before(start: date | datetime, end: date | datetime) -> bool:
    """Tell whether one day or moment is before another; clocks that show a time twice do not matter."""
    if isinstance(start, datetime) and isinstance(end, datetime):
        return start.astimezone(UTC) < end.astimezone(UTC)
    return not isinstance(start, datetime) and not isinstance(end, datetime) and start < end


def choose_end(
    begin: GivenTime, end: str | None, *, minutes: int | None, zone: str, usual: timedelta
) -> date | datetime:
    """Return when something ends that begins at a time: as is said, after some minutes, or as is usual."""
    if end:
        given = read_time(
            end, zone=zone, day=begin.start if begin.is_all_day else day_of(begin.start, zone)
        ).start
        return given if isinstance(given, datetime) else given + timedelta(days=1)
    if not isinstance(begin.start, datetime):
        return begin.end if begin.end is not None else begin.start + timedelta(days=1)
    if minutes is None and isinstance(begin.end, datetime):
        return begin.end
    length = usual if minutes is None else timedelta(minutes=minutes)
    return (begin.start.astimezone(UTC) + length).astimezone(ZoneInfo(zone))


def time_of(event: Occurrence, zone: str) -> EventTime:
    """Return when an event happens."""
    if event.is_all_day and event.first_day and event.end_day:
        return EventTime(event.first_day, event.end_day, zone)
    return EventTime(event.start, event.end, event.time_zone or zone)
