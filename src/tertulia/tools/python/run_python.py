"""The tool with which models run Python."""

import asyncio
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.conversations.domain import Table
from tertulia.conversations.message_pictures import PICTURE_MAX_BYTES
from tertulia.core.truncation import truncate
from tertulia.files.service import Files
from tertulia.infra.db import Database
from tertulia.models.calls import Image
from tertulia.sandbox.domain import RunStatus, State
from tertulia.tools.domain import Effect, ToolCaller, ToolOutput
from tertulia.tools.parameters import parameters_of
from tertulia.tools.python import tool_uses
from tertulia.tools.python.code_runner import (
    CODE_RUN_DEFAULT_SECONDS,
    CODE_RUN_MAX_SECONDS,
    CodeRun,
    CodeRunner,
)
from tertulia.tools.python.quotation import find_quoted_files
from tertulia.tools.python.run_report import PRINTED_MAX_CHARS, classify_error, render_run, tools_in_traceback
from tertulia.tools.python.tool_drafts import SavedDrafts, save_drafts
from tertulia.tools.python.tool_uses import NewToolUse, ToolUseKind

CODE_FIGURES_MAX = 10
#: Characters of a table's cell, and of all its rows, that a conversation keeps.
CODE_TABLE_CELL_MAX_CHARS = 300
CODE_TABLE_MAX_CHARS = 40_000


class RunPythonArguments(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Code, and how long it may take."""

    code: Annotated[str, Meta(min_length=1, description="Python code, run in a fresh interpreter.")]
    seconds: Annotated[
        Annotated[float, Meta(gt=0, le=CODE_RUN_MAX_SECONDS)] | None,
        Meta(
            description=f"How long it may run, {CODE_RUN_DEFAULT_SECONDS} when left out, "
            f"at most {CODE_RUN_MAX_SECONDS}."
        ),
    ] = None


class RunPython:
    """Runs code on the project's files, and keeps the tools that it writes."""

    name = "run_python"
    about = (
        "Run Python code in a sandbox and get what it prints and the value of its last expression. The "
        "project's files are under /project/files (read only), its tools under /project/tools (importable; "
        "what is written there is kept for this conversation, and for others once a person approves it). "
        "Matplotlib figures, and a pandas table as last expression, are drawn for the person. No network."
    )
    first_use = " The first call takes a few minutes, in which the sandbox is prepared."
    shape = RunPythonArguments
    parameters = parameters_of(RunPythonArguments)
    #: What it writes stays with its conversation, as what models say does.
    effect = Effect.READ
    #: The sandbox ends a run that takes too long; waiting for others' runs before it is no fault of its own.
    seconds = 600.0

    def __init__(self, db: Database, files: Files, code_runner: CodeRunner) -> None:
        self._db = db
        self._files = files
        self._code_runner = code_runner

    @property
    def description(self) -> str:
        """What it is for, and that its first use takes long where it does."""
        return self.about if self._code_runner.status().state is State.READY else self.about + self.first_use

    @property
    def ready(self) -> bool:
        """Tell whether code that is run now will be run, perhaps after a wait."""
        return self._code_runner.status().can_become_ready

    @property
    def problem(self) -> str:
        """Say why code cannot be run at once."""
        status = self._code_runner.status()
        preparing = f"The sandbox is being prepared: {status.progress:.0%}."
        return preparing if status.state is State.PREPARING else status.reason

    async def run(self, arguments: RunPythonArguments, caller: ToolCaller) -> ToolOutput:
        """Run code, keep what it wrote, and tell what came of it."""
        ran = await self._code_runner.run(
            arguments.code, caller, seconds=arguments.seconds or CODE_RUN_DEFAULT_SECONDS
        )
        kept = await save_drafts(
            ran, caller, db=self._db, files=self._files, reader=self._code_runner.outlines
        )
        await self._record_uses(arguments.code, ran, kept, caller)
        return ToolOutput(
            render_run(ran, kept),
            failed=ran.outcome.status is not RunStatus.OK,
            local_only=ran.mount.local_only,
            files=await asyncio.to_thread(find_quoted_files, ran),
            whole=ran.printed if len(ran.printed) > PRINTED_MAX_CHARS else "",
            pictures=figures_of(ran),
            tables=tables_of(ran),
            saved=kept.saved,
        )

    async def _record_uses(self, code: str, ran: CodeRun, kept: SavedDrafts, caller: ToolCaller) -> None:
        used = await self._code_runner.outlines.tools_used(code, ran.mount.sources)
        guilty = tools_in_traceback(ran.outcome.error, sorted(used))
        new = [
            NewToolUse(saved_file.file_id, saved_file.version, ToolUseKind.WROTE) for saved_file in kept.saved
        ]
        for name in sorted(used):
            file = ran.mount.tools[name]
            error = classify_error(ran.outcome.error, name) if name in guilty else ""
            new.append(NewToolUse(file.id, file.version, ToolUseKind.USED, error))
        if new:
            await self._db.write(lambda tx: tool_uses.add(tx, new, caller), by=caller.by)


def figures_of(ran: CodeRun) -> tuple[Image, ...]:
    """Return the figures that a conversation can keep."""
    kept = [
        Image("image/png", figure.png)
        for figure in ran.outcome.figures
        if len(figure.png) <= PICTURE_MAX_BYTES
    ]
    return tuple(kept[:CODE_FIGURES_MAX])


def tables_of(ran: CodeRun) -> tuple[Table, ...]:
    """Return the table that the last expression was, as much of it as a conversation keeps."""
    table, room = ran.outcome.table, CODE_TABLE_MAX_CHARS
    if table is None:
        return ()
    rows: list[list[str]] = []
    for row in table.rows:
        shown = [truncate_cell(cell) for cell in row]
        room -= sum(map(len, shown))
        if room < 0:
            break
        rows.append(shown)
    return (Table([truncate_cell(name) for name in table.columns], rows, table.rows_in_all),)


def truncate_cell(cell: str) -> str:
    """Return a cell, or the beginning of a long one."""
    return truncate(cell, CODE_TABLE_CELL_MAX_CHARS)
