"""What became of a task: each change, by whom and when."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.tasks.domain import TaskEvent, TaskHistoryEntry

HISTORY_COLUMNS = "id, task_id, user_id, made_by, kind, fields, changed_at"


def note(
    tx: Tx,
    task_ids: Collection[str],
    kind: TaskEvent,
    *,
    made_by: str,
    fields: Mapping[str, list[object]] | None = None,
) -> None:
    """Write down what the caller did with tasks: each field before and after."""
    add_many(
        tx,
        [
            TaskHistoryEntry(new_id("tch"), task_id, tx.by.user_id, made_by, kind, dict(fields or {}), now())
            for task_id in task_ids
        ],
    )


def add_many(tx: Tx, entries: Sequence[TaskHistoryEntry]) -> None:
    """Store entries of the history."""
    tx.run_many(
        f"""INSERT INTO task_changes (workspace_id, {HISTORY_COLUMNS})
            VALUES (:workspace, :id, :task_id, :user_id, :made_by, :kind, :fields, :changed_at)""",
        [asdict(entry) for entry in entries],
    )


def list_page(tx: Tx, task_id: str, *, after: str, limit: int) -> list[TaskHistoryEntry]:
    """Return what became of a task that the caller may see, newest first, after the entry named."""
    sql = f"""SELECT {HISTORY_COLUMNS} FROM task_changes WHERE task_id = :task AND workspace_id = :workspace
        AND (:after = '' OR id < :after) ORDER BY id DESC LIMIT :limit"""
    return tx.all(TaskHistoryEntry, sql, task=task_id, after=after, limit=limit)


def is_untouched(tx: Tx, task_id: str) -> bool:
    """Tell whether nothing became of a task since it was made."""
    sql = """SELECT 1 FROM task_changes WHERE task_id = :task AND workspace_id = :workspace
        AND kind <> :created LIMIT 1"""
    return tx.value(sql, task=task_id, created=TaskEvent.CREATED) is None
