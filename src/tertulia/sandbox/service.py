"""The one door to the sandbox."""

import asyncio
import logging
import os
import unicodedata
from collections.abc import AsyncGenerator
from contextlib import aclosing

from tertulia.core.errors import TertuliaError
from tertulia.files.errors import PathInvalid
from tertulia.files.paths import normalise
from tertulia.sandbox.backend import SandboxBackend
from tertulia.sandbox.domain import Event, Job, Outcome, Readiness, State, Status
from tertulia.sandbox.errors import JobInvalid, SandboxUnavailable
from tertulia.sandbox.selftest import check
from tertulia.sandbox.turns import Turns
from tertulia.sandbox.wasi import WasiBackend
from tertulia.settings import Settings

MOST_AT_ONCE = 4
MOST_WAITING = 1000
MOST_FOR_ONE = 200
#: A run waits so long for the last checks before it is told to come back.
PATIENCE_SECONDS = 30
LONGEST_CODE = 1_000_000
PREPARING = "The sandbox is being prepared for its first use ({percent:.0f} %): try again in a minute or two."
CLOSED = "The server is shutting down."
STOPPED = "The code was stopped before its turn came."

log = logging.getLogger("tertulia.sandbox")


class Sandbox:
    """Runs code that nobody vouches for, once everything that would let it out has been tried in vain."""

    def __init__(
        self, settings: Settings, *, backend: SandboxBackend | None = None, at_once: int | None = None
    ) -> None:
        self._backend = backend or WasiBackend(settings)
        cores = os.cpu_count() or 1
        self._turns = Turns(
            at_once or min(cores, MOST_AT_ONCE), most_waiting=MOST_WAITING, most_for_one=MOST_FOR_ONE
        )
        self._readiness = Readiness(State.PREPARING)
        self._preparing: asyncio.Task[None] | None = None
        self._closed = False

    def status(self) -> Readiness:
        """Tell whether code can be run, and why not."""
        return self._readiness

    def start(self) -> None:
        """Get ready in the background, unless that was begun already."""
        if self._preparing is None and not self._closed:
            self._preparing = asyncio.get_running_loop().create_task(self._prepare())

    async def run(
        self, job: Job, *, owner: str = "", stop: asyncio.Event | None = None
    ) -> AsyncGenerator[Event]:
        """Run a job when its owner's turn comes; the last event is its outcome.

        Setting `stop`, or closing the generator, ends the code at once.
        """
        check_job(job)
        await self._ready()
        stop = stop or asyncio.Event()
        async with self._turns.turn(owner, stop) as mine:
            if not mine or stop.is_set():
                yield Outcome(Status.STOPPED, 0, error=STOPPED)
                return
            async with aclosing(self._backend.run(job, stop=stop)) as events:
                async for event in events:
                    yield event

    async def close(self) -> None:
        """End everything; runs under way end with it."""
        self._closed = True
        if self._preparing is not None:
            self._preparing.cancel()
            await asyncio.gather(self._preparing, return_exceptions=True)
        self._readiness = Readiness(State.OFF, CLOSED)
        await self._backend.close()

    async def _ready(self) -> None:
        """Return when code can be run, or raise with the reason why it cannot."""
        if self._readiness.state is State.READY:
            return
        self.start()
        if self._preparing is not None and (self._backend.installed or self._preparing.done()):
            await asyncio.wait({self._preparing}, timeout=PATIENCE_SECONDS)
        if self._readiness.state is State.OFF:
            raise SandboxUnavailable(self._readiness.reason)
        if self._readiness.state is State.PREPARING:
            raise SandboxUnavailable(PREPARING.format(percent=self._readiness.progress * 100))

    async def _prepare(self) -> None:
        try:
            await self._backend.prepare(self._report)
            await check(self._backend)
        except (TertuliaError, OSError) as error:
            reason = error.message if isinstance(error, TertuliaError) else f"The sandbox is off: {error}"
            log.warning("Code cannot be run: %s", reason)
            self._readiness = Readiness(State.OFF, reason)
        else:
            self._readiness = Readiness(State.READY, progress=1)

    def _report(self, progress: float) -> None:
        self._readiness = Readiness(State.PREPARING, progress=progress)


def check_job(job: Job) -> None:
    """Raise where a job could not be laid out as it is meant."""
    if len(job.code) > LONGEST_CODE:
        raise JobInvalid(f"The code is longer than {LONGEST_CODE:,} characters: make a tool of a part of it.")
    if not job.code.isprintable() and any(unicodedata.category(one) == "Cs" for one in job.code):
        raise JobInvalid("The code holds halves of characters: write it anew.")
    for name in (*job.files, *job.tools):
        try:
            regular = normalise(name)
        except PathInvalid as error:
            raise JobInvalid(f"{error.message} ({name[:100]!r})") from None
        if regular != name:
            raise JobInvalid(f"The file name {name[:100]!r} is not in its regular form, {regular!r}.")
