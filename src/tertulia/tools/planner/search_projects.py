"""The tool by which a model finds projects."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.infra.db import Database
from tertulia.projects import access as projects
from tertulia.projects.domain import ProjectStatus
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.get_project_details import project_fields
from tertulia.tools.planner.item_lines import quote_items

FOUND_PROJECTS_MAX = 50


class SoughtStatus(StrEnum):
    """Where a project stands, in the words of the tool."""

    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    ARCHIVED = "archived"


PROJECT_STATUSES = {
    SoughtStatus.ACTIVE: ProjectStatus.ACTIVE,
    SoughtStatus.PAUSED: ProjectStatus.PAUSED,
    SoughtStatus.COMPLETED: ProjectStatus.DONE,
    SoughtStatus.ARCHIVED: ProjectStatus.ARCHIVED,
}


class SearchProjectsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which projects to find."""

    query: (
        Annotated[str, Meta(max_length=200, description="Search query for project name or description.")]
        | None
    ) = None
    status: Annotated[SoughtStatus, Meta(description="Filter by project status.")] | None = None


class SearchProjects:
    """Finds projects by the words of their names and descriptions."""

    name = "search_projects"
    description = "Search the workspace's projects by name, description or status."
    shape = SearchProjectsArguments
    parameters = parameters_of(SearchProjectsArguments)
    effect = Effect.READ
    needs_project = False

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: SearchProjectsArguments, caller: ToolCaller) -> ToolOutput:
        """Return the projects that fit, newest first."""
        status = PROJECT_STATUSES[arguments.status] if arguments.status else None
        found = await self._db.read(
            lambda tx: projects.find_by_text(
                tx, arguments.query or "", status=status, limit=FOUND_PROJECTS_MAX
            ),
            by=caller.reader,
        )
        if not found:
            return ToolOutput("There are no such projects. Without a query and a status, all are listed.")
        items = [project_fields(project) for project in found]
        for item in items:
            item.pop("context", None)
        return ToolOutput(quote_items(items))
