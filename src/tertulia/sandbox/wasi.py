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

from tertulia.sandbox.backend import Report
from tertulia.sandbox.compiling import chosen, compile_in_child, is_compiled, places, versions
from tertulia.sandbox.domain import Event, Job, Outcome, Status
from tertulia.sandbox.errors import SandboxUnavailable
from tertulia.sandbox.link import NOT_STARTED, STOPPED, NotBegun
from tertulia.sandbox.workers import IDLE_SECONDS, Workers, remove_dead
from tertulia.settings import Settings

#: Workers that wait may have died without our notice, all of them.
TRIES = 8


class WasiBackend:
    """Runs each job in a fresh WebAssembly machine."""

    def __init__(self, settings: Settings, *, idle_seconds: float = IDLE_SECONDS) -> None:
        self._places = places(settings)
        self._scratch = settings.data_dir / "sandbox" / "scratch"
        self.workers = Workers(lambda: self.folder, self._scratch, idle_seconds=idle_seconds)

    @property
    def name(self) -> str:
        """Return what it is made of; it changes with everything that its safety hangs on."""
        return f"{versions()}-{platform.system()}-{platform.release()}-{source_digest()}"

    @property
    def folder(self) -> Path:
        """Return where its machine code is, or will be."""
        return chosen(self._places)

    @property
    def installed(self) -> bool:
        """Tell whether its machine code is there."""
        return is_compiled(self.folder)

    async def prepare(self, report: Report) -> None:
        """Make the machine code if it is not there, and start a first worker."""
        await asyncio.to_thread(remove_dead, self._scratch)
        if not self.installed:
            await compile_in_child(self._places[-1], report)
        await self.workers.warm()

    async def run(self, job: Job, *, stop: asyncio.Event) -> AsyncGenerator[Event]:
        """Run a job in a fresh interpreter; the last event is its outcome."""
        for _ in range(TRIES):
            try:
                async with aclosing(self._run_once(job, stop)) as events:
                    async for event in events:
                        yield event
            except NotBegun:
                continue
            return
        raise SandboxUnavailable(NOT_STARTED)

    async def _run_once(self, job: Job, stop: asyncio.Event) -> AsyncGenerator[Event]:
        async with self.workers.lent(stop) as worker:
            if worker is None:
                yield Outcome(Status.STOPPED, 0, error=STOPPED)
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
    for path in sorted(Path(__file__).parent.glob("*.py")):
        hashed.update(path.read_bytes())
    return hashed.hexdigest()[:16]
