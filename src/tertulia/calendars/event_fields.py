"""What people say of an event, read and put into its lines; all other lines stay as they are."""

from dataclasses import fields, replace
from datetime import date, datetime
from typing import Any, cast

import msgspec

from tertulia.calendars.caldav.ical_lines import IcalComponent
from tertulia.calendars.domain import EventStatus, NewEvent
from tertulia.calendars.errors import EventFieldInvalid
from tertulia.calendars.event_lines import put_lines, render, render_alarm, render_moment, render_time
from tertulia.calendars.event_times import EventTimes
from tertulia.core.json_object import JsonObject

FIELD_NAMES = frozenset(field.name for field in fields(NewEvent))
TIME_FIELDS = frozenset({"start", "end", "time_zone"})
TEXT_PROPERTIES = {"title": "SUMMARY", "description": "DESCRIPTION", "location": "LOCATION"}
TITLE_MAX_CHARS = 1_000
TEXT_MAX_CHARS = 50_000
#: How long before an event one can be reminded: four weeks.
REMINDER_MAX_MINUTES = 28 * 24 * 60
EVENT_REMINDERS_MAX = 10
FIELD_TYPES: dict[str, Any] = {
    "calendar_id": str | None,
    "is_transparent": bool,
    "status": EventStatus,
    "reminders": list[int],
}


def values_of(new: NewEvent) -> JsonObject:
    """Return all that is said of a new event."""
    return {name: getattr(new, name) for name in FIELD_NAMES}


def read_values(values: JsonObject) -> JsonObject:
    """Return fields as values of their types: days, times and choices may be told as text."""
    read: JsonObject = {}
    for name, value in values.items():
        if name not in FIELD_NAMES:
            raise EventFieldInvalid(name, "an event has no such field")
        read[name] = read_time(name, value) if name in ("start", "end") else _convert(name, value)
    return read


def read_time(name: str, value: object) -> date | datetime:
    """Return a day or a time."""
    if isinstance(value, date):
        return value
    try:
        told = str(value).strip()
        return datetime.fromisoformat(told) if "T" in told or " " in told else date.fromisoformat(told)
    except ValueError:
        raise EventFieldInvalid(name, "it looks like 2026-03-31T09:30:00+02:00, or 2026-03-31") from None


def _convert(name: str, value: object) -> object:
    try:
        found = msgspec.convert(value, FIELD_TYPES.get(name, str))
    except msgspec.ValidationError as error:
        raise EventFieldInvalid(name, str(error)) from None
    if isinstance(found, str):
        limit = TITLE_MAX_CHARS if name == "title" else TEXT_MAX_CHARS
        if len(found) > limit:
            raise EventFieldInvalid(name, f"it may have {limit} characters")
    if name == "reminders":
        _check_reminders(cast("list[int]", found))
    return found


def _check_reminders(minutes: list[int]) -> None:
    is_fit = all(0 <= lead <= REMINDER_MAX_MINUTES for lead in minutes)
    if not is_fit or len(minutes) > EVENT_REMINDERS_MAX:
        raise EventFieldInvalid(
            "reminders", f"up to {EVENT_REMINDERS_MAX}, each 0 to {REMINDER_MAX_MINUTES} minutes before"
        )


def write_fields(event: IcalComponent, values: JsonObject, *, known: tuple[int, ...] = ()) -> IcalComponent:
    """Return an event with what was said of it, but for its times; `known` are its reminders until now."""
    for name, property_ in TEXT_PROPERTIES.items():
        if name in values:
            text = clean_text(values[name], is_line=name != "description")
            event = put_lines(event, [property_], [render(property_, text)] if text else [])
    if "is_transparent" in values:
        transparency = "TRANSPARENT" if values["is_transparent"] else "OPAQUE"
        event = put_lines(event, ["TRANSP"], [f"TRANSP:{transparency}"])
    if "status" in values:
        event = put_lines(event, ["STATUS"], [f"STATUS:{EventStatus(values['status']).upper()}"])
    if "rrule" in values:
        event = put_lines(event, ["RRULE"], [f"RRULE:{values['rrule']}"] if values["rrule"] else [])
    if "reminders" in values:
        event = write_reminders(event, values["reminders"], known)
    return event


def write_times(event: IcalComponent, times: EventTimes) -> IcalComponent:
    """Return an event at another time."""
    event = put_lines(event, ["DTSTART"], [render_time("DTSTART", times.clock, times.start)])
    return put_lines(event, ["DTEND", "DURATION"], [render_moment("DTEND", times.clock, times.end_ms)])


def write_reminders(event: IcalComponent, minutes: list[int], known: tuple[int, ...]) -> IcalComponent:
    """Return an event with reminders; those that stay keep what else they say."""
    alarms = event.children_named("VALARM")
    wanted = list(dict.fromkeys(minutes))
    if sorted(set(known)) == sorted(wanted):
        return event
    kept = [child for child in event.children if child.name != "VALARM"]
    if len(known) == len(alarms):
        kept += [alarm for alarm, before in zip(alarms, known, strict=True) if before in wanted]
        wanted = [lead for lead in wanted if lead not in known]
    title = event.value("SUMMARY")
    return replace(event, children=(*kept, *(render_alarm(lead, title) for lead in wanted)))


def clean_text(text: str, *, is_line: bool) -> str:
    """Return a text without signs that no calendar file may have."""
    kept = "".join(sign for sign in text if sign in "\n\t" or (ord(sign) >= 32 and ord(sign) != 127))
    return " ".join(kept.split()) if is_line else kept.strip("\n")
