"""A worker: `python -m tertulia.sandbox.process` runs one job after another, each in a fresh interpreter.

The code that it runs has no standard input or output: what it prints travels
inside frames.
"""

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue

from tertulia.infra.child.server_pipe import ServerPipe, lower_priority
from tertulia.sandbox.confinement import confine
from tertulia.sandbox.frames import (
    FilePart,
    FileRequest,
    RunRequest,
    RunResult,
    RunStarted,
    ToolRead,
    ToWorker,
    WorkerReady,
    WorkerSetup,
    to_worker_decoder,
)
from tertulia.sandbox.guest import GuestInterpreter, needs_libraries
from tertulia.sandbox.output import OutputBuffer

#: How long nothing must come before the time is used to prepare more.
WARM_UP_IDLE_SECONDS = 0.3
WORKER_NICENESS, WARM_UP_NICENESS = 5, 15


class WorkerInbox:
    """Takes in messages while code runs."""

    def __init__(self, pipe: ServerPipe) -> None:
        self._pipe = pipe
        self._messages: SimpleQueue[ToWorker] = SimpleQueue()
        threading.Thread(target=self._receive_messages, daemon=True).start()

    def next(self, timeout: float | None = None) -> ToWorker:
        """Return the next message; raise `Empty` if none comes in time."""
        return self._messages.get(timeout=timeout)

    def read_file(self) -> bytes | None:
        """Return the file that comes now, part by part."""
        parts: list[bytes] = []
        while isinstance(part := self.next(), FilePart) and part.data is not None:
            if not part.data:
                return b"".join(parts)
            parts.append(part.data)
        return None

    def _receive_messages(self) -> None:
        while True:
            self._messages.put(self._pipe.receive(to_worker_decoder))


class GuestPool:
    """Keeps an interpreter prepared, and another with libraries once some code has needed them."""

    def __init__(self, make: Callable[[int], GuestInterpreter], memory_mb: int) -> None:
        self._make = make
        self._default_memory_mb = memory_mb
        self._bare: GuestInterpreter | None = make(memory_mb)
        self._warm: Future[GuestInterpreter] | None = None
        self._libraries_wanted = False

    def warm_up_if_useful(self) -> None:
        """Use a moment without work to import libraries, if code has needed them before."""
        if self._libraries_wanted and self._warm is None:
            self._warm = Future()
            threading.Thread(target=self._warm_up, args=(self._warm,), daemon=True).start()

    def run(
        self, job: RunRequest, printing: OutputBuffer, send: Callable[[RunStarted | RunResult], None]
    ) -> None:
        """Run a job, tell how it ended, and prepare for the next."""
        guest = self._choose_guest(job)
        send(RunStarted())
        try:
            send(guest.run(job, printing))
        finally:
            guest.close()
        if self._bare is None:
            self._bare = self._make(self._default_memory_mb)

    def _choose_guest(self, job: RunRequest) -> GuestInterpreter:
        if job.memory_mb != self._default_memory_mb:
            return self._make(job.memory_mb)
        if needs_libraries(job.code):
            self._libraries_wanted = True
            if warm := self._take_warm():
                return warm
        bare, self._bare = self._bare, None
        return bare or self._make(self._default_memory_mb)

    def _take_warm(self) -> GuestInterpreter | None:
        """Return the interpreter with libraries; waiting for it takes less than importing them again."""
        future, self._warm = self._warm, None
        if future is None or future.exception() is not None:
            return None
        return future.result()

    def _warm_up(self, future: "Future[GuestInterpreter]") -> None:
        lower_priority(WARM_UP_NICENESS)
        try:
            guest = self._make(self._default_memory_mb)
            guest.warm_up()
        except Exception as error:  # noqa: BLE001 - then the code imports them itself
            future.set_exception(error)
        else:
            future.set_result(guest)


def main() -> None:
    """Run jobs until whoever started this process is gone."""
    pipe = ServerPipe()
    setup = pipe.receive(to_worker_decoder)
    if not isinstance(setup, WorkerSetup):
        return
    # Before any other thread starts: each thread is confined by the one that starts it.
    confine(readable=[Path(setup.compiled)], writable=[Path(os.environ["TMPDIR"])])
    inbox, printing = WorkerInbox(pipe), OutputBuffer(pipe.send)

    def fetch(name: str) -> bytes | None:
        pipe.send(FileRequest(name))
        return inbox.read_file()

    def tell_tool_read(name: str) -> None:
        pipe.send(ToolRead(name))

    def make(memory_mb: int) -> GuestInterpreter:
        return GuestInterpreter(
            Path(setup.compiled), memory_mb=memory_mb, fetch=fetch, tool_read=tell_tool_read
        )

    pool = GuestPool(make, setup.memory_mb)
    # Only now: somebody may wait for the start.
    lower_priority(WORKER_NICENESS)
    pipe.send(WorkerReady())
    while True:
        try:
            job = inbox.next(timeout=WARM_UP_IDLE_SECONDS)
        except Empty:
            pool.warm_up_if_useful()
        else:
            if isinstance(job, RunRequest):
                pool.run(job, printing, pipe.send)


if __name__ == "__main__":
    main()
