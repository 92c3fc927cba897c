"""The tool that lists projects."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.infra.db import Database
from tertulia.models.prompt_frames import frame_quotation, truncate_to_line
from tertulia.projects import access as projects
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of

LISTED_PROJECTS_MAX = 50
MCP_PROJECT_NAME_MAX_CHARS = 200

IdText = Annotated[str, Meta(max_length=60, pattern="^[A-Za-z0-9_]*$")]


class ListProjectsArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which projects to list."""

    after: Annotated[IdText | None, Meta(description="Where an earlier list ended. Left out at first.")] = (
        None
    )


class ListProjects:
    """Lists what there is to look into."""

    name = "list_projects"
    description = "List the projects of the workspace, the newest first, with the ids that other tools take."
    shape = ListProjectsArguments
    parameters = parameters_of(ListProjectsArguments)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: ListProjectsArguments, caller: ToolCaller) -> ToolOutput:
        """List a page of projects."""
        found = await self._db.read(
            lambda tx: projects.list_page(tx, after=arguments.after or "", limit=LISTED_PROJECTS_MAX + 1),
            by=caller.by,
        )
        if not found:
            return ToolOutput("There are no more projects." if arguments.after else "There are no projects.")
        lines = [
            f"{project.id}: {truncate_to_line(project.name, MCP_PROJECT_NAME_MAX_CHARS)}"
            for project in found[:LISTED_PROJECTS_MAX]
        ]
        more = (
            f'There are more: go on with after="{found[LISTED_PROJECTS_MAX - 1].id}".'
            if len(found) > LISTED_PROJECTS_MAX
            else ""
        )
        return ToolOutput(frame_quotation("output", *lines, after=more))
