"""What can be done with tasks: make, change, move, do."""

from collections.abc import Collection
from dataclasses import fields
from datetime import date
from typing import Any

from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Role
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.tasks import access, completion, history, links, positions, recurrence, store
from tertulia.tasks.domain import (
    MADE_BY_PERSON,
    NewTask,
    Task,
    TaskEvent,
    TaskFilter,
    TaskLink,
    TaskSort,
    TaskStatus,
)
from tertulia.tasks.errors import TaskUnfit
from tertulia.tasks.events import publish_change
from tertulia.tasks.fields import FIELD_TYPES, fields_of, settle_fields
from tertulia.tasks.task_index import index_task

#: Fields by which a task is found, or by whom.
INDEXED_FIELDS = {"title", "description", "tags", "project_id"}


def create(
    tx: Tx, new: NewTask, *, made_by: str = MADE_BY_PERSON, link: TaskLink | None = None, log: EventLog
) -> Task:
    """Make a task at the end of the order; one that is done already and recurs makes the next too."""
    tx.by.require(Role.MEMBER)
    given: JsonObject = {field.name: getattr(new, field.name) for field in fields(NewTask)}
    settled = settle_fields(tx, NewTask(new.title), given)
    _check_assignee(settled, owner_id=tx.by.user_id)
    task_id, made_at = new_id("tsk"), now()
    is_recurring = bool(settled.rrule)
    columns: dict[str, Any] = {name: getattr(settled, name) for name in FIELD_TYPES}
    task = Task(
        **columns,
        id=task_id,
        owner_id=tx.by.user_id,
        made_by=made_by,
        position=positions.find_end(tx),
        series_id=task_id if is_recurring else None,
        series_start=_find_anchor(settled) if is_recurring else None,
        previous_id=None,
        completed_at=made_at if settled.status is TaskStatus.DONE else None,
        created_at=made_at,
        changed_at=made_at,
    )
    store.add(tx, task)
    if link is not None:
        links.add(tx, task.id, link)
    history.note(tx, [task.id], TaskEvent.CREATED, made_by=made_by)
    index_task(tx, task)
    completion.follow_status(tx, task, was_done=False)
    publish_change(tx, task.project_id, log=log)
    return access.get(tx, task.id)


def change(
    tx: Tx,
    task_id: str,
    values: JsonObject,
    *,
    made_by: str = MADE_BY_PERSON,
    link: TaskLink | None = None,
    log: EventLog,
) -> Task:
    """Set fields of a task; what it said before is kept in its history."""
    tx.by.require(Role.MEMBER)
    before = access.get(tx, task_id)
    changed = _change(tx, before, values, made_by=made_by)
    is_linked = link is not None and links.add(tx, task_id, link)
    if changed or is_linked:
        publish_change(tx, before.project_id, access.get(tx, task_id).project_id, log=log)
    return access.get(tx, task_id)


def change_many(tx: Tx, task_ids: Collection[str], values: JsonObject, *, log: EventLog) -> list[Task]:
    """Set the same fields of several tasks: of all of them, or of none."""
    tx.by.require(Role.MEMBER)
    touched: list[str | None] = []
    for before in access.get_all(tx, task_ids):
        if _change(tx, before, values, made_by=MADE_BY_PERSON):
            touched += [before.project_id, access.get(tx, before.id).project_id]
    publish_change(tx, *touched, log=log)
    return access.get_all(tx, task_ids)


def move(tx: Tx, task_id: str, values: JsonObject, *, after: str | None, log: EventLog) -> Task:
    """Put a task right after another, or before all, and set its status and phase too."""
    tx.by.require(Role.MEMBER)
    before = access.get(tx, task_id)
    if after == task_id:
        raise TaskUnfit("A task cannot come after itself.")
    _change(tx, before, values, made_by=MADE_BY_PERSON)
    place = positions.find_place(tx, access.get(tx, after) if after else None, moved_id=task_id)
    store.place(tx, task_id, place)
    moved = access.get(tx, task_id)
    publish_change(tx, before.project_id, moved.project_id, log=log)
    return moved


def add_link(tx: Tx, task_id: str, link: TaskLink, *, log: EventLog) -> None:
    """Link a task to a conversation; to do so twice changes nothing."""
    task = access.get(tx, task_id)
    if links.add(tx, task.id, link):
        publish_change(tx, task.project_id, log=log)


def list_page(
    tx: Tx, wanted: TaskFilter, *, sort: TaskSort = TaskSort.POSITION, after: str = "", limit: int = 50
) -> list[Task]:
    """Return tasks that the caller may see, in an order, after the one named."""
    last = store.find_deleted_too(tx, after) if after else None
    if after and last is None:
        raise NotFound("task")
    return store.list_page(tx, wanted, sort=sort, after=last, limit=limit)


def list_due(tx: Tx, *, first_day: date, last_day: date) -> list[Task]:
    """Return the tasks left to do whose due date, else start date, is one of these days."""
    return store.list_due(tx, first_day=first_day, last_day=last_day)


def _change(tx: Tx, before: Task, values: JsonObject, *, made_by: str) -> bool:
    """Set fields of a task and do what follows from that; return whether anything changed."""
    settled = settle_fields(tx, fields_of(before), values)
    changed = {
        name: getattr(settled, name)
        for name in FIELD_TYPES
        if getattr(settled, name) != getattr(before, name)
    }
    if not changed:
        return False
    _check_owner(tx, before, settled)
    _check_assignee(settled, owner_id=before.owner_id)
    store.change(tx, before.id, changed | _derive_columns(before, settled, changed))
    told = {name: [getattr(before, name), value] for name, value in changed.items()}
    history.note(tx, [before.id], TaskEvent.CHANGED, made_by=made_by, fields=told)
    after = access.get(tx, before.id)
    if INDEXED_FIELDS & changed.keys():
        index_task(tx, after)
    completion.follow_status(tx, after, was_done=before.is_done)
    return True


def _derive_columns(before: Task, settled: NewTask, changed: JsonObject) -> JsonObject:
    """Return what follows from changed fields: when it was done, and its series."""
    derived: JsonObject = {}
    if "status" in changed and before.is_done != (settled.status is TaskStatus.DONE):
        derived["completed_at"] = None if before.is_done else now()
    if not settled.rrule:
        return derived | {"series_id": None, "series_start": None}
    is_first = before.series_start is None or before.series_start == _find_anchor(fields_of(before))
    if "rrule" in changed or (is_first and {"start_date", "due_date"} & changed.keys()):
        derived |= {"series_id": before.series_id or before.id, "series_start": _find_anchor(settled)}
    return derived


def _find_anchor(task: NewTask) -> date | None:
    """Return the day of a task that its rule is about."""
    if not task.rrule:
        return None
    return recurrence.choose_anchor(task.rrule, start_date=task.start_date, due_date=task.due_date)


def _check_owner(tx: Tx, before: Task, settled: NewTask) -> None:
    """Raise where somebody would take another's task out of its project, so that others lose it."""
    if before.project_id and settled.project_id is None and before.owner_id != tx.by.user_id:
        raise TaskUnfit("Only whoever made a task can take it out of its project.")


def _check_assignee(settled: NewTask, *, owner_id: str) -> None:
    """Raise where somebody is to do what they cannot see."""
    if settled.project_id is None and settled.assignee_id not in (None, owner_id):
        raise TaskUnfit("A task without a project is its owner's alone. Put it into a project to assign it.")
