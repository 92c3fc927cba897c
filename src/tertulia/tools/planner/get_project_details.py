"""The tool by which a model reads a project: its context, phases and open tasks."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Database, Tx
from tertulia.projects import access as projects
from tertulia.projects.domain import Project
from tertulia.tasks import phase_access
from tertulia.tasks import service as task_service
from tertulia.tasks.domain import TaskFilter, TaskSort, TaskStatus
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.item_lines import drop_empty, phase_fields, quote_items, task_fields

PROJECT_TASKS_MAX = 50
OPEN_STATUSES = (TaskStatus.IN_PROGRESS, TaskStatus.BLOCKED, TaskStatus.BACKLOG)


class GetProjectDetailsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which project to read."""

    project_id: Annotated[str, Meta(description="The id of the project.")]


class GetProjectDetails:
    """Reads a project with its phases and what is left to do."""

    name = "get_project_details"
    description = (
        "Get full details about a specific project including context, tasks that are not done, and phases."
    )
    shape = GetProjectDetailsArguments
    parameters = parameters_of(GetProjectDetailsArguments)
    effect = Effect.READ
    needs_project = False

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: GetProjectDetailsArguments, caller: ToolCaller) -> ToolOutput:
        """Return the project as all who read the conversation may see it."""

        def read(tx: Tx) -> list[JsonObject]:
            project = projects.get(tx, arguments.project_id)
            wanted = TaskFilter(statuses=OPEN_STATUSES, project_id=project.id)
            tasks = task_service.list_page(tx, wanted, sort=TaskSort.DUE, limit=PROJECT_TASKS_MAX)
            phases = phase_access.list_phases(tx, project.id)
            return [project_fields(project), *map(phase_fields, phases), *map(task_fields, tasks)]

        return ToolOutput(quote_items(await self._db.read(read, by=caller.reader)))


def project_fields(project: Project) -> JsonObject:
    """Return what there is to say of a project."""
    return drop_empty(
        {
            "project_id": project.id,
            "name": project.name,
            "status": project.status.value,
            "description": project.description,
            "context": project.brief,
        }
    )
