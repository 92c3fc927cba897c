"""When tasks lie on calendars: told to those whose calendars they are alone."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from tertulia.infra.db import Tx, bound_list


@dataclass(frozen=True, slots=True)
class TaskSchedule:
    """When a person wants to do a task: an event of their own calendar."""

    task_id: str
    event_id: str
    calendar_id: str
    starts_at: datetime
    ends_at: datetime
    #: No replan moves it.
    pinned: bool


def list_own_schedules(tx: Tx, task_ids: Collection[str]) -> dict[str, TaskSchedule]:
    """Return when the caller wants to do those of some tasks that lie on their calendar."""
    sql = f"""SELECT task_id, event_id, calendar_id, starts_at, ends_at, pinned FROM task_schedules
        WHERE workspace_id = :workspace AND user_id = :me AND task_id IN {bound_list("ids")}"""
    found = tx.all(TaskSchedule, sql, ids=list(task_ids)) if task_ids else []
    return {schedule.task_id: schedule for schedule in found}


def is_scheduled(tx: Tx, task_id: str) -> bool:
    """Tell whether a task lies on anybody's calendar."""
    sql = "SELECT 1 FROM task_schedules WHERE task_id = :id AND workspace_id = :workspace LIMIT 1"
    return tx.value(sql, id=task_id) is not None
