"""Tasks in the database."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from tertulia.core.clock import now
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Tx, bound_list, escape_like, fold_case, like_folded, stored_list
from tertulia.projects.visibility import of_visible_conversation_sql
from tertulia.tasks.domain import Task, TaskFilter, TaskLinkKind, TaskSort, TaskStatus

#: The room between two tasks: so many halvings of it, and all are numbered anew.
POSITION_STEP = 2**32
#: A phase that was deleted is a task's again once that is undone, if the task stayed in its project.
PHASE_SQL = """(SELECT p.id FROM phases AS p WHERE p.id = tasks.phase_id
    AND p.project_id = tasks.project_id AND p.deleted_at IS NULL)"""
TASK_COLUMNS = f"""id, project_id, owner_id, made_by, title, description, status, priority, task_type, rrule,
    duration_minutes, start_date, due_date, {PHASE_SQL} AS phase_id, assignee_id, tags, position, series_id,
    series_start, previous_id, completed_at, created_at, changed_at"""
#: A project's tasks are every member's, one without a project is its owner's.
READABLE_SQL = "(project_id IS NOT NULL OR owner_id = :me)"
VISIBLE_SQL = f"workspace_id = :workspace AND deleted_at IS NULL AND {READABLE_SQL}"
#: The same where some are named: SQLite would go through all of a workspace's rather than look up these.
NAMED_IN_WORKSPACE_SQL = "coalesce(workspace_id, '') = :workspace"
NAMED_VISIBLE_SQL = f"{NAMED_IN_WORKSPACE_SQL} AND deleted_at IS NULL AND {READABLE_SQL}"
DAY_SQL = "coalesce(due_date, start_date)"
#: What has no day comes after all that has one.
LAST_DAY_KEY = "9999-99-99"
DUE_KEY_SQL = f"coalesce(due_date, start_date, '{LAST_DAY_KEY}')"
ORDER_SQL = {
    TaskSort.POSITION: "position, id",
    TaskSort.DUE: f"{DUE_KEY_SQL}, position, id",
    TaskSort.NEWEST: "id DESC",
}
AFTER_SQL = {
    TaskSort.POSITION: "(position, id) > (:position, :after)",
    TaskSort.DUE: f"({DUE_KEY_SQL}, position, id) > (:day, :position, :after)",
    TaskSort.NEWEST: "id < :after",
}


def add(tx: Tx, task: Task) -> None:
    """Store a task."""
    add_many(tx, [task])


def add_many(tx: Tx, tasks: Sequence[Task]) -> None:
    """Store tasks, each after those that it follows."""
    names = list(Task.__dataclass_fields__)
    columns, values = ", ".join(names), ", ".join(f":{name}" for name in names)
    tx.run_many(
        f"INSERT INTO tasks (workspace_id, {columns}) VALUES (:workspace, {values})",
        [asdict(task) for task in tasks],
    )


def change(tx: Tx, task_id: str, values: Mapping[str, object]) -> None:
    """Set columns of a task."""
    sets = "".join(f", {column} = :{column}" for column in values)
    sql = f"UPDATE tasks SET changed_at = :now{sets} WHERE id = :id AND workspace_id = :workspace"
    tx.run(sql, id=task_id, now=now(), **values)


def place(tx: Tx, task_id: str, position: int) -> None:
    """Give a task its place in the order."""
    sql = "UPDATE tasks SET position = :position WHERE id = :id AND workspace_id = :workspace"
    tx.run(sql, id=task_id, position=position)


def hide(tx: Tx, task_ids: Collection[str], *, group: str, at: datetime) -> None:
    """Let nobody see tasks any more, which were deleted together."""
    sql = f"""UPDATE tasks SET deleted_at = :at, deletion_group = :group
        WHERE {NAMED_IN_WORKSPACE_SQL} AND id IN {bound_list("ids")}"""
    tx.run(sql, ids=list(task_ids), group=group, at=at)


def show_again(tx: Tx, group: str) -> list[Task]:
    """Let tasks be seen again that were deleted together, and return them."""
    named = f"{NAMED_IN_WORKSPACE_SQL} AND deletion_group = :group"
    ids = tx.column(f"SELECT id FROM tasks WHERE {named}", group=group)
    tx.run(f"UPDATE tasks SET deleted_at = NULL, deletion_group = NULL WHERE {named}", group=group)
    return find_many(tx, ids)


def delete_group(tx: Tx, group: str) -> None:
    """Delete tasks for good that were deleted together."""
    tx.run(f"DELETE FROM tasks WHERE {NAMED_IN_WORKSPACE_SQL} AND deletion_group = :group", group=group)


def delete(tx: Tx, task_id: str) -> None:
    """Delete a task for good."""
    tx.run("DELETE FROM tasks WHERE id = :id AND workspace_id = :workspace", id=task_id)


def find(tx: Tx, task_id: str) -> Task | None:
    """Return a task that the caller may see."""
    return tx.one(Task, f"SELECT {TASK_COLUMNS} FROM tasks WHERE id = :id AND {VISIBLE_SQL}", id=task_id)


def find_deleted_too(tx: Tx, task_id: str) -> Task | None:
    """Return a task that the caller may see or could see until it was deleted a moment ago."""
    sql = f"""SELECT {TASK_COLUMNS} FROM tasks WHERE id = :id AND workspace_id = :workspace
        AND {READABLE_SQL}"""
    return tx.one(Task, sql, id=task_id)


def find_many(tx: Tx, task_ids: Collection[str]) -> list[Task]:
    """Return those of some tasks that the caller may see, by their ids."""
    sql = f"""SELECT {TASK_COLUMNS} FROM tasks WHERE id IN {bound_list("ids")} AND {NAMED_VISIBLE_SQL}
        ORDER BY id"""
    return tx.all(Task, sql, ids=list(task_ids))


def find_next_occurrence(tx: Tx, task_id: str) -> tuple[str, bool] | None:
    """Return the occurrence that a task's being done has made, and whether it can be seen."""
    sql = """SELECT id, deleted_at IS NULL FROM tasks
        WHERE previous_id = :id AND coalesce(workspace_id, '') = :workspace"""
    rows = tx.rows(sql, id=task_id)
    return (str(rows[0][0]), bool(rows[0][1])) if rows else None


def list_page(tx: Tx, wanted: TaskFilter, *, sort: TaskSort, after: Task | None, limit: int) -> list[Task]:
    """Return tasks that the caller may see, in an order, after one of them."""
    conditions = [VISIBLE_SQL, *filter_conditions(wanted)]
    values = filter_values(wanted)
    if after is not None:
        conditions.append(AFTER_SQL[sort])
        day = after.day.isoformat() if after.day else LAST_DAY_KEY
        values |= {"after": after.id, "position": after.position, "day": day}
    sql = f"""SELECT {TASK_COLUMNS} FROM tasks WHERE {" AND ".join(conditions)}
        ORDER BY {ORDER_SQL[sort]} LIMIT :limit"""
    return tx.all(
        Task, sql, limit=limit, **{name: value for name, value in values.items() if f":{name}" in sql}
    )


def filter_conditions(wanted: TaskFilter) -> list[str]:
    """Return the conditions of a filter."""
    linked = """SELECT task_id FROM task_links
        WHERE workspace_id = :workspace AND conversation_id = :conversation"""
    conditions = {
        f"status IN {bound_list('statuses')}": bool(wanted.statuses),
        f"priority IN {bound_list('priorities')}": bool(wanted.priorities),
        "project_id = :project": bool(wanted.project_id),
        "project_id IS NULL": wanted.no_project,
        f"phase_id = :phase AND {PHASE_SQL} IS NOT NULL": bool(wanted.phase_id),
        "assignee_id = :assignee": bool(wanted.assignee_id),
        f":tag IN {stored_list('tags')}": bool(wanted.tag),
        f"({like_folded('title', 'text')} OR {like_folded('description', 'text')})": bool(wanted.text),
        "series_id = :series": bool(wanted.series_id),
        f"id IN ({linked})": bool(wanted.conversation_id),
        of_visible_conversation_sql(":conversation"): bool(wanted.conversation_id),
        f"{DAY_SQL} >= :due_after": wanted.due_after is not None,
        f"{DAY_SQL} <= :due_before": wanted.due_before is not None,
    }
    return [sql for sql, is_wanted in conditions.items() if is_wanted]


def filter_values(wanted: TaskFilter) -> JsonObject:
    """Return the values that the conditions of a filter name."""
    return {
        "statuses": sorted(wanted.statuses),
        "priorities": sorted(wanted.priorities),
        "project": wanted.project_id,
        "phase": wanted.phase_id,
        "assignee": wanted.assignee_id,
        "tag": wanted.tag,
        "text": f"%{fold_case(escape_like(wanted.text))}%",
        "series": wanted.series_id,
        "conversation": wanted.conversation_id,
        "due_after": wanted.due_after,
        "due_before": wanted.due_before,
    }


def list_due(tx: Tx, *, first_day: date, last_day: date) -> list[Task]:
    """Return the tasks left to do whose day is one of these, in their order."""
    sql = f"""SELECT {TASK_COLUMNS} FROM tasks WHERE {VISIBLE_SQL} AND {DAY_SQL} >= :first_day
        AND {DAY_SQL} <= :last_day AND status <> :done ORDER BY {ORDER_SQL[TaskSort.DUE]}"""
    return tx.all(Task, sql, first_day=first_day, last_day=last_day, done=TaskStatus.DONE)


def find_first_position(tx: Tx) -> int | None:
    """Return the place of the first task that the caller may see."""
    return tx.value(f"SELECT position FROM tasks WHERE {VISIBLE_SQL} ORDER BY position LIMIT 1")


def find_last_position(tx: Tx) -> int | None:
    """Return the place of the last task that the caller may see."""
    return tx.value(f"SELECT position FROM tasks WHERE {VISIBLE_SQL} ORDER BY position DESC LIMIT 1")


def find_position_after(tx: Tx, task: Task, *, except_id: str) -> int | None:
    """Return the place of the task after another, but for one that is on its way elsewhere."""
    sql = f"""SELECT position FROM tasks WHERE {VISIBLE_SQL} AND id <> :except_id
        AND {AFTER_SQL[TaskSort.POSITION]} ORDER BY {ORDER_SQL[TaskSort.POSITION]} LIMIT 1"""
    return tx.value(sql, position=task.position, after=task.id, except_id=except_id)


def renumber(tx: Tx) -> None:
    """Make room between all tasks of the workspace, whose order stays as it is for everybody."""
    values: dict[str, Any] = {"step": POSITION_STEP}
    tx.run(
        """UPDATE tasks SET position = numbered.place * :step FROM (
             SELECT id AS task_id, row_number() OVER (ORDER BY position, id) AS place
             FROM tasks WHERE workspace_id = :workspace) AS numbered
           WHERE tasks.id = numbered.task_id AND tasks.workspace_id = :workspace""",
        **values,
    )


def list_created_in(tx: Tx, conversation_id: str) -> list[Task]:
    """Return the tasks that a conversation made, as far as the caller may see both."""
    sql = f"""SELECT {TASK_COLUMNS} FROM tasks WHERE id IN (
          SELECT task_id FROM task_links WHERE workspace_id = :workspace AND conversation_id = :conversation
          AND kind = :created)
        AND {NAMED_VISIBLE_SQL} AND {of_visible_conversation_sql(":conversation")} ORDER BY id"""
    return tx.all(Task, sql, conversation=conversation_id, created=TaskLinkKind.CREATED)
