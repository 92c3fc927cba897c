"""What people say of a task, read and brought into agreement: its rule, its days, its project and phase."""

from dataclasses import fields, replace
from datetime import date
from typing import get_type_hints

import msgspec

from tertulia.accounts import members, users
from tertulia.core.clock import now
from tertulia.core.json_object import JsonObject
from tertulia.core.time_zones import day_in_zone, known_time_zone
from tertulia.infra.db import Tx
from tertulia.projects import access as projects
from tertulia.tasks import phase_access, recurrence
from tertulia.tasks.domain import NewTask, Task, TaskType
from tertulia.tasks.errors import (
    DatesReversed,
    FieldUnreadable,
    PhaseElsewhere,
    RuleMissing,
    RuleNeverHappens,
)

FIELD_TYPES = {field.name: get_type_hints(NewTask)[field.name] for field in fields(NewTask)}


def fields_of(task: Task) -> NewTask:
    """Return what people said of a task."""
    return NewTask(**{name: getattr(task, name) for name in FIELD_TYPES})


def read_values(values: JsonObject) -> JsonObject:
    """Return fields as values of their types: days and choices may be told as text."""
    read: JsonObject = {}
    for name, value in values.items():
        if name not in FIELD_TYPES:
            raise FieldUnreadable(name, "a task has no such field")
        try:
            read[name] = msgspec.convert(value, FIELD_TYPES[name])
        except msgspec.ValidationError as error:
            raise FieldUnreadable(name, str(error)) from None
    return read


def settle_fields(tx: Tx, before: NewTask, values: JsonObject) -> NewTask:
    """Return a task's fields with some of them changed, and all in agreement with each other."""
    values = read_values(values)
    wanted = replace(before, **values)
    wanted = _settle_rule(tx, before, wanted, values)
    wanted = _settle_phase(tx, before, wanted, values)
    if wanted.start_date and wanted.due_date and wanted.start_date > wanted.due_date:
        raise DatesReversed
    if wanted.assignee_id and wanted.assignee_id != before.assignee_id:
        members.get(tx, wanted.assignee_id)
    return replace(wanted, tags=list(dict.fromkeys(wanted.tags)))


def _settle_rule(tx: Tx, before: NewTask, wanted: NewTask, values: JsonObject) -> NewTask:
    """Return fields whose type says whether there is a rule, and with a day for the rule to count from."""
    asked = values.get("task_type")
    rule = "" if asked is TaskType.ONE_OFF and "rrule" not in values else wanted.rrule.strip()
    task_type = TaskType.RECURRING if rule else TaskType.ONE_OFF
    if asked not in (None, task_type):
        raise RuleMissing
    wanted = replace(wanted, task_type=task_type, rrule=recurrence.read_rule(rule) if rule else "")
    if not rule:
        return wanted
    if wanted.day is None:
        wanted = replace(wanted, due_date=recurrence.find_day(wanted.rrule, start=find_today(tx)))
    anchor = recurrence.choose_anchor(wanted.rrule, start_date=wanted.start_date, due_date=wanted.due_date)
    is_new = wanted.rrule != before.rrule
    if anchor is None or (is_new and recurrence.find_day(wanted.rrule, start=anchor) is None):
        raise RuleNeverHappens
    return wanted


def _settle_phase(tx: Tx, before: NewTask, wanted: NewTask, values: JsonObject) -> NewTask:
    """Return fields whose phase is one of the project's; a phase alone says which project is meant."""
    if wanted.project_id and wanted.project_id != before.project_id:
        projects.get(tx, wanted.project_id)
    if not values.get("phase_id"):
        is_moved = wanted.project_id != before.project_id
        return replace(wanted, phase_id=None) if is_moved else wanted
    phase = phase_access.get(tx, values["phase_id"])
    if wanted.project_id not in (None, phase.project_id):
        raise PhaseElsewhere
    return replace(wanted, project_id=phase.project_id)


def find_today(tx: Tx) -> date:
    """Return which day it is where the caller is."""
    people = users.list_people(tx, [tx.by.user_id])
    return day_in_zone(now(), known_time_zone(people[0].time_zone if people else None))
