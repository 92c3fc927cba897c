"""Events as lines of iCalendar: written by the library, and put into a text whose other lines stay."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Any

from tertulia.calendars.caldav.ical_lines import (
    FOLD_PATTERN,
    IcalComponent,
    NotCalendarText,
    parse_calendar,
    property_name,
)
from tertulia.calendars.errors import CalendarTextInvalid
from tertulia.calendars.event_reading import EventClock, TimeKind
from tertulia.calendars.own_zones import is_own, zone_name, zones_of
from tertulia.core.clock import from_ms, now

PRODUCT_ID = "-//Tertulia//Calendar//EN"
#: A zone is told for so many years around an event that does not recur.
ZONE_YEARS = 2
#: A calendar, its events, and their alarms; nobody needs more.
COMPONENT_DEPTH_MAX = 10


def parse_text(ics: str) -> IcalComponent:
    """Return the tree of a text, or raise where it is no whole calendar."""
    try:
        calendar = parse_calendar(ics)
    except NotCalendarText as error:
        raise CalendarTextInvalid(str(error)) from None
    check_depth(calendar)
    return calendar


def check_depth(calendar: IcalComponent) -> None:
    """Raise where components lie too deep in each other to be written again."""
    level, depth = [calendar], 0
    while level:
        depth += 1
        if depth > COMPONENT_DEPTH_MAX:
            raise CalendarTextInvalid("its parts lie too deep in each other")
        level = [child for component in level for child in component.children]


def new_calendar(*children: IcalComponent) -> IcalComponent:
    """Return a calendar around components."""
    return IcalComponent("VCALENDAR", ("VERSION:2.0", f"PRODID:{PRODUCT_ID}"), children)


def render(name: str, value: Any, **parameters: str) -> str:
    """Return a property as the library writes it, on one line."""
    from icalendar import Event

    event = Event()
    event.add(name, value, parameters=parameters)
    return FOLD_PATTERN.sub("", event.to_ical().decode()).replace("\r\n", "\n").split("\n")[1]


def render_time(name: str, clock: EventClock, shown: datetime) -> str:
    """Return a time as a property, as the clock of an event shows it."""
    if clock.kind is TimeKind.DAY:
        return render(name, shown.date(), VALUE="DATE")
    if clock.kind is TimeKind.FLOATING:
        return render(name, shown)
    if not clock.name:
        return render(name, shown.replace(tzinfo=UTC))
    return render(name, shown, TZID=clock.tzid or clock.name)


def render_times(name: str, clock: EventClock, times: Iterable[datetime]) -> list[str]:
    """Return several times, each as a property of its own."""
    return [render_time(name, clock, shown) for shown in sorted(set(times))]


def render_moment(name: str, clock: EventClock, moment_ms: int) -> str:
    """Return a moment as a property; one that the clock shows twice is told in UTC."""
    moment = from_ms(moment_ms)
    if clock.kind is not TimeKind.ZONED:
        return render_time(name, clock, moment.replace(tzinfo=None))
    shown = moment.astimezone(clock.zone)
    if shown.fold:
        return render(name, moment)
    return render_time(name, clock, shown.replace(tzinfo=None))


def render_alarm(minutes: int, title: str) -> IcalComponent:
    """Return a reminder so many minutes before the start."""
    trigger = render("TRIGGER", timedelta(minutes=-minutes))
    return IcalComponent("VALARM", ("ACTION:DISPLAY", render("DESCRIPTION", title or "Reminder"), trigger))


def put_lines(event: IcalComponent, names: Iterable[str], lines: Sequence[str]) -> IcalComponent:
    """Return an event with other lines for some properties, where the first of them stood."""
    wanted = {name.upper() for name in names}
    place = next(
        (place for place, line in enumerate(event.lines) if property_name(line) in wanted), len(event.lines)
    )
    before = [line for line in event.lines[:place] if property_name(line) not in wanted]
    after = [line for line in event.lines[place:] if property_name(line) not in wanted]
    return replace(event, lines=(*before, *lines, *after))


def touch(event: IcalComponent) -> IcalComponent:
    """Return an event marked as changed now."""
    moment = now().replace(microsecond=0)
    number = event.value("SEQUENCE").strip()
    sequence = int(number) + 1 if number.isdigit() and len(number) < 9 else 1
    marked = put_lines(event, ["DTSTAMP"], [render("DTSTAMP", moment)])
    marked = put_lines(marked, ["LAST-MODIFIED"], [render("LAST-MODIFIED", moment)])
    return put_lines(marked, ["SEQUENCE"], [f"SEQUENCE:{sequence}"])


def with_zones(calendar: IcalComponent) -> IcalComponent:
    """Return a calendar that tells of each zone that its events name and everybody knows, in their years."""
    events = calendar.children_named("VEVENT")
    names = {name for event in events for name in zones_of(event)}
    is_lasting = any(event.lines_named("RRULE", "RDATE") for event in events)
    years = [int(event.value("DTSTART")[:4]) for event in events if event.value("DTSTART")[:4].isdigit()]
    span = None if is_lasting or not years else (min(years) - ZONE_YEARS, max(years) + ZONE_YEARS)
    kept = tuple(child for child in calendar.children if not _is_bounded(child))
    told = {zone_name(child) for child in kept if child.name == "VTIMEZONE"}
    missing = sorted(name for name in names - told if name and not is_own(name))
    return calendar.with_children((*(describe_zone(name, span) for name in missing), *kept))


def _is_bounded(component: IcalComponent) -> bool:
    """Tell whether a zone that everybody knows is told of for some years, which may not be those needed."""
    if component.name != "VTIMEZONE" or is_own(zone_name(component)):
        return False
    has_rule = any(child.lines_named("RRULE") for child in component.children)
    return not has_rule and len(component.children) > 1


@lru_cache(maxsize=64)
def describe_zone(name: str, years: tuple[int, int] | None) -> IcalComponent:
    """Return how the clocks of a zone are changed."""
    from icalendar import Calendar, Timezone

    if years is None:
        zone = Timezone.from_tzid(name)
    else:
        zone = Timezone.from_tzid(name, first_date=date(years[0], 1, 1), last_date=date(years[1], 1, 1))
    calendar = Calendar()
    calendar.add_component(zone)
    found = parse_calendar(calendar.to_ical().decode()).children[0]
    return replace(found, lines=tuple(line for line in found.lines if property_name(line) != "COMMENT"))
