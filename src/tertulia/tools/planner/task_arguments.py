"""The arguments by which tasks are written, and what they come to in words."""

from collections.abc import Callable, Iterator
from datetime import date
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tertulia.core.json_object import JsonObject
from tertulia.dates.rule_wording import describe_rule
from tertulia.dates.wording import describe_day
from tertulia.infra.db import Tx
from tertulia.planning.preferences import find_zone
from tertulia.projects import access as projects
from tertulia.tasks import phase_access
from tertulia.tasks.domain import TaskPriority, TaskStatus, TaskType
from tertulia.tools.planner.date_arguments import day_of, last_day_of, read_time
from tertulia.tools.planner.summary_words import quote_words

TASK_TITLE_MAX_CHARS = 200
TASK_DESCRIPTION_MAX_CHARS = 50_000
TASK_DURATION_MAX_MINUTES = 366 * 24 * 60
DAY_HINT = "YYYY-MM-DD, or words such as 'next Friday'."

TaskTitle = Annotated[str, Meta(min_length=1, max_length=TASK_TITLE_MAX_CHARS)]
TaskDescription = Annotated[str, Meta(max_length=TASK_DESCRIPTION_MAX_CHARS)]
TaskMinutes = Annotated[int, Meta(ge=1, le=TASK_DURATION_MAX_MINUTES)]
DayText = Annotated[str, Meta(max_length=200, description=DAY_HINT)]
RuleText = Annotated[str, Meta(max_length=500, description="RFC 5545, such as FREQ=WEEKLY;BYDAY=MO.")]
Tags = Annotated[list[Annotated[str, Meta(min_length=1, max_length=50)]], Meta(max_length=50)]


class TaskUpdates(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Fields of a task to set; an empty text takes a date, a rule, a project or a phase away."""

    title: TaskTitle | None = None
    description: TaskDescription | None = None
    status: TaskStatus | None = None
    priority: TaskPriority | None = None
    start_date: DayText | None = None
    due_date: DayText | None = None
    duration_minutes: TaskMinutes | None = None
    task_type: TaskType | None = None
    rrule: RuleText | None = None
    project_id: str | None = None
    phase_id: str | None = None
    assignee_id: str | None = None
    tags: Tags | None = None


#: Fields that an empty text takes away.
CLEARED_FIELDS = ("start_date", "due_date", "project_id", "phase_id", "assignee_id")


def resolve_days(tx: Tx, *, start: str | None, due: str | None, rrule: str | None) -> dict[str, str | None]:
    """Return the days and the rule that are meant, as they are written exactly."""
    zone = find_zone(tx)
    first, last = (read_time(text, zone=zone) if text else None for text in (start, due))
    said_rule = (first.rrule if first else "") or (last.rrule if last else "")
    return {
        "start_date": day_of(first.start, zone).isoformat() if first else start,
        "due_date": last_day_of(last, zone).isoformat() if last else due,
        "rrule": said_rule if rrule is None and said_rule else rrule,
    }


def given_fields(arguments: msgspec.Struct, *, except_names: tuple[str, ...] = ()) -> JsonObject:
    """Return the fields that were given, as tasks take them."""
    given = {name: value for name, value in msgspec.structs.asdict(arguments).items() if value is not None}
    return {
        name: None if name in CLEARED_FIELDS and value == "" else value
        for name, value in given.items()
        if name not in except_names
    }


def describe_fields(tx: Tx, fields: JsonObject) -> Iterator[str]:
    """Yield what fields of a task come to, each as a person reads it."""
    for name, value in fields.items():
        label = name.removesuffix("_id").removesuffix("_date").removesuffix("_minutes").replace("_", " ")
        yield f"{label}: {describe_value(tx, name, value)}"


def describe_value(tx: Tx, name: str, value: object) -> str:
    """Return the value of a field of a task in words."""
    if value in (None, "", []):
        return "none"
    describe = VALUE_DESCRIPTIONS.get(name)
    told = describe(tx, value) if describe else str(value)
    shown = " ".join(told.split())
    return shown if len(shown) <= TASK_TITLE_MAX_CHARS else f"{shown[:TASK_TITLE_MAX_CHARS]}…"


VALUE_DESCRIPTIONS: dict[str, Callable[[Tx, Any], str]] = {
    "start_date": lambda _, day: describe_day(date.fromisoformat(day)),
    "due_date": lambda _, day: describe_day(date.fromisoformat(day)),
    "project_id": lambda tx, id_: quote_words(projects.get(tx, id_).name),
    "phase_id": lambda tx, id_: quote_words(phase_access.get(tx, id_).name),
    "duration_minutes": lambda _, minutes: f"{minutes} minutes",
    "rrule": lambda _, rrule: describe_rule(rrule),
    "tags": lambda _, tags: ", ".join(tags),
    "status": lambda _, status: str(status).replace("_", " "),
    "task_type": lambda _, task_type: str(task_type).replace("_", "-"),
}
