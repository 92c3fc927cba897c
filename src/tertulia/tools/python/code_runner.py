"""Where code runs with a project at hand."""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

from tertulia.core.principal import Principal
from tertulia.files.service import Files
from tertulia.files.tool_access import AccessibleFile
from tertulia.infra.db import Database
from tertulia.sandbox.domain import (
    FileOpened,
    LentFile,
    PrintedText,
    Readiness,
    RunOutcome,
    RunStatus,
    SandboxJob,
    SandboxLimits,
    State,
)
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.service import Sandbox
from tertulia.tools.domain import ToolCaller
from tertulia.tools.python.outline_reader import OutlineReader
from tertulia.tools.python.project_mount import ProjectMount, mount_project

CODE_RUN_DEFAULT_SECONDS = 60
CODE_RUN_MAX_SECONDS = 100
CODE_OUTPUT_MAX_BYTES = 400_000
#: Characters that are shown while code runs; the result has the end of what was printed.
LIVE_CODE_OUTPUT_MAX_CHARS = 50_000
SANDBOX_OFF = Readiness(State.OFF, "Running code is switched off on this server (TERTULIA_SANDBOX).")
SANDBOX_NO_ANSWER = RunOutcome(RunStatus.CRASHED, 0, error="The sandbox gave no answer.")


@dataclass(frozen=True, slots=True)
class CodeRun:
    """What came of running code, and what it was lent."""

    outcome: RunOutcome
    printed: str
    mount: ProjectMount
    #: The ids of files and tools that the code read.
    opened: frozenset[str] = frozenset()


class CodeRunner:
    """Runs code in the sandbox, with the project of its caller."""

    def __init__(self, db: Database, files: Files, sandbox: Sandbox | None) -> None:
        self._db = db
        self._files = files
        self._sandbox = sandbox
        self.outlines = OutlineReader()

    def status(self) -> Readiness:
        """Tell whether code can be run, and why not."""
        return self._sandbox.readiness() if self._sandbox else SANDBOX_OFF

    def start(self) -> None:
        """Get the sandbox ready in the background, where that takes no more than a moment."""
        if self._sandbox:
            self._sandbox.start()

    def prepare(self) -> Readiness:
        """Have the sandbox get ready now; tell how it stands then."""
        if self._sandbox:
            self._sandbox.prepare()
        return self.status()

    def decline(self) -> Readiness:
        """Have the sandbox not get ready on this machine; tell how it stands then."""
        if self._sandbox:
            self._sandbox.decline()
        return self.status()

    async def close(self) -> None:
        """End all that runs."""
        if self._sandbox:
            await self._sandbox.close()

    async def run(
        self, code: str, caller: ToolCaller, *, seconds: float = CODE_RUN_DEFAULT_SECONDS
    ) -> CodeRun:
        """Run code to its end; being cancelled ends it at once."""
        if self._sandbox is None:
            raise SandboxUnavailable(SANDBOX_OFF.reason)
        mounted = await self._db.read(lambda tx: mount_project(tx, caller), by=caller.reader)
        job = SandboxJob(
            code,
            files={file.path: self._lent(file, caller.by) for file in mounted.files},
            tools=mounted.sources,
            limits=SandboxLimits(
                seconds=min(seconds, CODE_RUN_MAX_SECONDS), output_bytes=CODE_OUTPUT_MAX_BYTES
            ),
        )
        printed: list[str] = []
        ids = mounted.ids_by_path()
        opened: set[str] = set()
        untold: set[str] = set()
        outcome = SANDBOX_NO_ANSWER
        tell = limit_progress(LIVE_CODE_OUTPUT_MAX_CHARS, caller.tell)
        async with aclosing(self._sandbox.run(job, owner=caller.by.user_id, report=caller.tell)) as events:
            async for event in events:
                if isinstance(event, PrintedText):
                    if untold:
                        await caller.quote(untold)
                        untold = set()
                    printed.append(event.text)
                    tell(event.text)
                elif isinstance(event, FileOpened):
                    untold |= {ids[event.path]} - opened
                    opened.add(ids[event.path])
                else:
                    outcome = event
        return CodeRun(outcome, "".join(printed), mounted, frozenset(opened))

    def _lent(self, file: AccessibleFile, by: Principal) -> LentFile:
        return LentFile(file.size, partial(self._open, file.hash, by))

    async def _open(self, hash_: str, by: Principal) -> BinaryIO:
        return await self._files.contents.open(hash_, by=by)


def limit_progress(max_chars: int, tell: Callable[[str], None]) -> Callable[[str], None]:
    """Return what tells so many characters, and then no more."""
    left = max_chars

    def told(text: str) -> None:
        nonlocal left
        if left > 0:
            tell(text[:left] if len(text) <= left else f"{text[:left]}…\n")
        left -= len(text)

    return told
