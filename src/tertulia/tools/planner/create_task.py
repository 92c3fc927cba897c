"""The tool by which a model makes a task."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.core.principal import Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.tasks import service as task_service
from tertulia.tasks.domain import NewTask, Task, TaskPriority, TaskType
from tertulia.tasks.fields import settle_fields
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.item_lines import quote_items, task_fields
from tertulia.tools.planner.summary_words import quote_words, settle_title
from tertulia.tools.planner.task_arguments import (
    DayText,
    RuleText,
    Tags,
    TaskDescription,
    TaskMinutes,
    TaskTitle,
    describe_fields,
    given_fields,
    resolve_days,
)
from tertulia.tools.planner.written_items import task_link, written_task

ProjectChoice = Annotated[
    str,
    Meta(description="A project's task is seen by all its members; without a project, only by the person."),
]


class CreateTaskArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The task to make."""

    title: TaskTitle
    description: TaskDescription
    project_id: ProjectChoice | None = None
    priority: TaskPriority | None = None
    task_type: TaskType | None = None
    duration_minutes: TaskMinutes | None = None
    start_date: DayText | None = None
    due_date: DayText | None = None
    rrule: RuleText | None = None
    phase_id: str | None = None
    tags: Tags | None = None


class CreateTask:
    """Makes a task for the person who asks, once they have allowed it."""

    name = "create_task"
    description = "Create a new task. The person is asked first."
    shape = CreateTaskArguments
    parameters = parameters_of(CreateTaskArguments)
    effect = Effect.SIDE
    needs_project = False

    def __init__(self, db: Database, log: EventLog) -> None:
        self._db = db
        self._log = log

    def preview(
        self, tx: Tx, arguments: CreateTaskArguments, caller: ToolCaller
    ) -> tuple[CreateTaskArguments, str]:
        """Return the task as it will be made, with every day exact, and what a person reads of it."""
        tx.by.require(Role.MEMBER)
        days = resolve_days(tx, start=arguments.start_date, due=arguments.due_date, rrule=arguments.rrule)
        resolved = msgspec.structs.replace(arguments, title=settle_title(arguments.title), **days)
        fields = given_fields(resolved)
        settled = settle_fields(tx, NewTask(resolved.title), fields)
        told = {name: value for name, value in fields.items() if name not in ("title", "description")}
        where = "" if settled.project_id else "for you alone"
        parts = [f"Create the task {quote_words(resolved.title)}", *describe_fields(tx, told), where]
        return resolved, "; ".join(filter(None, parts))

    async def run(self, arguments: CreateTaskArguments, caller: ToolCaller) -> ToolOutput:
        """Make the task."""

        def write(tx: Tx) -> Task:
            resolved, _ = self.preview(tx, arguments, caller)
            fields = msgspec.convert(given_fields(resolved), NewTask)
            return task_service.create(
                tx, fields, made_by=caller.model, link=task_link(caller), log=self._log
            )

        task = await self._db.write(write, by=caller.by)
        return ToolOutput(
            quote_items([task_fields(task)], after="The task was created."),
            written=(written_task(task, "created"),),
        )
