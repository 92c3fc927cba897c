"""Several copies of a program, kept running by a process that does nothing else.

Each copy has a line to us, a pair of sockets: it says on it that it has started, and the end of the line
tells either side that the other is gone.
"""

import asyncio
import contextlib
import logging
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

log = logging.getLogger("tertulia.workers")

WORKER_STARTED = b"\n"
#: A worker that ended is started again after a pause, twice as long each time.
WORKER_RESTART_MIN_SECONDS = 0.5
WORKER_RESTART_MAX_SECONDS = 5.0
#: One that ran for so long was well: the pauses begin anew.
WORKER_STEADY_SECONDS = 10.0
PASSED_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True, slots=True)
class WorkerStart:
    """What a new worker is told: the number of its line's file, and whether it is the first of all."""

    line: int
    is_first: bool


@dataclass(frozen=True, slots=True)
class Worker:
    """A worker that runs, with our end of its line: the system closes it when we die."""

    process: Process
    line: socket.socket

    async def wait(self) -> int:
        """Return the exit code once the worker has ended."""
        code = await self.process.wait()
        self.line.close()
        return code

    async def has_started(self) -> bool:
        """Wait until the worker says that it works, or ends."""
        with contextlib.suppress(OSError):
            return await asyncio.get_running_loop().sock_recv(self.line, 1) == WORKER_STARTED
        return False


class WorkerGroup:
    """Starts workers, starts those again that die, and ends them all when told to."""

    def __init__(self, command: Callable[[WorkerStart], Sequence[str]], *, count: int) -> None:
        self._command = command
        self._count = count
        self._running: set[Worker] = set()
        self._stopping = asyncio.Event()

    async def run(self) -> int:
        """Keep the workers running until told to stop, and return an exit code.

        The first starts before the others, so that what is done once, such as a migration, is done by then;
        where it cannot start, none can.
        """
        for number in PASSED_SIGNALS:
            asyncio.get_running_loop().add_signal_handler(number, self.stop, number)
        first = await self._start(is_first=True)
        if not await first.has_started():
            code = await first.wait()
            return 0 if self._stopping.is_set() else code
        await asyncio.gather(self._keep(first), *(self._keep(None) for _ in range(1, self._count)))
        return 0

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Tell all workers to end, and start none again; told once more, pass on how."""
        # SIGTERM first: Ctrl-C would have a worker that is just loading its modules end with a traceback.
        passed = number if self._stopping.is_set() else signal.SIGTERM
        self._stopping.set()
        for worker in self._running:
            with contextlib.suppress(ProcessLookupError):
                worker.process.send_signal(passed)

    async def _keep(self, worker: Worker | None) -> None:
        """Have one worker running until told to stop."""
        pause = WORKER_RESTART_MIN_SECONDS
        while not self._stopping.is_set():
            began = monotonic()
            worker = worker or await self._start()
            code = await worker.wait()
            self._running.discard(worker)
            if self._stopping.is_set():
                return
            if monotonic() - began > WORKER_STEADY_SECONDS:
                pause = WORKER_RESTART_MIN_SECONDS
            log.warning(
                "Worker %d ended with %d and is started again in %g s.", worker.process.pid, code, pause
            )
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)
            pause = min(2 * pause, WORKER_RESTART_MAX_SECONDS)
            worker = None

    async def _start(self, *, is_first: bool = False) -> Worker:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *self._command(WorkerStart(theirs.fileno(), is_first=is_first)),
                pass_fds=(theirs.fileno(),),
                # Ctrl-C at a terminal is for us alone; we pass it on.
                process_group=0,
            )
        worker = Worker(process, ours)
        self._running.add(worker)
        if self._stopping.is_set():
            self.stop()
        return worker


class GroupLine:
    """A worker's end of its line: tells the group that it has started, and hears when the group is gone."""

    def __init__(self, line: int) -> None:
        self._socket = socket.socket(fileno=line)
        self._socket.set_inheritable(False)
        self._socket.setblocking(False)

    def tell_started(self) -> None:
        """Say that the work has begun, and end this process in good order once the group is gone."""
        with contextlib.suppress(OSError):
            self._socket.send(WORKER_STARTED)
        asyncio.get_running_loop().add_reader(self._socket, self._end)

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._socket)
        signal.raise_signal(signal.SIGTERM)
