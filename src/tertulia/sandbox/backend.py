"""What runs jobs in isolation promises."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Protocol

from tertulia.sandbox.domain import RunEvent, SandboxJob

ReportProgress = Callable[[float], None]


class SandboxBackend(Protocol):
    """Runs code so that it reaches nothing but what the job lends it."""

    @property
    def name(self) -> str:
        """Return what the backend is called, with everything its safety hangs on."""
        ...

    @property
    def folder(self) -> Path:
        """Return where it keeps what nobody else may write."""
        ...

    @property
    def installed(self) -> bool:
        """Tell whether nothing is left to be prepared."""
        ...

    async def prepare(self, report: ReportProgress) -> None:
        """Do what must be done once on a machine, telling how far it has come; raise if it cannot."""
        ...

    def run(self, job: SandboxJob, *, stop: asyncio.Event) -> AsyncGenerator[RunEvent]:
        """Run a job in a fresh interpreter; the last event is its outcome."""
        ...

    async def close(self) -> None:
        """End every process."""
        ...
