"""The backend: CPython compiled to WebAssembly, run by wasmtime in worker processes of ours.

The code sees a machine with an interpreter and a disk in memory, and nothing
else: there is no system call for sockets, processes or the host's files to be
made. Workers besides confine themselves.
"""

import asyncio
import hashlib
import os
import platform
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from tertulia.infra import child
from tertulia.sandbox.backend import ReportProgress
from tertulia.sandbox.compilation import (
    choose_folder,
    compile_in_child,
    compiled_folders,
    is_compiled,
    runtime_versions,
)
from tertulia.sandbox.domain import RunEvent, RunOutcome, RunStatus, SandboxJob
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.scratch import remove_orphaned_scratch
from tertulia.sandbox.worker import RUN_STOPPED_ERROR, WORKER_NOT_STARTED, RunNotStarted
from tertulia.sandbox.worker_pool import WORKER_IDLE_SECONDS, WorkerPool
from tertulia.settings import Settings

#: Workers that wait may have died without our notice, all of them.
WORKER_ATTEMPTS_MAX = 8


class WasiBackend:
    """Runs each job in a fresh WebAssembly machine."""

    def __init__(self, settings: Settings, *, idle_seconds: float = WORKER_IDLE_SECONDS) -> None:
        self._folders = compiled_folders(settings)
        self._scratch = settings.data_dir / "sandbox" / "scratch"
        self.workers = WorkerPool(lambda: self.folder, self._scratch, idle_seconds=idle_seconds)

    @property
    def name(self) -> str:
        """Return what it is made of; it changes with everything that its safety hangs on."""
        return f"{runtime_versions()}-{platform.system()}-{platform.release()}-{source_digest()}"

    @property
    def folder(self) -> Path:
        """Return where its machine code is, or will be."""
        return choose_folder(self._folders)

    @property
    def installed(self) -> bool:
        """Tell whether its machine code is there."""
        return is_compiled(self.folder)

    async def prepare(self, report: ReportProgress) -> None:
        """Make the machine code if it is not there, and start a first worker."""
        await asyncio.to_thread(remove_orphaned_scratch, self._scratch)
        if not self.installed:
            await compile_in_child(self._folders[-1], report)
        await self.workers.ensure_idle()

    async def run(self, job: SandboxJob, *, stop: asyncio.Event) -> AsyncGenerator[RunEvent]:
        """Run a job in a fresh interpreter; the last event is its outcome."""
        for _ in range(WORKER_ATTEMPTS_MAX):
            try:
                async with aclosing(self._run_once(job, stop)) as events:
                    async for event in events:
                        yield event
            except RunNotStarted:
                continue
            return
        raise SandboxUnavailable(WORKER_NOT_STARTED)

    async def _run_once(self, job: SandboxJob, stop: asyncio.Event) -> AsyncGenerator[RunEvent]:
        async with self.workers.borrow(stop) as worker:
            if worker is None:
                yield RunOutcome(RunStatus.STOPPED, 0, error=RUN_STOPPED_ERROR)
                return
            async with aclosing(worker.run(job, stop=stop)) as events:
                async for event in events:
                    yield event

    async def close(self) -> None:
        """End every worker."""
        await self.workers.close()


def source_digest() -> str:
    """Return what changes whenever our own part of the sandbox does."""
    hashed = hashlib.sha256(f"{os.name}{platform.python_version()}".encode())
    folders = [Path(__file__).parent, Path(child.__file__).parent]
    for path in sorted(path for folder in folders for path in folder.glob("*.py")):
        hashed.update(path.read_bytes())
    return hashed.hexdigest()[:16]
