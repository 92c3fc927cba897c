"""The tool that lists projects."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.infra.db import Database
from tertulia.models.quoting import framed, on_one_line
from tertulia.projects import store
from tertulia.tools.domain import Caller, Effect, Result
from tertulia.tools.parameters import parameters_of

PAGE = 50
LONGEST_NAME = 200

SomeId = Annotated[str, Meta(max_length=60, pattern="^[A-Za-z0-9_]*$")]


class WhichProjects(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which projects to list."""

    after: Annotated[SomeId | None, Meta(description="Where an earlier list ended. Left out at first.")] = (
        None
    )


class ListProjects:
    """Lists what there is to look into."""

    name = "list_projects"
    description = "List the projects of the workspace, the newest first, with the ids that other tools take."
    shape = WhichProjects
    parameters = parameters_of(WhichProjects)
    effect = Effect.READ

    def __init__(self, db: Database) -> None:
        self._db = db

    async def run(self, arguments: WhichProjects, caller: Caller) -> Result:
        """List a page of projects."""
        found = await self._db.read(
            lambda tx: store.page(tx, after=arguments.after or "", limit=PAGE + 1), by=caller.by
        )
        if not found:
            return Result("There are no more projects." if arguments.after else "There are no projects.")
        lines = [f"{one.id}: {on_one_line(one.name, LONGEST_NAME)}" for one in found[:PAGE]]
        more = f'There are more: go on with after="{found[PAGE - 1].id}".' if len(found) > PAGE else ""
        return Result(framed("output", *lines, after=more))
