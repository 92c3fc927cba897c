"""What of a person's may be told where a tool runs."""

from tertulia.infra.db import Tx
from tertulia.tasks import access as tasks
from tertulia.tasks.domain import Task
from tertulia.tools.domain import ToolCaller
from tertulia.tools.planner.errors import CalendarNotShared


def require_alone(caller: ToolCaller) -> None:
    """Raise where others than the person read what comes of a call: calendars are nobody else's."""
    if not caller.is_alone:
        raise CalendarNotShared


def get_told_task(tx: Tx, task_id: str, caller: ToolCaller) -> Task:
    """Return a task that all who read the conversation may see, or raise `NotFound`."""
    return tasks.get(tx if caller.is_alone else tx.acting_for(caller.reader), task_id)
