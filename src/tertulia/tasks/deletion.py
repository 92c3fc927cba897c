"""Deleting tasks and phases with an undo: gone for everybody at once, restored within a short time."""

from collections.abc import Collection

from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Role
from tertulia.infra import undo
from tertulia.infra.db import Tx
from tertulia.infra.events import EventLog
from tertulia.infra.undo import DeletionKind, PendingDeletion
from tertulia.tasks import access, history, phase_access, phase_store, store
from tertulia.tasks.domain import MADE_BY_PERSON, TaskEvent
from tertulia.tasks.events import publish_change
from tertulia.tasks.follow_up import enqueue_follow_up
from tertulia.tasks.task_index import index_task, remove_tasks

TASKS_DELETION_KIND = "tasks"
PHASE_DELETION_KIND = "phase"


def delete_with_undo(
    tx: Tx, task_ids: Collection[str], *, made_by: str = MADE_BY_PERSON, log: EventLog
) -> PendingDeletion:
    """Delete tasks together; whoever did can restore them for a short time."""
    tx.by.require(Role.MEMBER)
    tasks = access.get_all(tx, task_ids)
    ids, group = [task.id for task in tasks], new_id("tdl")
    history.note(tx, ids, TaskEvent.DELETED, made_by=made_by)
    store.hide(tx, ids, group=group, at=now())
    remove_tasks(tx, ids)
    for task_id in ids:
        enqueue_follow_up(tx, task_id)
    publish_change(tx, *(task.project_id for task in tasks), log=log)
    return undo.add(tx, TASKS_DELETION_KIND, group)


def delete_phase_with_undo(tx: Tx, project_id: str, phase_id: str, *, log: EventLog) -> PendingDeletion:
    """Delete a phase, whose tasks stay; whoever did can restore it for a short time."""
    phase = phase_access.get_in_project(tx, project_id, phase_id)
    phase_store.hide(tx, phase.id, deleted_at=now())
    publish_change(tx, phase.project_id, log=log)
    return undo.add(tx, PHASE_DELETION_KIND, phase.id)


def deletion_kinds(log: EventLog) -> dict[str, DeletionKind]:
    """Return how tasks and phases are restored, and how they are deleted for good."""

    def restore_tasks(tx: Tx, deletion: PendingDeletion) -> None:
        tasks = store.show_again(tx, deletion.subject_id)
        if not tasks:
            raise NotFound("deletion")
        history.note(tx, [task.id for task in tasks], TaskEvent.RESTORED, made_by=MADE_BY_PERSON)
        for task in tasks:
            index_task(tx, task)
            enqueue_follow_up(tx, task.id)
        publish_change(tx, *(task.project_id for task in tasks), log=log)

    def erase_tasks(tx: Tx, deletion: PendingDeletion) -> None:
        store.delete_group(tx, deletion.subject_id)

    def restore_phase(tx: Tx, deletion: PendingDeletion) -> None:
        phase_store.hide(tx, deletion.subject_id, deleted_at=None)
        publish_change(tx, phase_access.get(tx, deletion.subject_id).project_id, log=log)

    def erase_phase(tx: Tx, deletion: PendingDeletion) -> None:
        phase_store.delete(tx, deletion.subject_id)

    return {
        TASKS_DELETION_KIND: DeletionKind(restore_tasks, erase_tasks),
        PHASE_DELETION_KIND: DeletionKind(restore_phase, erase_phase),
    }
