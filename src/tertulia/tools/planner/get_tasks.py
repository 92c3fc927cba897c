"""The tool by which a model reads tasks."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Database, Tx
from tertulia.planning.preferences import find_zone
from tertulia.tasks import service as task_service
from tertulia.tasks.domain import TaskFilter, TaskPriority, TaskSort, TaskStatus
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.date_arguments import read_first_day, read_last_day
from tertulia.tools.planner.item_lines import quote_items, task_fields
from tertulia.tools.planner.project_names import read_project_names
from tertulia.tools.planner.task_arguments import DayText

TOLD_TASKS_MAX = 100


class GetTasksArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which tasks to list."""

    project_id: str | None = None
    status: list[TaskStatus] | None = None
    priority: list[TaskPriority] | None = None
    due_before: DayText | None = None
    due_after: DayText | None = None
    query: Annotated[str, Meta(max_length=200, description="Words of the title.")] | None = None


class GetTasks:
    """Lists tasks by their filters, those that are due first at the top."""

    name = "get_tasks"
    description = "Get tasks with optional filters. The days of due_before and due_after count, too."
    shape = GetTasksArguments
    parameters = parameters_of(GetTasksArguments)
    effect = Effect.READ
    needs_project = False

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: GetTasksArguments, caller: ToolCaller) -> ToolOutput:
        """List the tasks that all who read the conversation may see."""
        zone = await self._db.read(find_zone, by=caller.by)
        wanted = read_filter(arguments, zone=zone)

        def read(tx: Tx) -> list[JsonObject]:
            found = task_service.list_page(tx, wanted, sort=TaskSort.DUE, limit=TOLD_TASKS_MAX + 1)
            names = read_project_names(tx, [task.project_id for task in found])
            return [task_fields(task, project_name=names.get(task.project_id or "", "")) for task in found]

        items = await self._db.read(read, by=caller.reader)
        if not items:
            return ToolOutput("There are no such tasks.")
        more = f"There are more: these are the first {TOLD_TASKS_MAX}." if len(items) > TOLD_TASKS_MAX else ""
        # A task without a project stays its person's when the conversation is shared.
        is_private = any("project_id" not in item for item in items)
        return ToolOutput(quote_items(items[:TOLD_TASKS_MAX], after=more), is_private=is_private)


def read_filter(arguments: GetTasksArguments, *, zone: str) -> TaskFilter:
    """Return the filter that is meant."""
    return TaskFilter(
        statuses=arguments.status or (),
        priorities=arguments.priority or (),
        project_id=arguments.project_id or "",
        text=arguments.query or "",
        due_after=read_first_day(arguments.due_after, zone=zone) if arguments.due_after else None,
        due_before=read_last_day(arguments.due_before, zone=zone) if arguments.due_before else None,
    )
