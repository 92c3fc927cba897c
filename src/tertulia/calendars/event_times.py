"""When an event is to be, as people say it: read, checked, and on the clock on which it will be kept."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from tertulia.calendars.errors import EventRuleInvalid, EventTimeInvalid, EventTimesReversed
from tertulia.calendars.event_reading import ONE_DAY, UTC_NAMES, EventClock, TimeKind, read_until
from tertulia.calendars.recurrence_rules import FIRST_YEAR, LAST_YEAR, join_rule, read_rule, split_rule
from tertulia.core.clock import to_ms
from tertulia.core.json_object import JsonObject
from tertulia.core.time_zones import time_zone_names


@dataclass(frozen=True, slots=True)
class EventTimes:
    """When an event begins, as its clock shows it, and the moment when it ends."""

    clock: EventClock
    start: datetime
    end_ms: int

    @property
    def start_ms(self) -> int:
        """Return the moment when it begins; of an event without a zone, what a clock shows."""
        return self.clock.to_ms(self.start)

    @property
    def length_ms(self) -> int:
        """Return how long it takes."""
        return self.end_ms - self.start_ms


def zone_clock(name: str) -> EventClock:
    """Return the clock of a zone, or raise where there is none of that name."""
    if name in UTC_NAMES:
        return EventClock(TimeKind.ZONED, UTC)
    if name not in time_zone_names():
        raise EventTimeInvalid(f"there is no time zone {name!r}; one looks like Europe/Madrid")
    return EventClock(TimeKind.ZONED, ZoneInfo(name), name)


def settle_times(values: JsonObject, before: EventTimes | None, *, zone: str) -> EventTimes:
    """Return when an event is to be, from what is said of it and, for the rest, when it was."""
    start, end = values.get("start"), values.get("end")
    told_zone = str(values.get("time_zone") or "")
    if before is not None and start is None and (told_zone or end is not None):
        start = before.start.date() if before.clock.kind is TimeKind.DAY else before.start
    if start is None:
        raise EventTimeInvalid("it has no start")
    is_day = not isinstance(start, datetime)
    clock = _choose_clock(is_day=is_day, told_zone=told_zone, before=before, start=start, zone=zone)
    shown = _show(start, clock)
    clock = _tell_twice(start, clock)
    shown = _show(start, clock)
    times = EventTimes(clock, shown, _settle_end(end, before, clock, shown))
    if times.end_ms < times.start_ms + (86_400_000 if is_day else 0):
        raise EventTimesReversed
    _check_years(times)
    return times


def settle_rule(rule: str, times: EventTimes) -> str:
    """Return a rule in one form, or raise where events cannot follow it."""
    if not rule.strip():
        return ""
    parts = split_rule(rule)
    if "UNTIL" in parts and "COUNT" in parts:
        raise EventRuleInvalid("it may have COUNT or UNTIL, not both")
    until = read_until(f"UNTIL={parts['UNTIL']}", times.clock) if "UNTIL" in parts else None
    if until is not None:
        parts["UNTIL"] = times.clock.name_time(until)
        if until < times.start:
            raise EventRuleInvalid("its UNTIL is before the event begins")
    found = read_rule(join_rule(parts), start=times.start, until=until)
    if not found.happens():
        raise EventRuleInvalid("by this rule the event never happens again")
    return join_rule(parts)


def _choose_clock(
    *, is_day: bool, told_zone: str, before: EventTimes | None, start: date, zone: str
) -> EventClock:
    if is_day:
        return EventClock(TimeKind.DAY)
    if told_zone and (before is None or told_zone != before.clock.name):
        return zone_clock(told_zone)
    if before is not None and before.clock.kind is TimeKind.ZONED:
        return before.clock
    is_floating = before is not None and before.clock.kind is TimeKind.FLOATING
    if before is not None and is_floating and isinstance(start, datetime) and start.tzinfo is None:
        return before.clock
    return zone_clock(zone)


def _tell_twice(start: date | datetime, clock: EventClock) -> EventClock:
    """Return UTC where a moment is meant that the clock of a zone shows for the second time."""
    if isinstance(start, datetime) and start.tzinfo is not None and clock.kind is TimeKind.ZONED:
        return EventClock(TimeKind.ZONED, UTC) if start.astimezone(clock.zone).fold else clock
    return clock


def _show(value: date | datetime, clock: EventClock) -> datetime:
    return clock.show(value)


def _settle_end(
    end: date | datetime | None, before: EventTimes | None, clock: EventClock, start: datetime
) -> int:
    """Return when an event ends; one that is moved takes as long as before."""
    is_day = clock.kind is TimeKind.DAY
    if end is None:
        if before is not None and (before.clock.kind is TimeKind.DAY) is is_day:
            return clock.to_ms(start) + before.length_ms
        raise EventTimeInvalid("it has no end")
    if isinstance(end, datetime) is is_day:
        raise EventTimeInvalid("its start and its end have to be two days, or two times")
    if isinstance(end, datetime) and end.tzinfo is not None and clock.kind is TimeKind.ZONED:
        return to_ms(end.replace(microsecond=0))
    return clock.to_ms(clock.show(end))


def _check_years(times: EventTimes) -> None:
    end_year = (times.start + (times.end_ms - times.start_ms) // 86_400_000 * ONE_DAY).year
    if not FIRST_YEAR <= times.start.year <= end_year <= LAST_YEAR:
        raise EventTimeInvalid(f"events lie between {FIRST_YEAR} and {LAST_YEAR}")
