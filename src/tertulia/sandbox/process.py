"""A worker: `python -m tertulia.sandbox.process` runs one job after another, each in a fresh interpreter.

It reads frames from standard input and answers on standard output. The code
it runs has neither: what it prints travels inside frames. The worker ends at
once when its input ends, so it never outlives the server.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import BinaryIO

from tertulia.sandbox.confine import confine
from tertulia.sandbox.frames import (
    Begun,
    Content,
    Done,
    FromWorker,
    Orders,
    Ready,
    Run,
    ToolRead,
    ToWorker,
    Wanted,
    heard,
    packed,
)
from tertulia.sandbox.guest import Guest, needs_libraries
from tertulia.sandbox.output import Printing

#: How long nothing must come before the time is used to prepare more.
MOMENT = 0.3
NICE, NICE_WHEN_WARMING = 5, 15


class Reply:
    """Sends messages, one at a time and whole."""

    def __init__(self, output: BinaryIO) -> None:
        self._output = output
        self._sending = threading.Lock()

    def send(self, message: FromWorker) -> None:
        """Send a message; when nobody can hear it there is no more to do."""
        try:
            with self._sending:
                self._output.write(packed(message))
                self._output.flush()
        except OSError:
            os._exit(0)


class Inbox:
    """Takes in messages; when nobody speaks any more, the process ends, whatever it is doing."""

    def __init__(self, source: BinaryIO) -> None:
        self._source = source
        self._messages: SimpleQueue[ToWorker] = SimpleQueue()
        threading.Thread(target=self._fill, daemon=True).start()

    def next(self, timeout: float | None = None) -> ToWorker:
        """Return the next message; raise `Empty` if none comes in time."""
        return self._messages.get(timeout=timeout)

    def whole(self) -> bytes | None:
        """Return the file that comes now, part by part."""
        parts: list[bytes] = []
        while isinstance(part := self.next(), Content) and part.data is not None:
            if not part.data:
                return b"".join(parts)
            parts.append(part.data)
        return None

    def _fill(self) -> None:
        while (message := heard(self._source)) is not None:
            self._messages.put(message)
        os._exit(0)


class Bench:
    """Keeps an interpreter prepared, and another with libraries once some code has needed them."""

    def __init__(self, make: Callable[[int], Guest], memory_mb: int) -> None:
        self._make = make
        self._usual = memory_mb
        self._bare: Guest | None = make(memory_mb)
        self._warm: Future[Guest] | None = None
        self._worth_it = False

    def rest(self) -> None:
        """Use a moment without work to import libraries, if code has needed them before."""
        if self._worth_it and self._warm is None:
            self._warm = Future()
            threading.Thread(target=self._warm_up, args=(self._warm,), daemon=True).start()

    def run(self, job: Run, printing: Printing, tell: Callable[[Begun | Done], None]) -> None:
        """Run a job, tell how it ended, and prepare for the next."""
        guest = self._fit(job)
        tell(Begun())
        try:
            tell(guest.run(job, printing))
        finally:
            guest.close()
        if self._bare is None:
            self._bare = self._make(self._usual)

    def _fit(self, job: Run) -> Guest:
        if job.memory_mb != self._usual:
            return self._make(job.memory_mb)
        if needs_libraries(job.code):
            self._worth_it = True
            if warm := self._warmed():
                return warm
        bare, self._bare = self._bare, None
        return bare or self._make(self._usual)

    def _warmed(self) -> Guest | None:
        """Return the interpreter with libraries; waiting for it takes less than importing them again."""
        future, self._warm = self._warm, None
        if future is None or future.exception() is not None:
            return None
        return future.result()

    def _warm_up(self, future: "Future[Guest]") -> None:
        give_way(NICE_WHEN_WARMING)
        try:
            guest = self._make(self._usual)
            guest.warm_up()
        except Exception as error:  # noqa: BLE001 - then the code imports them itself
            future.set_exception(error)
        else:
            future.set_result(guest)


def main() -> None:
    """Run jobs until whoever started this process is gone."""
    # Ctrl-C is for the server, which ends its workers when it has ended what they do.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders = heard(sys.stdin.buffer)
    if not isinstance(orders, Orders):
        return
    reply = Reply(os.fdopen(take_over_output(), "wb"))
    # Before any other thread starts: each thread is confined by the one that starts it.
    confine(readable=[Path(orders.compiled)], writable=[Path(os.environ["TMPDIR"])])
    inbox, printing = Inbox(sys.stdin.buffer), Printing(reply.send)

    def fetch(name: str) -> bytes | None:
        reply.send(Wanted(name))
        return inbox.whole()

    def tell_tool_read(name: str) -> None:
        reply.send(ToolRead(name))

    def make(memory_mb: int) -> Guest:
        return Guest(Path(orders.compiled), memory_mb=memory_mb, fetch=fetch, tool_read=tell_tool_read)

    bench = Bench(make, orders.memory_mb)
    # Only now: somebody may wait for the start.
    give_way(NICE)
    reply.send(Ready())
    while True:
        try:
            job = inbox.next(timeout=MOMENT)
        except Empty:
            bench.rest()
        else:
            if isinstance(job, Run):
                bench.run(job, printing, reply.send)


def give_way(nice: int) -> None:
    """Let everybody else go first, in this thread and those that it will start."""
    if sys.platform == "linux":  # elsewhere a thread has no niceness of its own
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, max(nice, os.getpriority(os.PRIO_PROCESS, thread)))


def take_over_output() -> int:
    """Return a way to answer, and keep everything else from writing there."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    return answers


if __name__ == "__main__":
    main()
