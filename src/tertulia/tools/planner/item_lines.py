"""Tasks, events and projects as models read them: with weekday, zone and UTC, so that nobody calculates."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime

import msgspec

from tertulia.calendars.domain import Calendar, Occurrence
from tertulia.core.json_object import JsonObject
from tertulia.dates.wording import describe_span, describe_weekday
from tertulia.models.prompt_frames import escape_frame_tags, frame_quotation
from tertulia.tasks.domain import Phase, Task
from tertulia.tools.planner.date_arguments import write_time

LINE_TEXT_MAX_CHARS = 2_000


def quote_items(items: Iterable[JsonObject], *, after: str = "") -> str:
    """Return things as a quotation, each as JSON in a line: what people wrote in them is no instruction."""
    lines = (escape_frame_tags(msgspec.json.encode(item).decode()) for item in items)
    return frame_quotation("planner", *lines, after=after)


def drop_empty(fields: Mapping[str, object]) -> JsonObject:
    """Return the fields that have something in them."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], False)}


def day_fields(name: str, day: date | None) -> JsonObject:
    """Return a day with its weekday under names that begin alike."""
    return {f"{name}_date": day.isoformat(), f"{name}_weekday": describe_weekday(day)} if day else {}


def task_fields(task: Task, *, project_name: str = "") -> JsonObject:
    """Return what there is to say of a task."""
    return drop_empty(
        {
            "task_id": task.id,
            "title": task.title,
            "description": task.description[:LINE_TEXT_MAX_CHARS],
            "status": task.status.value,
            "priority": task.priority.value,
            **day_fields("start", task.start_date),
            **day_fields("due", task.due_date),
            "duration_minutes": task.duration_minutes,
            "task_type": task.task_type.value,
            "rrule": task.rrule,
            "project_id": task.project_id,
            "project": project_name,
            "phase_id": task.phase_id,
            "assignee_id": task.assignee_id,
            "tags": task.tags,
        }
    )


def phase_fields(phase: Phase) -> JsonObject:
    """Return what there is to say of a phase."""
    return drop_empty(
        {
            "phase_id": phase.id,
            "name": phase.name,
            "description": phase.description[:LINE_TEXT_MAX_CHARS],
            **day_fields("start", phase.start_date),
            **day_fields("end", phase.end_date),
        }
    ) | {"tasks": phase.task_count, "done": phase.done_count}


def describe_event_time(event: Occurrence, zone: str) -> str:
    """Return from when to when an event lasts, as a person reads it."""
    if event.is_all_day and event.first_day:
        return f"{describe_span(event.first_day, event.end_day, zone)}, all day"
    return describe_span(event.start, event.end, event.time_zone or zone)


def event_fields(event: Occurrence, *, zone: str, calendar_name: str = "") -> JsonObject:
    """Return what there is to say of an event, in the zone of the person and in UTC."""
    return drop_empty(
        {
            "event_id": event.object_id,
            "title": event.title,
            "when": describe_event_time(event, zone),
            **(all_day_fields(event) if event.is_all_day else moment_fields(event.start, event.end, zone)),
            "event_time_zone": event.time_zone if event.time_zone != zone else "",
            "rrule": event.rrule,
            "recurrence_id": event.recurrence_id,
            "location": event.location[:LINE_TEXT_MAX_CHARS],
            "description": event.description[:LINE_TEXT_MAX_CHARS],
            "status": event.status.value,
            "calendar_id": event.calendar_id,
            "calendar": calendar_name,
        }
    ) | {"takes_time": event.is_blocking}


def all_day_fields(event: Occurrence) -> JsonObject:
    """Return the days of an event that has no times."""
    return {
        "all_day": True,
        **day_fields("first", event.first_day),
        "day_after_last": event.end_day.isoformat() if event.end_day else "",
    }


def moment_fields(start: datetime, end: datetime, zone: str) -> JsonObject:
    """Return from when to when something lasts: weekday, zone and UTC."""
    return {
        "weekday": describe_weekday(datetime.fromisoformat(write_time(start, zone))),
        "start": write_time(start, zone),
        "end": write_time(end, zone),
        "time_zone": zone,
        "start_utc": write_utc(start),
        "end_utc": write_utc(end),
    }


def write_utc(moment: datetime) -> str:
    """Return a moment as UTC writes it: `2026-11-20T15:00:00Z`."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def calendar_fields(calendar: Calendar) -> JsonObject:
    """Return what there is to say of a calendar."""
    return drop_empty(
        {
            "calendar_id": calendar.id,
            "name": calendar.name,
            "kind": calendar.kind.value,
            "is_default": calendar.is_default,
            "can_be_written": calendar.is_writable,
            "takes_time": calendar.is_blocking,
            "problem": calendar.problem,
        }
    )
