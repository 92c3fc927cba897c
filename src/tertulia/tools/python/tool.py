"""The tool with which models run Python."""

import asyncio
from typing import Annotated

import msgspec
from msgspec import Meta

from tertulia.conversations.attachments import LARGEST
from tertulia.conversations.domain import Table
from tertulia.files.service import Files
from tertulia.infra.db import Database
from tertulia.models.calls import Image
from tertulia.sandbox.domain import State, Status
from tertulia.tools.domain import Caller, Effect, Result
from tertulia.tools.parameters import parameters_of
from tertulia.tools.python import uses
from tertulia.tools.python.quotation import find_quoted_files
from tertulia.tools.python.saving import Kept, keep
from tertulia.tools.python.telling import MOST_PRINTED, blamed, classify_error, told
from tertulia.tools.python.uses import Kind, NewUse
from tertulia.tools.python.workbench import MOST_SECONDS, SECONDS, Ran, Workbench

MOST_PICTURES = 10
#: Characters of a table's cell, and of all its rows, that a conversation keeps.
LONGEST_CELL = 300
LARGEST_TABLE = 40_000


class WhatToRun(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Code, and how long it may take."""

    code: Annotated[str, Meta(min_length=1, description="Python code, run in a fresh interpreter.")]
    seconds: Annotated[
        Annotated[float, Meta(gt=0, le=MOST_SECONDS)] | None,
        Meta(description=f"How long it may run, {SECONDS} when left out, at most {MOST_SECONDS}."),
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
    shape = WhatToRun
    parameters = parameters_of(WhatToRun)
    #: What it writes stays with its conversation, as what models say does.
    effect = Effect.READ
    #: The sandbox ends a run that takes too long; waiting for others' runs before it is no fault of its own.
    seconds = 600.0

    def __init__(self, db: Database, files: Files, bench: Workbench) -> None:
        self._db = db
        self._files = files
        self._bench = bench

    @property
    def description(self) -> str:
        """What it is for, and that its first use takes long where it does."""
        return self.about if self._bench.status().state is State.READY else self.about + self.first_use

    @property
    def ready(self) -> bool:
        """Tell whether code that is run now will be run, perhaps after a wait."""
        return self._bench.status().can_become_ready

    @property
    def problem(self) -> str:
        """Say why code cannot be run at once."""
        status = self._bench.status()
        preparing = f"The sandbox is being prepared: {status.progress:.0%}."
        return preparing if status.state is State.PREPARING else status.reason

    async def run(self, arguments: WhatToRun, caller: Caller) -> Result:
        """Run code, keep what it wrote, and tell what came of it."""
        ran = await self._bench.run(arguments.code, caller, seconds=arguments.seconds or SECONDS)
        kept = await keep(ran, caller, db=self._db, files=self._files, reader=self._bench.reader)
        await self._write_down(arguments.code, ran, kept, caller)
        return Result(
            told(ran, kept),
            failed=ran.outcome.status is not Status.OK,
            local_only=ran.mounted.local_only,
            files=await asyncio.to_thread(find_quoted_files, ran),
            whole=ran.printed if len(ran.printed) > MOST_PRINTED else "",
            pictures=pictures(ran),
            tables=tables(ran),
            saved=kept.saved,
        )

    async def _write_down(self, code: str, ran: Ran, kept: Kept, caller: Caller) -> None:
        used = await self._bench.reader.tools_used(code, ran.mounted.sources)
        guilty = blamed(ran.outcome.error, sorted(used))
        new = [NewUse(one.file_id, one.version, Kind.WROTE) for one in kept.saved]
        for name in sorted(used):
            file = ran.mounted.tools[name]
            error = classify_error(ran.outcome.error, name) if name in guilty else ""
            new.append(NewUse(file.id, file.version, Kind.USED, error))
        if new:
            await self._db.write(lambda tx: uses.add(tx, new, caller), by=caller.by)


def pictures(ran: Ran) -> tuple[Image, ...]:
    """Return the figures that a conversation can keep."""
    kept = [Image("image/png", one.png) for one in ran.outcome.figures if len(one.png) <= LARGEST]
    return tuple(kept[:MOST_PICTURES])


def tables(ran: Ran) -> tuple[Table, ...]:
    """Return the table that the last expression was, as much of it as a conversation keeps."""
    table, room = ran.outcome.table, LARGEST_TABLE
    if table is None:
        return ()
    rows: list[list[str]] = []
    for row in table.rows:
        shown = [short(cell) for cell in row]
        room -= sum(map(len, shown))
        if room < 0:
            break
        rows.append(shown)
    return (Table([short(name) for name in table.columns], rows, table.rows_in_all),)


def short(cell: str) -> str:
    """Return a cell, or the beginning of a long one."""
    return cell if len(cell) <= LONGEST_CELL else f"{cell[: LONGEST_CELL - 1]}…"
