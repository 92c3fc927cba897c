"""Work that follows from a task's being done, taken up again, deleted or restored."""

from tertulia.infra.db import Tx
from tertulia.infra.jobs import enqueue

#: Whoever plans tasks does this job: what was planned of the task is taken away, or brought back.
TASK_FOLLOW_JOB = "task.followed"


def enqueue_follow_up(tx: Tx, task_id: str) -> None:
    """Have it looked at what the new state of a task means for what was planned of it."""
    payload = {"task_id": task_id, "workspace_id": tx.by.workspace_id, "user_id": tx.by.user_id}
    enqueue(tx, TASK_FOLLOW_JOB, key=f"{TASK_FOLLOW_JOB}:{task_id}", payload=payload)
