"""A sandbox for tests: opened once for many runs, and asked in one line."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tertulia.sandbox.backend import ReportProgress
from tertulia.sandbox.compilation import compiled_folders, is_compiled
from tertulia.sandbox.domain import (
    JobFile,
    OutputStream,
    PrintedText,
    RunEvent,
    RunOutcome,
    SandboxJob,
    SandboxLimits,
)
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.service import Sandbox
from tertulia.sandbox.wasi import WasiBackend
from tertulia.settings import Settings

#: Enough for anything that tests run, on cores that others use as well.
LIMITS = SandboxLimits(seconds=30, memory_mb=512, output_bytes=200_000, disk_bytes=1_000_000, files=50)


@dataclass(frozen=True, slots=True)
class Ran:
    """Everything that came of a run."""

    outcome: RunOutcome
    events: list[RunEvent] = field(repr=False)

    def printed(self, stream: OutputStream = OutputStream.OUT) -> str:
        return "".join(
            one.text for one in self.events if isinstance(one, PrintedText) and one.stream is stream
        )


@asynccontextmanager
async def open_sandbox(folder: Path, **options: Any) -> AsyncGenerator[Sandbox]:
    settings = Settings(data_dir=folder)
    assert is_compiled(compiled_folders(settings)[0]), "run `make setup-dev` first: it compiles the sandbox"
    sandbox = Sandbox(settings, **options)
    try:
        yield sandbox
    finally:
        await sandbox.close()


async def run(
    sandbox: Sandbox,
    code: str,
    *,
    files: Mapping[str, JobFile] | None = None,
    tools: Mapping[str, bytes] | None = None,
    limits: SandboxLimits = LIMITS,
    **options: Any,
) -> Ran:
    """Run code to its end."""
    job = SandboxJob(code, files=files or {}, tools=tools or {}, limits=limits)
    async with aclosing(sandbox.run(job, **options)) as running:
        events = [event async for event in running]
    assert isinstance(events[-1], RunOutcome)
    assert not any(isinstance(event, RunOutcome) for event in events[:-1])
    return Ran(events[-1], events)


class Unwilling(WasiBackend):
    """A sandbox that fails so many times to get ready, and then does."""

    def __init__(self, settings: Settings, *, failures: int, error: Exception | None = None) -> None:
        super().__init__(settings)
        self.attempts = 0
        self._failures = failures
        self._error = error or SandboxUnavailable("There is no memory for it.")

    async def prepare(self, report: ReportProgress) -> None:
        self.attempts += 1
        report(0.5)
        if self.attempts <= self._failures:
            raise self._error
        await super().prepare(report)


class Uncompiled(WasiBackend):
    """A sandbox whose machine code is not there, and takes for ever to be made."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.attempts = 0
        self.compiling = asyncio.Event()

    @property
    def installed(self) -> bool:
        return False

    async def prepare(self, report: ReportProgress) -> None:
        self.attempts += 1
        report(0.42)
        self.compiling.set()
        await asyncio.Event().wait()


def idle(sandbox: Sandbox) -> list[int]:
    """Return the numbers of the workers that wait."""
    assert isinstance(sandbox._backend, WasiBackend)
    return sandbox._backend.workers.idle


def busy(sandbox: Sandbox) -> list[int]:
    """Return the numbers of the workers that run code."""
    assert isinstance(sandbox._backend, WasiBackend)
    return sandbox._backend.workers.busy
