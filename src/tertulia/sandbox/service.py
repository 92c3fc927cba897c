"""The one door to the sandbox."""

import asyncio
import contextlib
import logging
import os
import unicodedata
from collections.abc import AsyncGenerator, Sequence
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
#: How long it waits after each failure to get ready before it tries again by itself, and no more after these:
#: an attempt may take minutes of a processor.
PAUSES = (60, 600, 3600)
#: A run waits so long for the last checks before it is told to come back.
PATIENCE_SECONDS = 30
LONGEST_CODE = 1_000_000
PREPARING = "The sandbox is being prepared for its first use ({percent:.0f} %): try again in a minute or two."
UNFORESEEN = "The sandbox is off: it could not be prepared ({error}). The server's log says more."
CLOSED = "The server is shutting down."
STOPPED = "The code was stopped before its turn came."

log = logging.getLogger("tertulia.sandbox")


class Sandbox:
    """Runs code that nobody vouches for, once everything that would let it out has been tried in vain."""

    def __init__(
        self,
        settings: Settings,
        *,
        backend: SandboxBackend | None = None,
        at_once: int | None = None,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        self._backend = backend or WasiBackend(settings)
        self._pauses = pauses
        cores = os.cpu_count() or 1
        self._turns = Turns(
            at_once or min(cores, MOST_AT_ONCE), most_waiting=MOST_WAITING, most_for_one=MOST_FOR_ONE
        )
        self._readiness = Readiness(State.PREPARING)
        #: Set while no attempt to get ready is under way.
        self._tried = asyncio.Event()
        self._preparing: asyncio.Task[None] | None = None
        self._closed = False

    def status(self) -> Readiness:
        """Tell whether code can be run, and why not."""
        return self._readiness

    def start(self) -> None:
        """Get ready in the background, unless that was begun already."""
        if self._preparing is None and not self._closed:
            self._preparing = asyncio.get_running_loop().create_task(self._prepare())

    def try_again(self) -> None:
        """Try at once to get ready, if that failed the last time."""
        if self._readiness.state is State.OFF and not self._closed:
            if self._preparing is not None:
                self._preparing.cancel()
            self._preparing = None
            self._begin()
            self.start()

    async def run(
        self, job: Job, *, owner: str = "", stop: asyncio.Event | None = None
    ) -> AsyncGenerator[Event]:
        """Run a job when its owner's turn comes; the last event is its outcome.

        Setting `stop`, or closing the generator, ends the code at once.
        """
        await asyncio.to_thread(check_job, job)
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
        if self._readiness.state is State.PREPARING and self._backend.installed:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._tried.wait()
        if self._readiness.state is State.OFF:
            raise SandboxUnavailable(self._readiness.reason)
        if self._readiness.state is State.PREPARING:
            raise SandboxUnavailable(PREPARING.format(percent=self._readiness.progress * 100))

    async def _prepare(self) -> None:
        """Get ready; what fails is tried again a few times, after longer and longer pauses."""
        await self._attempt()
        for pause in self._pauses:
            if self._readiness.state is State.READY:
                return
            await asyncio.sleep(pause)
            await self._attempt()

    async def _attempt(self) -> None:
        """Try to get ready once, and say how that ended."""
        self._begin()
        try:
            await self._backend.prepare(self._report)
            await check(self._backend)
        except Exception as error:  # noqa: BLE001 - whatever it was, people must hear that code cannot be run
            self._readiness = Readiness(State.OFF, reason_of(error), can_try_again=True)
        else:
            self._readiness = Readiness(State.READY, progress=1)
        finally:
            self._tried.set()

    def _begin(self) -> None:
        self._tried.clear()
        self._readiness = Readiness(State.PREPARING)

    def _report(self, progress: float) -> None:
        self._readiness = Readiness(State.PREPARING, progress=progress)


def reason_of(error: Exception) -> str:
    """Return in one sentence why the sandbox is off, and write down what only we can mend."""
    if isinstance(error, TertuliaError):
        log.warning("Code cannot be run: %s", error.message)
        return error.message
    log.error("Code cannot be run.", exc_info=error)
    return UNFORESEEN.format(error=error if isinstance(error, OSError) else type(error).__name__)


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
