"""Recurring tasks: a done occurrence makes the next one, and takes it back when it is not done after all."""

from dataclasses import replace

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.infra.db import Tx
from tertulia.tasks import history, links, positions, recurrence, schedules, store
from tertulia.tasks.domain import Task, TaskEvent, TaskStatus
from tertulia.tasks.follow_up import enqueue_follow_up
from tertulia.tasks.task_index import index_task


def follow_status(tx: Tx, task: Task, *, was_done: bool) -> None:
    """Do what follows from a task's being done, or being to do again."""
    if task.is_done == was_done:
        return
    if task.is_done and task.rrule:
        make_next(tx, task)
    elif was_done:
        take_back_next(tx, task)
    enqueue_follow_up(tx, task.id)


def make_next(tx: Tx, task: Task) -> Task | None:
    """Make the occurrence after one that is done, unless there is one or the rule has no more days."""
    if store.find_next_occurrence(tx, task.id) is not None:
        return None
    following = plan_next(task)
    if following is None:
        return None
    following = replace(following, position=positions.find_place(tx, task))
    store.add(tx, following)
    history.note(tx, [following.id], TaskEvent.CREATED, made_by=following.made_by)
    index_task(tx, following)
    return following


def plan_next(task: Task) -> Task | None:
    """Return the occurrence after a task with all its days moved together; None where there is none."""
    anchor = recurrence.choose_anchor(task.rrule, start_date=task.start_date, due_date=task.due_date)
    if anchor is None:
        return None
    day = recurrence.find_day(task.rrule, start=task.series_start or anchor, after=anchor)
    if day is None:
        return None
    try:
        start_date = recurrence.shift(task.start_date, day - anchor)
        due_date = recurrence.shift(task.due_date, day - anchor)
    except OverflowError:
        return None
    return replace(
        task,
        id=new_id("tsk"),
        status=TaskStatus.BACKLOG,
        start_date=start_date,
        due_date=due_date,
        previous_id=task.id,
        completed_at=None,
        created_at=(made_at := now()),
        changed_at=made_at,
    )


def take_back_next(tx: Tx, task: Task) -> None:
    """Remove the occurrence that a task's being done has made, as long as nobody touched it."""
    following = store.find_next_occurrence(tx, task.id)
    if following is None:
        return
    next_id, is_visible = following
    if is_visible and _is_untouched(tx, next_id):
        store.delete(tx, next_id)


def _is_untouched(tx: Tx, task_id: str) -> bool:
    """Tell whether nobody has done anything with a task yet."""
    return (
        history.is_untouched(tx, task_id)
        and not links.has_links(tx, task_id)
        and not schedules.is_scheduled(tx, task_id)
    )
