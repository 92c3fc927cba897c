"""Merging two versions of one event by property, from the version that was last the same.

What one side changed and the other left alone is taken from the one that changed it. What both changed alike
is no conflict. When an event happens is one thing: its start, end and rule are not taken from two sides.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tertulia.calendars.caldav.ical_lines import (
    IcalComponent,
    NotCalendarText,
    canonical_component,
    canonical_line,
    list_events,
    parse_calendar,
    property_name,
    write_calendar,
)

#: What servers and programs write by themselves: it says nothing of what a person changed.
BOOKKEEPING = frozenset(
    {"DTSTAMP", "LAST-MODIFIED", "SEQUENCE", "CREATED", "PRODID", "VERSION", "CALSCALE", "METHOD"}
)
#: The later of both is taken.
LATEST_WINS = ("DTSTAMP", "LAST-MODIFIED")
#: What says together when an event happens, but for the times that were taken out of a series.
TIMING = ("DTSTART", "DTEND", "DURATION", "RRULE", "RDATE", "EXRULE")
EXCEPTIONS = "EXDATE"
ALARMS = "VALARM"
SERIES = ""

#: Which properties go together, each by what people call it.
CONFLICT_NAMES = {
    "SUMMARY": "title",
    "DESCRIPTION": "description",
    "LOCATION": "location",
    "DTSTART": "time",
    EXCEPTIONS: "cancelled dates",
    ALARMS: "reminders",
    "ATTENDEE": "attendees",
    "STATUS": "status",
}


@dataclass(frozen=True, slots=True)
class MergeResult:
    """Both changes in one text, or what they disagree about."""

    content: str
    conflicts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sides:
    """The same component in three versions; None where a version does not have it."""

    base: IcalComponent | None
    ours: IcalComponent | None
    theirs: IcalComponent | None


def is_same_event(content: str, other: str) -> bool:
    """Tell whether two texts say the same of an event, however they are written."""
    try:
        return events_form(content) == events_form(other)
    except NotCalendarText:
        return False


def events_form(content: str) -> list[object]:
    """Return the events of a text in the one form in which two are compared."""
    events = list_events(parse_calendar(content))
    return [canonical_component(events[key], without=BOOKKEEPING) for key in sorted(events)]


def merge_events(base: str, ours: str, theirs: str) -> MergeResult:
    """Return the server's version with our changes in it, or what both changed differently."""
    before = list_events(parse_calendar(base)) if base else {}
    mine, calendar = list_events(parse_calendar(ours)), parse_calendar(theirs)
    other = list_events(calendar)
    conflicts: set[str] = set()
    if is_series_torn(before, mine, other) or is_series_torn(before, other, mine):
        conflicts.add(CONFLICT_NAMES["DTSTART"])
    merged: dict[str, IcalComponent] = {}
    for key in dict.fromkeys((*other, *mine)):
        event, torn = merge_component(Sides(before.get(key), mine.get(key), other.get(key)))
        conflicts |= torn
        if event is not None:
            merged[key] = event
    if conflicts or not merged:
        return MergeResult(theirs, tuple(sorted(conflicts)) or ("event",))
    return MergeResult(write_calendar(with_events(calendar, parse_calendar(ours), merged)))


def with_events(
    theirs: IcalComponent, ours: IcalComponent, events: Mapping[str, IcalComponent]
) -> IcalComponent:
    """Return the server's calendar with other events, and with the zones that ours brought."""
    known = {canonical_zone(zone) for zone in theirs.children_named("VTIMEZONE")}
    zones = tuple(zone for zone in ours.children_named("VTIMEZONE") if canonical_zone(zone) not in known)
    kept = tuple(child for child in theirs.children if child.name != "VEVENT")
    return theirs.with_children((*kept, *zones, *events.values()))


def canonical_zone(zone: IcalComponent) -> str:
    """Return the name that events call a zone by."""
    return zone.value("TZID")


def is_series_torn(
    base: Mapping[str, IcalComponent], moving: Mapping[str, IcalComponent], other: Mapping[str, IcalComponent]
) -> bool:
    """Tell whether one side moved a series of which the other changed single times."""
    if SERIES not in base or SERIES not in moving:
        return False
    is_moved = group_form(base[SERIES], TIMING) != group_form(moving[SERIES], TIMING)
    return is_moved and single_times_form(base) != single_times_form(other)


def single_times_form(events: Mapping[str, IcalComponent]) -> object:
    """Return what is said of single times of a series."""
    taken_out = group_form(events[SERIES], (EXCEPTIONS,)) if SERIES in events else ()
    others = {
        key: canonical_component(event, without=BOOKKEEPING) for key, event in events.items() if key != SERIES
    }
    return taken_out, others


def merge_component(sides: Sides) -> tuple[IcalComponent | None, set[str]]:
    """Return one event of both sides, or None where it is gone, and what they disagree about."""
    base, ours, theirs = (
        canonical_component(side, without=BOOKKEEPING) if side else None
        for side in (sides.base, sides.ours, sides.theirs)
    )
    if ours in (base, theirs):
        return sides.theirs, set()
    if theirs == base:
        return sides.ours, set()
    if sides.ours is None or sides.theirs is None:
        return None, {"event"}
    return merge_properties(sides.base, sides.ours, sides.theirs)


def merge_properties(
    base: IcalComponent | None, ours: IcalComponent, theirs: IcalComponent
) -> tuple[IcalComponent, set[str]]:
    """Return the server's event with our changed properties, and which ones both changed differently."""
    conflicts: set[str] = set()
    lines, children = list(theirs.lines), theirs.children
    for group in property_groups(base, ours, theirs):
        before, mine, other = (group_form(side, group) for side in (base, ours, theirs))
        if mine in (before, other):
            continue
        if group == (EXCEPTIONS,):
            lines = [line for line in lines if property_name(line) != EXCEPTIONS]
            lines += merge_lines(base, ours, theirs)
        elif other != before:
            conflicts.add(CONFLICT_NAMES.get(group[0], group[0].lower()))
        elif group == (ALARMS,):
            kept = tuple(child for child in theirs.children if child.name != ALARMS)
            children = (*kept, *ours.children_named(ALARMS))
        else:
            lines = [line for line in lines if property_name(line) not in group]
            lines += ours.lines_named(*group)
    merged = IcalComponent(theirs.name, tuple(with_latest_marks(lines, ours)), children)
    return merged, conflicts


def property_groups(*sides: IcalComponent | None) -> list[tuple[str, ...]]:
    """Return the properties that any side has, those that go together as one."""
    names = dict.fromkeys(property_name(line) for side in sides if side for line in side.lines)
    single = [(name,) for name in names if name not in BOOKKEEPING and name not in TIMING]
    return [TIMING, (ALARMS,), *single]


def group_form(component: IcalComponent | None, names: tuple[str, ...]) -> tuple[object, ...]:
    """Return some properties in the one form in which two are compared."""
    if component is None:
        return ()
    if names == (ALARMS,):
        alarms = component.children_named(ALARMS)
        return tuple(sorted((canonical_component(alarm) for alarm in alarms), key=repr))
    return tuple(sorted(canonical_line(line) for line in component.lines_named(*names)))


def merge_lines(base: IcalComponent | None, ours: IcalComponent, theirs: IcalComponent) -> list[str]:
    """Return the times that either side took out of a series, without those that either put back."""
    before, mine, other = (
        {canonical_line(line): line for line in side.lines_named(EXCEPTIONS)} if side else {}
        for side in (base, ours, theirs)
    )
    put_back = {line for line in before if line not in mine or line not in other}
    return [line for key, line in {**other, **mine}.items() if key not in put_back]


def with_latest_marks(lines: list[str], ours: IcalComponent) -> list[str]:
    """Return lines with the later of both stamps, and the higher number of the version."""
    found = [line for line in lines if property_name(line) not in (*LATEST_WINS, "SEQUENCE")]
    for name in LATEST_WINS:
        marks = [line for line in (*lines, *ours.lines_named(name)) if property_name(line) == name]
        found += [max(marks, key=lambda line: line.partition(":")[2])] if marks else []
    numbers = [line for line in (*lines, *ours.lines_named("SEQUENCE")) if property_name(line) == "SEQUENCE"]
    return found + ([max(numbers, key=sequence_number)] if numbers else [])


def sequence_number(line: str) -> int:
    """Return the number of a version; 0 where it is none."""
    number = line.partition(":")[2].strip()
    return int(number) if number.isdigit() else 0
