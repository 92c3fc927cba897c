"""Who may see a task: fetched and authorised in one step."""

from collections.abc import Collection

from tertulia.core.errors import NotFound
from tertulia.infra.db import Tx
from tertulia.tasks import store
from tertulia.tasks.domain import Task


def get(tx: Tx, task_id: str) -> Task:
    """Return a task that the caller may see, or raise `NotFound`."""
    if task := store.find(tx, task_id):
        return task
    raise NotFound("task")


def find_many(tx: Tx, task_ids: Collection[str]) -> list[Task]:
    """Return those of some tasks that the caller may see, in the order of their ids."""
    return store.find_many(tx, task_ids) if task_ids else []


def get_all(tx: Tx, task_ids: Collection[str]) -> list[Task]:
    """Return tasks in the order in which they are named, each once; raise where one cannot be seen."""
    found = {task.id: task for task in find_many(tx, task_ids)}
    if found.keys() != set(task_ids):
        raise NotFound("task")
    return [found[task_id] for task_id in dict.fromkeys(task_ids)]


def list_created_in(tx: Tx, conversation_id: str) -> list[Task]:
    """Return the tasks that a conversation made, as far as the caller may see both."""
    return store.list_created_in(tx, conversation_id)
