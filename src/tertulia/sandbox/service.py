"""The one door to the sandbox."""

import asyncio
import contextlib
import logging
import os
import unicodedata
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from tertulia.core.errors import TertuliaError
from tertulia.files.errors import PathInvalid
from tertulia.files.paths import normalise
from tertulia.sandbox.backend import SandboxBackend
from tertulia.sandbox.domain import Readiness, RunEvent, RunOutcome, RunStatus, SandboxJob, State
from tertulia.sandbox.errors import JobInvalid, SandboxUnavailable
from tertulia.sandbox.machine_slots import MachineSlots
from tertulia.sandbox.preparation_refusal import PreparationRefusal
from tertulia.sandbox.run_queue import RunQueue
from tertulia.sandbox.selftest import run_selftest
from tertulia.sandbox.wasi import WasiBackend
from tertulia.settings import Settings

CONCURRENT_RUNS_MAX = 4
WAITING_RUNS_MAX = 1000
WAITING_RUNS_PER_OWNER_MAX = 200
#: How long it waits after each failure to get ready before it tries again by itself, and no more after these:
#: an attempt may take minutes of a processor.
PREPARATION_RETRY_SECONDS = (60, 600, 3600)
#: How long a run waits for the sandbox to be prepared before it is told to come back.
PREPARATION_WAIT_SECONDS = 480
PREPARATION_PROGRESS_SECONDS = 2
CODE_MAX_CHARS = 1_000_000
PREPARATION_COST = "about two minutes of a processor and 2.5 GB of memory, once"
SANDBOX_UNPREPARED = f"The sandbox is prepared when a model first runs code ({PREPARATION_COST})."
SANDBOX_DECLINED = "An admin declined to prepare the sandbox on this machine."
SANDBOX_PREPARING = (
    "The sandbox is being prepared for its first use ({percent:.0f} %): try again in a minute or two."
)
PREPARATION_STARTED = f"Preparing the sandbox for its first use ({PREPARATION_COST}).\n"
PREPARATION_ERROR = "The sandbox is off: it could not be prepared ({error}). The server's log says more."
SANDBOX_SHUTTING_DOWN = "The server is shutting down."
RUN_STOPPED_IN_QUEUE = "The code was stopped before its turn came."

log = logging.getLogger("tertulia.sandbox")


class Sandbox:
    """Runs code that nobody vouches for, once everything that would let it out has been tried in vain."""

    def __init__(
        self,
        settings: Settings,
        *,
        backend: SandboxBackend | None = None,
        concurrent_runs: int | None = None,
        retry_seconds: Sequence[float] = PREPARATION_RETRY_SECONDS,
    ) -> None:
        self._backend = backend or WasiBackend(settings)
        self._refusal = PreparationRefusal(settings.data_dir)
        self._retry_seconds = retry_seconds
        concurrent = concurrent_runs or min(os.cpu_count() or 1, CONCURRENT_RUNS_MAX)
        self._slots = MachineSlots(settings.data_dir / "sandbox" / "slots", concurrent)
        self._queue = RunQueue(
            concurrent,
            max_waiting=WAITING_RUNS_MAX,
            max_waiting_per_owner=WAITING_RUNS_PER_OWNER_MAX,
        )
        self._readiness = self._idle_readiness()
        #: Set while no attempt to get ready is under way.
        self._attempt_over = asyncio.Event()
        self._preparing: asyncio.Task[None] | None = None
        self._closed = False

    def readiness(self) -> Readiness:
        """Tell whether code can be run, and why not."""
        return self._readiness

    def start(self) -> None:
        """Get ready in the background where that takes no more than a moment."""
        if self._backend.installed and not self._refusal.is_recorded:
            self._start()

    def prepare(self) -> None:
        """Get ready now, whatever was said or failed before."""
        if self._readiness.state in (State.OFF, State.UNPREPARED) and not self._closed:
            self._refusal.withdraw()
            self._cancel_preparation()
            self._start()

    def decline(self) -> None:
        """Do not get ready on this machine until somebody wants it again."""
        if self._readiness.state is not State.READY and not self._closed:
            self._refusal.record()
            self._cancel_preparation()
            self._readiness = self._idle_readiness()
            self._attempt_over.set()

    async def run(
        self,
        job: SandboxJob,
        *,
        owner: str = "",
        stop: asyncio.Event | None = None,
        report: Callable[[str, float | None], None] = lambda _text, _share: None,
    ) -> AsyncGenerator[RunEvent]:
        """Run a job when its owner's turn comes; the last event is its outcome.

        `report` hears how far the sandbox is while it is prepared for its first use.
        Setting `stop`, or closing the generator, ends the code at once.
        """
        await asyncio.to_thread(check_job, job)
        await self._wait_until_ready(report)
        stop = stop or asyncio.Event()
        async with self._queue.acquire(owner, stop) as mine:
            if not mine:
                yield RunOutcome(RunStatus.STOPPED, 0, error=RUN_STOPPED_IN_QUEUE)
                return
            async with self._slots.hold(stop) as has_slot:
                if not has_slot or stop.is_set():
                    yield RunOutcome(RunStatus.STOPPED, 0, error=RUN_STOPPED_IN_QUEUE)
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
        self._readiness = Readiness(State.OFF, SANDBOX_SHUTTING_DOWN)
        await self._backend.close()

    async def _wait_until_ready(self, report: Callable[[str, float | None], None]) -> None:
        """Return when code can be run, or raise with the reason why it cannot."""
        if self._readiness.state in (State.UNPREPARED, State.PREPARING):
            self._start()
        if self._readiness.state is State.PREPARING:
            await self._wait_for_attempt(report)
        if self._readiness.state is State.OFF:
            raise SandboxUnavailable(self._readiness.reason)
        if self._readiness.state is State.PREPARING:
            raise SandboxUnavailable(SANDBOX_PREPARING.format(percent=self._readiness.progress * 100))

    async def _wait_for_attempt(self, report: Callable[[str, float | None], None]) -> None:
        """Wait until the attempt under way has ended, telling how far it is where it takes long."""
        said = "" if self._backend.installed else PREPARATION_STARTED
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PREPARATION_WAIT_SECONDS):
                while not self._attempt_over.is_set():
                    if not self._backend.installed:
                        report(said, self._readiness.progress)
                        said = ""
                    with contextlib.suppress(TimeoutError):
                        await asyncio.wait_for(self._attempt_over.wait(), PREPARATION_PROGRESS_SECONDS)

    def _start(self) -> None:
        if self._preparing is None and not self._closed:
            self._mark_preparing()
            self._preparing = asyncio.get_running_loop().create_task(self._prepare())

    def _cancel_preparation(self) -> None:
        if self._preparing is not None:
            self._preparing.cancel()
        self._preparing = None

    def _idle_readiness(self) -> Readiness:
        """Return how the sandbox stands while nothing is done about it."""
        if self._refusal.is_recorded:
            return Readiness(State.OFF, SANDBOX_DECLINED, can_try_again=True)
        if self._backend.installed:
            return Readiness(State.PREPARING)
        return Readiness(State.UNPREPARED, SANDBOX_UNPREPARED, can_try_again=True)

    async def _prepare(self) -> None:
        """Get ready; what fails is tried again a few times, after longer and longer pauses."""
        await self._attempt()
        for pause in self._retry_seconds:
            if self._readiness.state is State.READY:
                return
            await asyncio.sleep(pause)
            await self._attempt()

    async def _attempt(self) -> None:
        """Try to get ready once, and say how that ended."""
        self._mark_preparing()
        try:
            await self._backend.prepare(self._set_progress)
            await run_selftest(self._backend)
        except Exception as error:  # noqa: BLE001 - whatever it was, people must hear that code cannot be run
            self._readiness = Readiness(State.OFF, reason_of(error), can_try_again=True)
        else:
            self._readiness = Readiness(State.READY, progress=1)
        finally:
            self._attempt_over.set()

    def _mark_preparing(self) -> None:
        self._attempt_over.clear()
        self._readiness = Readiness(State.PREPARING)

    def _set_progress(self, progress: float) -> None:
        self._readiness = Readiness(State.PREPARING, progress=progress)


def reason_of(error: Exception) -> str:
    """Return in one sentence why the sandbox is off, and write down what only we can mend."""
    if isinstance(error, TertuliaError):
        log.warning("Code cannot be run: %s", error.message)
        return error.message
    log.error("Code cannot be run.", exc_info=error)
    return PREPARATION_ERROR.format(error=error if isinstance(error, OSError) else type(error).__name__)


def check_job(job: SandboxJob) -> None:
    """Raise where a job could not be laid out as it is meant."""
    if len(job.code) > CODE_MAX_CHARS:
        raise JobInvalid(
            f"The code is longer than {CODE_MAX_CHARS:,} characters: make a tool of a part of it."
        )
    if not job.code.isprintable() and any(unicodedata.category(character) == "Cs" for character in job.code):
        raise JobInvalid("The code holds halves of characters: write it anew.")
    for name in (*job.files, *job.tools):
        try:
            regular = normalise(name)
        except PathInvalid as error:
            raise JobInvalid(f"{error.message} ({name[:100]!r})") from None
        if regular != name:
            raise JobInvalid(f"The file name {name[:100]!r} is not in its regular form, {regular!r}.")
