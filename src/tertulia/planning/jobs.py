"""The job that follows a task: its event goes when it is done or deleted, and comes back with the undo."""

from contextlib import suppress

from tertulia.calendars import service as calendars
from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.infra.jobs import JobHandler, principal_of
from tertulia.infra.undo import PendingDeletions
from tertulia.planning import store
from tertulia.tasks import access
from tertulia.tasks.follow_up import TASK_FOLLOW_JOB


def job_handlers(*, db: Database, log: EventLog, deletions: PendingDeletions) -> dict[str, JobHandler]:
    """Return what does each kind of job."""

    async def follow(payload: JsonObject) -> None:
        by, task_id = principal_of(payload), str(payload["task_id"])
        for user_id in await db.read(lambda tx: store.list_people(tx, task_id), by=by):
            await follow_task(
                db, task_id, by=Principal(user_id, by.workspace_id, Role.MEMBER), log=log, deletions=deletions
            )

    return {TASK_FOLLOW_JOB: follow}


async def follow_task(
    db: Database, task_id: str, *, by: Principal, log: EventLog, deletions: PendingDeletions
) -> None:
    """Take the event of a task away from a person's calendar, or bring it back, as the task stands now."""
    removal_id = await db.write(lambda tx: adapt_event(tx, task_id, log=log), by=by)
    if removal_id is None:
        return
    # Too late to bring it back: then it is scheduled anew by whoever wants that.
    with suppress(NotFound):
        await deletions.restore(removal_id, by=by)
    await db.write(lambda tx: store.set_removal(tx, task_id, None), by=by)


def adapt_event(tx: Tx, task_id: str, *, log: EventLog) -> str | None:
    """Delete the event of a task that is not to do any more; return the deletion to undo where it is."""
    task = next(iter(access.find_many(tx, [task_id])), None)
    scheduled = store.find(tx, task_id)
    if task is not None and not task.is_done:
        return store.find_removal(tx, task_id) if scheduled is None else None
    if scheduled is not None and scheduled.starts_at > now():
        deletion = calendars.delete_event(tx, scheduled.event_id, log=log)
        store.set_removal(tx, task_id, deletion.id)
    return None
