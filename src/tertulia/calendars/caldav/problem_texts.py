"""What is wrong between an event here and at its server, in a sentence that says what to do."""

import importlib
from collections.abc import Collection
from typing import Any

from tertulia.calendars.caldav.ical_lines import IcalComponent, NotCalendarText, parse_calendar
from tertulia.calendars.caldav.merge import CONFLICT_NAMES

#: So much of a value that was lost is quoted; the whole text is kept.
QUOTE_MAX_CHARS = 80
PROPERTY_NAMES = {label: name for name, label in CONFLICT_NAMES.items()}
DELETED_THERE = (
    "This event was deleted on {host} while it was changed here. It is kept here alone: change it again to "
    "put it back there, or delete it."
)
DELETED_HERE = (
    "You deleted this event while it was changed on {host}. That version was kept: delete it again if you "
    "do not want it."
)
DELETION_REFUSED = "{host} does not let this event be deleted ({reason}). It was kept."
CHANGE_REFUSED = (
    "{host} does not take this event as it is ({reason}). It is kept here alone: change it, or delete it."
)
STORAGE_FULL = "{host} has no room for this event. Make room there; it will be sent again."
UID_TAKEN = "{host} has this event in another calendar already. Delete it in one of the two."
INCOMPLETE = "Some events could not be read from {host}. They will be asked for again."


def describe_conflict(host: str, conflicts: Collection[str], ours: str) -> str:
    """Return what was changed on both sides and what of ours was not kept."""
    lost = quote_lost(conflicts, ours)
    what = "the event" if "event" in conflicts else " and ".join(sorted(conflicts))
    return (
        f"Both you and somebody on {host} changed {what} at the same time. The version on {host} was kept, "
        f"and yours was not{f' ({lost})' if lost else ''}. Change the event again to apply it."
    )


def quote_lost(conflicts: Collection[str], ours: str) -> str:
    """Return what our version said of what both changed; empty where it is not about one event."""
    try:
        events = parse_calendar(ours).children_named("VEVENT")
    except NotCalendarText:
        return ""
    if len(events) != 1:
        return ""
    quoted = [f"{name} {value}" for name in sorted(conflicts) if (value := quote_value(events[0], name))]
    return ", ".join(quoted)


def quote_value(event: IcalComponent, label: str) -> str:
    """Return the value that people know by a name, as they read it; empty where it has none."""
    value = event.value(PROPERTY_NAMES.get(label, label.upper()))
    if not value:
        return ""
    if label == CONFLICT_NAMES["DTSTART"]:
        return read_moment(value)
    text = value.replace("\\n", " ").replace("\\,", ",").replace("\\;", ";").replace("\\\\", "\\")
    return f"“{text[:QUOTE_MAX_CHARS]}”" if text else ""


def read_moment(value: str) -> str:
    """Return a date, or a date and time, as people write them."""
    prop: Any = importlib.import_module("icalendar.prop")
    try:
        moment = prop.vDDDTypes.from_ical(value.strip())
    except ValueError:
        return value
    return str(moment)[:16]
