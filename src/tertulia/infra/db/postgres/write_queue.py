"""Writes that wait for a thread: in the order in which they came, and one at a time in each workspace.

Each would wait for the others of its workspace anyway, at the server's lock, and a thread and a connection
with it: a busy workspace would leave none for the rest.
"""

import threading
from collections import deque

from tertulia.infra.db.postgres.transaction import HOUSEKEEPING
from tertulia.infra.db.queued_calls import QueuedCall


class WriteQueue:
    """Hands out writes to threads, to each workspace in turn."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        #: What the next threads take.
        self._ready: deque[QueuedCall] = deque()
        #: For each workspace in which a write is ready or under way, those that come after it.
        self._later: dict[str, deque[QueuedCall]] = {}
        self._is_closed = False

    def put(self, write: QueuedCall) -> None:
        """Let a write wait for its turn."""
        with self._changed:
            line = line_of(write)
            if line in self._later:
                self._later[line].append(write)
                return
            if line is not None:
                self._later[line] = deque()
            self._ready.append(write)
            self._changed.notify()

    def get(self) -> QueuedCall | None:
        """Wait for a write and return it; None once the queue is closed and empty."""
        with self._changed:
            while not self._ready:
                if self._is_closed and not self._later:
                    return None
                self._changed.wait()
            return self._ready.popleft()

    def finish(self, write: QueuedCall) -> None:
        """Let the next of the same workspace have its turn, after those that are ready already."""
        line = line_of(write)
        if line is None:
            return
        with self._changed:
            if self._later[line]:
                self._ready.append(self._later[line].popleft())
                self._changed.notify()
                return
            del self._later[line]
            if self._is_closed:
                self._changed.notify_all()

    def close(self) -> None:
        """Hand out what is there, and then nothing more."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()


def line_of(write: QueuedCall) -> str | None:
    """Return which writes a write comes after; None for one that may happen beside others."""
    if write.concurrent:
        return None
    return write.by.workspace_id if write.by else HOUSEKEEPING
