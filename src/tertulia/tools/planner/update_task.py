"""The tool by which a model changes a task."""

import msgspec

from tertulia.core.principal import Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.tasks import service as task_service
from tertulia.tasks.domain import Task, TaskLinkKind
from tertulia.tasks.fields import fields_of, settle_fields
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.errors import NothingToChange
from tertulia.tools.planner.item_lines import quote_items, task_fields
from tertulia.tools.planner.privacy import get_told_task
from tertulia.tools.planner.summary_words import quote_words, settle_title
from tertulia.tools.planner.task_arguments import TaskUpdates, describe_fields, given_fields, resolve_days
from tertulia.tools.planner.written_items import task_link, written_task


class UpdateTaskArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which task to change, and how."""

    task_id: str
    updates: TaskUpdates


class UpdateTask:
    """Changes a task for the person who asks, once they have allowed it."""

    name = "update_task"
    description = "Update an existing task. The person is asked first."
    shape = UpdateTaskArguments
    parameters = parameters_of(UpdateTaskArguments)
    effect = Effect.SIDE
    needs_project = False

    def __init__(self, db: Database, log: EventLog) -> None:
        self._db = db
        self._log = log

    def preview(
        self, tx: Tx, arguments: UpdateTaskArguments, caller: ToolCaller
    ) -> tuple[UpdateTaskArguments, str]:
        """Return the change as it will be made, with every day exact, and what a person reads of it."""
        tx.by.require(Role.MEMBER)
        task, updates = get_told_task(tx, arguments.task_id, caller), arguments.updates
        days = resolve_days(tx, start=updates.start_date, due=updates.due_date, rrule=updates.rrule)
        title = None if updates.title is None else settle_title(updates.title)
        resolved = UpdateTaskArguments(task.id, msgspec.structs.replace(updates, title=title, **days))
        fields = given_fields(resolved.updates)
        if not fields:
            raise NothingToChange
        settle_fields(tx, fields_of(task), fields)
        told = "; ".join(describe_fields(tx, fields))
        return resolved, f"Change the task {quote_words(task.title)}: {told}"

    async def run(self, arguments: UpdateTaskArguments, caller: ToolCaller) -> ToolOutput:
        """Change the task."""

        def write(tx: Tx) -> Task:
            resolved, _ = self.preview(tx, arguments, caller)
            return task_service.change(
                tx,
                resolved.task_id,
                given_fields(resolved.updates),
                made_by=caller.model,
                link=task_link(caller, TaskLinkKind.MENTIONED),
                log=self._log,
            )

        task = await self._db.write(write, by=caller.by)
        return ToolOutput(
            quote_items([task_fields(task)], after="The task was changed. This is how it is now."),
            written=(written_task(task, "changed"),),
            is_private=task.project_id is None,
        )
