"""The tool by which a model writes a project's context, which people know as its brief."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.core.principal import Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.events import EventLog
from tertulia.projects import access as projects
from tertulia.projects import service as project_service
from tertulia.projects.domain import Project
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.planner.errors import BriefTooLong
from tertulia.tools.planner.summary_words import quote_words

CONTEXT_UPDATE_MAX_CHARS = 100_000
CONTEXT_SHOWN_MAX_CHARS = 300
#: As the API takes it.
BRIEF_MAX_CHARS = 1_000_000


class MergeStrategy(StrEnum):
    """What becomes of the context that there is."""

    APPEND = "append"
    REPLACE = "replace"


STRATEGY_WORDS = {
    MergeStrategy.APPEND: "Append to the brief of",
    MergeStrategy.REPLACE: "Replace, and keep as an earlier version, the brief of",
}


class UpdateProjectContextArguments(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What to write into which project."""

    project_id: str
    context_update: Annotated[
        str,
        Meta(
            min_length=1, max_length=CONTEXT_UPDATE_MAX_CHARS, description="New or updated context content."
        ),
    ]
    merge_strategy: (
        Annotated[
            MergeStrategy,
            Meta(description="Whether to append to existing context, which is the default, or replace it."),
        ]
        | None
    ) = None


class UpdateProjectContext:
    """Writes a project's brief; the one before is kept and can be restored."""

    name = "update_project_context"
    description = "Add or update the markdown context for a project. The person is asked first."
    shape = UpdateProjectContextArguments
    parameters = parameters_of(UpdateProjectContextArguments)
    effect = Effect.SIDE
    needs_project = False

    def __init__(self, db: Database, log: EventLog) -> None:
        self._db = db
        self._log = log

    def preview(
        self, tx: Tx, arguments: UpdateProjectContextArguments, caller: ToolCaller
    ) -> tuple[UpdateProjectContextArguments, str]:
        """Return what will be written, and how a person is told of it."""
        tx.by.require(Role.MEMBER)
        project = projects.get(tx, arguments.project_id)
        strategy = arguments.merge_strategy or MergeStrategy.APPEND
        resolved = msgspec.structs.replace(arguments, merge_strategy=strategy)
        if len(merge_brief(project.brief, resolved)) > BRIEF_MAX_CHARS:
            raise BriefTooLong(BRIEF_MAX_CHARS)
        words = quote_words(arguments.context_update, CONTEXT_SHOWN_MAX_CHARS)
        return resolved, f"{STRATEGY_WORDS[strategy]} the project {quote_words(project.name)}: {words}"

    async def run(self, arguments: UpdateProjectContextArguments, caller: ToolCaller) -> ToolOutput:
        """Write the brief."""

        def write(tx: Tx) -> Project:
            resolved, _ = self.preview(tx, arguments, caller)
            project = projects.get(tx, resolved.project_id)
            brief = merge_brief(project.brief, resolved)
            return project_service.change(
                tx, project.id, {"brief": brief}, log=self._log, made_by=f"agent:{caller.model}"
            )

        project = await self._db.write(write, by=caller.by)
        return ToolOutput(
            f"The context of the project {project.id} was written and has {len(project.brief)} characters "
            "now. The one before is kept as an earlier version."
        )


def merge_brief(brief: str, arguments: UpdateProjectContextArguments) -> str:
    """Return a brief with an update: after what is there, or in its place."""
    if arguments.merge_strategy is MergeStrategy.REPLACE or not brief.strip():
        return arguments.context_update
    return f"{brief.rstrip()}\n\n{arguments.context_update}"
