"""Time zones that a text describes itself, under names that say which description is meant.

Programs call quite different zones "Customized Time Zone", and the library knows a zone by its name alone,
for all texts and everybody. So a text is read with names that follow from what it says of its zones.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from hashlib import sha256

from tertulia.calendars.caldav.ical_lines import (
    IcalComponent,
    component_lines,
    parse_calendar,
    property_name,
    write_calendar,
)
from tertulia.core.time_zones import time_zone_names

#: Properties whose times may be those of a zone.
ZONED_TIMES = ("DTSTART", "RECURRENCE-ID", "DTEND", "EXDATE", "RDATE")
ZONE_PARAMETER = re.compile(r';TZID=("[^"]*"|[^";:,]*)', re.IGNORECASE)
ZONE_BEGIN = re.compile(r"^BEGIN:VTIMEZONE\s*$", re.IGNORECASE | re.MULTILINE)


def name_zones_apart(ics: str) -> tuple[str, Mapping[str, str]]:
    """Return a text whose own zones stand first, under names of their own, and how it calls each of them.

    Zones that everybody knows keep their names. Raise `NotCalendarText` where the text is none.
    """
    if ZONE_BEGIN.search(ics) is None:
        return ics, {}
    calendar = parse_calendar(ics)
    zones = calendar.children_named("VTIMEZONE")
    names = {name: name_apart(zone) for zone in reversed(zones) if is_own(name := zone_name(zone))}
    if not names:
        return ics, {}
    events = [child for child in calendar.children if child.name != "VTIMEZONE"]
    renamed = [rename_zone(child, names) for child in (*zones, *events)]
    told = {apart: name for name, apart in names.items()}
    return write_calendar(calendar.with_children(tuple(renamed))), told


def zone_name(zone: IcalComponent) -> str:
    """Return how events call a zone that is described."""
    return re.sub(r"\\([,;\\])", r"\1", zone.value("TZID")).strip()


def is_own(name: str) -> bool:
    """Tell whether a zone is known by its description alone."""
    return name != "" and name not in time_zone_names()


def name_apart(zone: IcalComponent) -> str:
    """Return a name that only a zone of the same description has."""
    said = "\n".join(component_lines(zone))
    return f"zone-{sha256(said.encode()).hexdigest()[:32]}"


def zones_of(event: IcalComponent) -> frozenset[str]:
    """Return the names of the zones in which an event has times."""
    lines = event.lines_named(*ZONED_TIMES)
    return frozenset(found[1].strip('"') for line in lines if (found := ZONE_PARAMETER.search(line)))


def rename_zone(component: IcalComponent, names: Mapping[str, str]) -> IcalComponent:
    """Return a zone or an event with other names for zones."""
    if component.name == "VTIMEZONE":
        wanted = names.get(zone_name(component), "")
        lines: Iterable[str] = (
            f"TZID:{_escape(wanted)}" if wanted and property_name(line) == "TZID" else line
            for line in component.lines
        )
        return replace(component, lines=tuple(lines))
    return replace(component, lines=tuple(_rename_in_line(line, names) for line in component.lines))


def _escape(name: str) -> str:
    return re.sub(r"([,;\\])", r"\\\1", name)


def _rename_in_line(line: str, names: Mapping[str, str]) -> str:
    found = ZONE_PARAMETER.search(line) if property_name(line) in ZONED_TIMES else None
    wanted = names.get(found[1].strip('"')) if found else None
    return (
        line
        if found is None or wanted is None
        else f'{line[: found.start()]};TZID="{wanted}"{line[found.end() :]}'
    )
