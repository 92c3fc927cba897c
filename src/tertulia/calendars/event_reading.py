"""One VEVENT as values: when it happens, on which clock, and what it says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from tertulia.calendars.caldav.ical_lines import NotCalendarText
from tertulia.calendars.domain import EventStatus
from tertulia.calendars.errors import CalendarTextInvalid, EventRuleInvalid, EventTooLarge
from tertulia.calendars.own_zones import ZONED_TIMES, name_zones_apart
from tertulia.calendars.recurrence_rules import RecurrenceRule, end_of_day, read_rule
from tertulia.core.clock import to_ms

if TYPE_CHECKING:
    from icalendar import Component

ONE_DAY = timedelta(days=1)
#: The longest that an event takes, and the last year in which one lies.
DURATION_MAX = timedelta(days=36_525)
DATE_MAX_YEAR = 9_000
#: All that is kept of one UID.
OBJECT_MAX_BYTES = 1_000_000
#: Components in the text of one UID: exceptions, zones, alarms.
COMPONENTS_MAX = 5_000
UTC_NAMES = ("UTC", "Etc/UTC", "Z", "GMT", "Etc/GMT")
REMINDERS_MAX = 20
#: Without these nobody knows when an event is, or which of its times is meant.
NEEDED_TIMES = ("DTSTART", "RECURRENCE-ID")
READ_TIMES = (*NEEDED_TIMES, "DTEND", "DURATION", "EXDATE", "RDATE")


class TimeKind(StrEnum):
    """On which clock an event happens: by days, on whatever clock is there, or on that of a zone."""

    DAY = "day"
    FLOATING = "floating"
    ZONED = "zoned"


@dataclass(frozen=True, slots=True)
class EventClock:
    """The clock of an event, and how its times become moments."""

    kind: TimeKind
    zone: tzinfo = UTC
    #: The name of the zone; empty where the event names none.
    name: str = ""
    #: The name that stands in the text.
    tzid: str = ""

    def to_ms(self, shown: datetime) -> int:
        """Return the moment at which the clock shows a time; without a zone, as if it were in UTC."""
        return to_ms(shown.replace(tzinfo=self.zone if self.kind is TimeKind.ZONED else UTC))

    def show(self, value: date | datetime) -> datetime:
        """Return what the clock shows at a moment, or at the beginning of a day."""
        if not isinstance(value, datetime):
            return datetime.combine(value, time.min)
        if value.tzinfo is not None and self.kind is TimeKind.ZONED:
            value = value.astimezone(self.zone)
        shown = value.replace(tzinfo=None, microsecond=0)
        return shown.replace(hour=0, minute=0, second=0) if self.kind is TimeKind.DAY else shown

    def name_time(self, shown: datetime) -> str:
        """Return how RFC 5545 names a time: in UTC, as a floating one, or as a day."""
        if self.kind is TimeKind.DAY:
            return f"{shown:%Y%m%d}"
        if self.kind is TimeKind.FLOATING:
            return f"{shown:%Y%m%dT%H%M%S}"
        return f"{shown.replace(tzinfo=self.zone).astimezone(UTC):%Y%m%dT%H%M%SZ}"


@dataclass(frozen=True, slots=True)
class EventPart:
    """One VEVENT: a series, an event by itself, or one time of a series that differs."""

    clock: EventClock
    #: What its clock shows when it begins, for the first time.
    start: datetime
    #: How long it takes: exactly, or in days of its clock.
    duration: timedelta
    is_nominal: bool
    #: Which time of a series it stands for, and whether for all that follow too; None for the series.
    stands_for: date | datetime | None
    is_for_following: bool
    title: str
    description: str
    location: str
    status: EventStatus
    is_transparent: bool
    reminders: tuple[int, ...]
    rule_text: str
    rules: tuple[RecurrenceRule, ...]
    excluded_rules: tuple[RecurrenceRule, ...]
    #: More times, each with a length of its own or none.
    added: tuple[tuple[date | datetime, timedelta | None], ...]
    excluded: tuple[date | datetime, ...]
    #: What of it cannot be reckoned with, in a sentence.
    problem: str

    @property
    def is_busy(self) -> bool:
        """Tell whether it takes time."""
        return not self.is_transparent and self.status is not EventStatus.CANCELLED

    @property
    def all_rules(self) -> tuple[RecurrenceRule, ...]:
        """Return the rules by which it happens, and those by which it does not."""
        return (*self.rules, *self.excluded_rules)

    @property
    def is_recurring(self) -> bool:
        """Tell whether it is a series."""
        return self.stands_for is None and bool(self.rules or self.added)

    def end_ms(self, start: datetime, duration: timedelta | None = None) -> int:
        """Return when a time of it ends that begins when its clock shows this."""
        if duration is None and self.is_nominal:
            return self.clock.to_ms(start + self.duration)
        return self.clock.to_ms(start) + (self.duration if duration is None else duration) // MS


MS = timedelta(milliseconds=1)


def read_components(ics: str) -> list["Component"]:
    """Return the events of a text, or raise where it is no iCalendar with an event."""
    from icalendar import Calendar

    if len(ics) > OBJECT_MAX_BYTES:
        raise EventTooLarge(OBJECT_MAX_BYTES // 1000)
    if ics.upper().count("\nBEGIN:") > COMPONENTS_MAX:
        raise CalendarTextInvalid("one event has too many parts")
    try:
        text, zone_names = name_zones_apart(ics)
        calendar = Calendar.from_ical(text)
    except NotCalendarText as error:
        raise CalendarTextInvalid(str(error)) from None
    except (
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise CalendarTextInvalid(str(error)[:200] or "it is broken") from None
    events = [found for found in calendar.subcomponents if found.name == "VEVENT"]
    if not events:
        raise CalendarTextInvalid("it has no event")
    for event in events:
        _name_zones_back(event, zone_names)
    return events


def _name_zones_back(event: "Component", zone_names: Mapping[str, str]) -> None:
    """Have the times of an event call their zones what its text calls them."""
    for value in (value for name in ZONED_TIMES for value in _as_list(event.get(name))):
        told = zone_names.get(str(value.params.get("TZID", "")))
        if told is not None:
            value.params["TZID"] = told


def read_part(event: "Component") -> EventPart:
    """Return what one VEVENT says; what is broken in it is left out, but it needs a start."""
    broken = list_broken(event)
    if names := [name for name in NEEDED_TIMES if name in broken]:
        raise CalendarTextInvalid(f"the {names[0]} of an event is no time")
    first = _read_time(event, "DTSTART")
    if first is None:
        raise CalendarTextInvalid("an event has no start")
    clock = _read_clock(event, first)
    start = clock.show(first)
    duration, is_nominal = _read_duration(event, first, clock, start)
    if duration > DURATION_MAX or not 1 < start.year < DATE_MAX_YEAR:
        raise CalendarTextInvalid("it is longer than a century, or lies too far away")
    rule_texts = list(_list_rule_texts(event, "RRULE"))
    problems = [f"The {name} of the event cannot be read." for name in broken]
    if clock.kind is TimeKind.FLOATING and clock.tzid:
        problems.append(f"Nobody here knows the time zone “{clock.tzid[:60]}” of the event.")
    stands_for = _read_time(event, "RECURRENCE-ID")
    return EventPart(
        clock=clock,
        start=start,
        duration=duration,
        is_nominal=is_nominal,
        stands_for=stands_for,
        is_for_following=stands_for is not None
        and str(event["RECURRENCE-ID"].params.get("RANGE", "")).upper() == "THISANDFUTURE",
        title=_read_text(event, "SUMMARY"),
        description=_read_text(event, "DESCRIPTION"),
        location=_read_text(event, "LOCATION"),
        status=_read_status(event),
        is_transparent=_read_text(event, "TRANSP").upper() == "TRANSPARENT",
        reminders=tuple(_list_reminders(event, clock, start)),
        rule_text=rule_texts[0] if rule_texts and stands_for is None else "",
        rules=() if stands_for else tuple(_read_rules(rule_texts, clock, start, problems)),
        excluded_rules=tuple(_read_rules(_list_rule_texts(event, "EXRULE"), clock, start, problems)),
        added=tuple(_list_added(event)),
        excluded=tuple(value for value, _ in _list_dates(event, "EXDATE")),
        problem=problems[0] if problems else "",
    )


def list_broken(event: "Component") -> list[str]:
    """Return which times of an event are there and cannot be read."""
    return [name for name in READ_TIMES if any(map(_is_broken, _as_list(event.get(name))))]


def _is_broken(value: Any) -> bool:
    return _get_part(value, "dt") is None and _get_part(value, "dts") is None


def _get_part(value: Any, name: str) -> Any:
    """Return a part of a property; one that is broken has none, and the library raises when asked."""
    try:
        return getattr(value, name, None)
    except ValueError:
        return None


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return cast("list[Any]", value) if isinstance(value, list) else [value]


def _read_text(event: "Component", name: str) -> str:
    found = _as_list(event.get(name))
    return str(found[0]) if found else ""


def _read_time(event: "Component", name: str) -> date | datetime | None:
    found = _as_list(event.get(name))
    value = _get_part(found[0], "dt") if found else None
    return value if isinstance(value, date) else None


def _read_clock(event: "Component", first: date | datetime) -> EventClock:
    if not isinstance(first, datetime):
        return EventClock(TimeKind.DAY)
    told = str(_as_list(event.get("DTSTART"))[0].params.get("TZID", ""))
    if first.tzinfo is None:
        return EventClock(TimeKind.FLOATING, tzid=told)
    name = str(getattr(first.tzinfo, "key", "") or told)
    return EventClock(TimeKind.ZONED, first.tzinfo, "" if name in UTC_NAMES else name, told)


def _read_duration(
    event: "Component", first: date | datetime, clock: EventClock, start: datetime
) -> tuple[timedelta, bool]:
    """Return how long an event takes, and whether that is counted on its clock."""
    is_day = clock.kind is TimeKind.DAY
    end = _read_time(event, "DTEND")
    if end is not None:
        if is_day:
            shown = datetime.combine(end, time.min)
            return max(shown - start, ONE_DAY), True
        # An end without a zone, or as a day, is on the clock of the start.
        is_moment = isinstance(end, datetime) and end.tzinfo is not None and clock.kind is TimeKind.ZONED
        end_ms = to_ms(end) if is_moment and isinstance(end, datetime) else clock.to_ms(clock.show(end))
        return max((end_ms - clock.to_ms(start)) * MS, timedelta()), False
    told = _get_part(_as_list(event.get("DURATION"))[0], "dt") if "DURATION" in event else None
    if isinstance(told, timedelta) and told >= timedelta():
        if is_day:
            return max(timedelta(days=told.days), ONE_DAY), True
        return told, told % ONE_DAY == timedelta()
    return (ONE_DAY, True) if is_day else (timedelta(), False)


def _read_status(event: "Component") -> EventStatus:
    try:
        return EventStatus(_read_text(event, "STATUS").lower())
    except ValueError:
        return EventStatus.CONFIRMED


def _list_reminders(event: "Component", clock: EventClock, start: datetime) -> Iterator[int]:
    """Yield the minutes before the start at which somebody is to be reminded."""
    for alarm in list(event.walk("VALARM"))[:REMINDERS_MAX]:
        trigger = _get_part(_as_list(alarm.get("TRIGGER"))[0], "dt") if "TRIGGER" in alarm else None
        if isinstance(trigger, datetime) and trigger.tzinfo is not None and clock.kind is TimeKind.ZONED:
            trigger = (to_ms(trigger) - clock.to_ms(start)) * MS
        if isinstance(trigger, timedelta) and trigger <= timedelta():
            yield -trigger // timedelta(minutes=1)


def _list_rule_texts(event: "Component", name: str) -> Iterator[str]:
    for rule in _as_list(event.get(name)):
        written = rule.to_ical()
        yield written.decode() if isinstance(written, bytes) else str(written)


def _read_rules(
    texts: Iterable[str], clock: EventClock, start: datetime, problems: list[str]
) -> Iterator[RecurrenceRule]:
    for text in texts:
        try:
            yield read_rule(text, start=start, until=read_until(text, clock))
        except EventRuleInvalid as error:
            problems.append(error.message)


def read_until(text: str, clock: EventClock) -> datetime | None:
    """Return the last time that a rule allows, as the clock of the event shows it."""
    from icalendar import vDDDTypes

    written = next((part[6:] for part in text.upper().split(";") if part.startswith("UNTIL=")), "")
    if not written:
        return None
    try:
        until: Any = cast("Any", vDDDTypes).from_ical(written)
    except ValueError:
        raise EventRuleInvalid("UNTIL has to be a day or a moment such as 20261231T225959Z") from None
    if not isinstance(until, date):
        raise EventRuleInvalid("UNTIL has to be a day or a moment such as 20261231T225959Z")
    return clock.show(until) if isinstance(until, datetime) else end_of_day(until)


def _list_dates(event: "Component", name: str) -> Iterator[tuple[Any, Any]]:
    for dates in _as_list(event.get(name)):
        for given in _get_part(dates, "dts") or ():
            value = _get_part(given, "dt")
            if isinstance(value, tuple):
                yield value
            elif isinstance(value, date):
                yield value, None


def _list_added(event: "Component") -> Iterator[tuple[date | datetime, timedelta | None]]:
    for value, end in _list_dates(event, "RDATE"):
        if isinstance(end, datetime):
            yield value, max(end - value, timedelta())
        else:
            yield value, end
