"""Tasks on calendars, and replans, in the database."""

from collections.abc import Collection
from datetime import datetime

import msgspec

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx, bound_list
from tertulia.planning.domain import ScheduledTask, StoredMove, StoredReplan

SCHEDULE_COLUMNS = "task_id, event_id, calendar_id, starts_at, ends_at, pinned"
MINE_SQL = "workspace_id = :workspace AND user_id = :me"


def put(tx: Tx, task_id: str, event_id: str, *, pinned: bool) -> None:
    """Store that an event of the caller's is when they want to do a task."""
    tx.run(
        """INSERT INTO scheduled_tasks
             (task_id, workspace_id, user_id, object_id, pinned, created_at, changed_at)
           VALUES (:task_id, :workspace, :me, :event_id, :pinned, :now, :now)
           ON CONFLICT (task_id, user_id) DO UPDATE SET object_id = :event_id, pinned = :pinned,
             removal_id = NULL, changed_at = :now""",
        task_id=task_id,
        event_id=event_id,
        pinned=pinned,
        now=now(),
    )


def find(tx: Tx, task_id: str) -> ScheduledTask | None:
    """Return when the caller wants to do a task."""
    sql = f"SELECT {SCHEDULE_COLUMNS} FROM task_schedules WHERE {MINE_SQL} AND task_id = :task_id"
    return tx.one(ScheduledTask, sql, task_id=task_id)


def list_from(tx: Tx, start: datetime) -> list[ScheduledTask]:
    """Return the caller's tasks on the calendar that end after a moment, in their order."""
    sql = f"""SELECT {SCHEDULE_COLUMNS} FROM task_schedules WHERE {MINE_SQL} AND ends_at > :start
        ORDER BY starts_at, task_id"""
    return tx.all(ScheduledTask, sql, start=start)


def list_task_ids(tx: Tx, task_ids: Collection[str]) -> set[str]:
    """Return those of some tasks that the caller has on the calendar."""
    sql = f"SELECT task_id FROM task_schedules WHERE {MINE_SQL} AND task_id IN {bound_list('ids')}"
    return set(tx.column(sql, ids=sorted(task_ids)))


def list_event_tasks(tx: Tx, event_ids: Collection[str]) -> dict[str, str]:
    """Return the tasks of some events of the caller's."""
    sql = f"SELECT event_id, task_id FROM task_schedules WHERE {MINE_SQL} AND event_id IN {bound_list('ids')}"
    return {str(event_id): str(task_id) for event_id, task_id in tx.rows(sql, ids=sorted(event_ids))}


def list_people(tx: Tx, task_id: str) -> list[str]:
    """Return everybody who has a task on their calendar, or had it there until it was done or deleted."""
    sql = "SELECT user_id FROM scheduled_tasks WHERE workspace_id = :workspace AND task_id = :task_id"
    return tx.column(sql, task_id=task_id)


def find_removal(tx: Tx, task_id: str) -> str | None:
    """Return the deletion of the event that followed from a task's being done or deleted."""
    sql = f"SELECT removal_id FROM scheduled_tasks WHERE {MINE_SQL} AND task_id = :task_id"
    return tx.value(sql, task_id=task_id)


def set_removal(tx: Tx, task_id: str, removal_id: str | None) -> None:
    """Store which deletion took the event of a task away, or that it is back."""
    sql = f"""UPDATE scheduled_tasks SET removal_id = :removal_id, changed_at = :now
        WHERE {MINE_SQL} AND task_id = :task_id"""
    tx.run(sql, task_id=task_id, removal_id=removal_id, now=now())


def set_pinned(tx: Tx, task_id: str, *, pinned: bool) -> None:
    """Store whether the event of a task stays where it is."""
    sql = f"""UPDATE scheduled_tasks SET pinned = :pinned, changed_at = :now
        WHERE {MINE_SQL} AND task_id = :task_id"""
    tx.run(sql, task_id=task_id, pinned=pinned, now=now())


def add_replan(tx: Tx, moves: list[StoredMove]) -> str:
    """Store what was moved, and return its id."""
    replan_id = new_id("rpl")
    tx.run(
        """INSERT INTO replans (id, workspace_id, user_id, moves, created_at)
           VALUES (:id, :workspace, :me, :moves, :now)""",
        id=replan_id,
        moves=msgspec.to_builtins(moves),
        now=now(),
    )
    return replan_id


def find_replan(tx: Tx, replan_id: str) -> StoredReplan | None:
    """Return a replan of the caller's."""
    sql = f"SELECT id, moves, created_at, undone_at FROM replans WHERE id = :id AND {MINE_SQL}"
    return tx.one(StoredReplan, sql, id=replan_id)


def mark_undone(tx: Tx, replan_id: str) -> None:
    """Store that a replan was undone."""
    tx.run(f"UPDATE replans SET undone_at = :now WHERE id = :id AND {MINE_SQL}", id=replan_id, now=now())
