"""Days and times in the arguments of a call: what is said in words becomes exact before anybody is asked."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from tertulia.core.clock import now
from tertulia.core.time_zones import check_time_zone
from tertulia.dates.expressions import read_expression, read_range_end
from tertulia.dates.local_moments import make_local_moment
from tertulia.infra.db import Tx
from tertulia.planning.preferences import find_zone
from tertulia.tools.planner.errors import DateRecurs, DateUnclear, TimeMissing, ZoneUnknown

ISO_DAY_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}")
ISO_MOMENT_PATTERN = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:?\d{2}.*")
#: What may stand around a date in an argument without meaning anything else.
FILLER_PATTERN = re.compile(
    r"(?:\b(?:on|at|by|the|due|until|from|for|starting)\b|[\s,.;:!()-])*", re.IGNORECASE
)
CLOCK_TIME_PATTERN = re.compile(r"\d{1,2}:\d{2}")
ARGUMENT_SHOWN_MAX_CHARS = 80
#: Days that can be planned: beyond them there are none that every zone has.
PLANNED_YEARS = range(1970, 2200)


@dataclass(frozen=True, slots=True)
class GivenTime:
    """A day or a moment that was given, with what a person should know of how it was read."""

    start: date | datetime
    #: The day after the last, or the moment of the end, where one was given too.
    end: date | datetime | None = None
    #: A rule of RFC 5545, where it recurs.
    rrule: str = ""
    note: str = ""

    @property
    def is_all_day(self) -> bool:
        """Tell whether no time of day was given."""
        return not isinstance(self.start, datetime)


def choose_zone(tx: Tx, name: str | None) -> str:
    """Return the time zone that is named, else the caller's; raise where there is none of that name."""
    if not name:
        return find_zone(tx)
    try:
        return check_time_zone(name)
    except ValueError:
        raise ZoneUnknown(name[:ARGUMENT_SHOWN_MAX_CHARS]) from None


def read_time(text: str, *, zone: str, day: date | None = None) -> GivenTime:
    """Return the day or moment that is meant, in a zone; raise `DateUnclear` where that is not sure.

    A time of day alone is one of `day`, where that is given.
    """
    written = text.strip()
    if day is not None and CLOCK_TIME_PATTERN.fullmatch(written):
        written = f"{day.isoformat()}T{written:0>5}"
    try:
        given = read_written(written, zone=zone) or read_words(written, zone=zone, day=day)
    except (ValueError, OverflowError):
        raise DateUnclear(written[:ARGUMENT_SHOWN_MAX_CHARS]) from None
    if given.start.year not in PLANNED_YEARS:
        raise DateUnclear(written[:ARGUMENT_SHOWN_MAX_CHARS])
    return given


def read_written(text: str, *, zone: str) -> GivenTime | None:
    """Return the day or moment that is written as ISO 8601; None where it is words."""
    if ISO_DAY_PATTERN.fullmatch(text):
        return GivenTime(date.fromisoformat(text))
    if ISO_MOMENT_PATTERN.fullmatch(text):
        return read_iso_moment(datetime.fromisoformat(text), zone=zone)
    return None


def read_iso_moment(moment: datetime, *, zone: str) -> GivenTime:
    """Return a moment as the clocks of a zone show it; without an offset it is a time of that zone."""
    if moment.tzinfo is not None:
        return GivenTime(moment.astimezone(ZoneInfo(zone)).replace(microsecond=0))
    local = make_local_moment(moment.date(), moment.hour * 60 + moment.minute, zone)
    return GivenTime(local.moment, note=local.note)


def read_words(text: str, *, zone: str, day: date | None = None) -> GivenTime:
    """Return what words on a day or time mean; all of them must be understood."""
    shown = text[:ARGUMENT_SHOWN_MAX_CHARS]
    reading = read_expression(text, now=now(), zone=zone)
    if reading is not None and reading.is_time_alone and day is not None:
        reading = read_expression(text, now=make_local_moment(day, 0, zone).moment, zone=zone)
    if reading is None:
        raise DateUnclear(shown)
    if not FILLER_PATTERN.fullmatch(reading.rest):
        raise DateUnclear(shown, read=reading.said)
    return GivenTime(reading.start, reading.end, reading.rrule, reading.note)


def read_moment(text: str, *, zone: str) -> tuple[datetime, str]:
    """Return the moment at which something begins, and a note on it; a day alone is not enough."""
    given = read_once(text, zone=zone)
    if not isinstance(given.start, datetime):
        raise TimeMissing(text[:ARGUMENT_SHOWN_MAX_CHARS])
    return given.start, given.note


def read_once(text: str, *, zone: str) -> GivenTime:
    """Return the day or moment that is meant; raise `DateRecurs` where it is one that comes again."""
    given = read_time(text, zone=zone)
    if given.rrule:
        raise DateRecurs(text.strip()[:ARGUMENT_SHOWN_MAX_CHARS])
    return given


def read_until(text: str, *, zone: str, since: date) -> GivenTime:
    """Return when a range of days ends: behind a Monday, "Friday" is the one after it."""
    given = read_once(text, zone=zone)
    if read_written(text.strip(), zone=zone) is not None:
        return given
    later = read_range_end(text, now=now(), zone=zone, since=since)
    return given if later is None else GivenTime(later.start, later.end, note=later.note)


def read_first_day(text: str, *, zone: str) -> date:
    """Return the day that is meant, the first one of several."""
    return day_of(read_once(text, zone=zone).start, zone)


def read_last_day(text: str, *, zone: str, since: date | None = None) -> date:
    """Return the day that is meant, the last one of several; of a weekday, the one from a day on."""
    given = read_once(text, zone=zone) if since is None else read_until(text, zone=zone, since=since)
    return last_day_of(given, zone)


def last_day_of(given: GivenTime, zone: str) -> date:
    """Return the last of the days that are given, or the only one."""
    if given.end is None or isinstance(given.end, datetime):
        return day_of(given.start, zone)
    return given.end - timedelta(days=1)


def day_of(moment: date | datetime, zone: str) -> date:
    """Return the day of a moment in a zone; a day is itself."""
    return moment.astimezone(ZoneInfo(zone)).date() if isinstance(moment, datetime) else moment


def moment_of(moment: date | datetime) -> datetime | None:
    """Return a moment in UTC; None of a day."""
    return moment.astimezone(UTC) if isinstance(moment, datetime) else None


def write_time(moment: date | datetime, zone: str) -> str:
    """Return a day or a moment as it is written exactly: a moment with the offset of its zone."""
    if isinstance(moment, datetime):
        return moment.astimezone(ZoneInfo(zone)).isoformat(timespec="seconds")
    return moment.isoformat()
