"""Carries what the code prints out of the worker, soon but not byte by byte."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from tertulia.sandbox.frames import Output

#: How long printed text may wait for more.
SOON = 0.02
heard_by = threading.local()


class Printing:
    """Gathers printed bytes and sends them on; past the limit it asks for an end."""

    def __init__(self, send: Callable[[Output], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._gathered: list[Output] = []
        self._something = threading.Event()
        self._left = 0
        self._enough = threading.Event()
        threading.Thread(target=self._carry, daemon=True).start()

    def begin(self, most: int) -> threading.Event:
        """Let a run print so many bytes; what is returned is set when it prints more."""
        with self._lock:
            self._left, self._enough = most, threading.Event()
            return self._enough

    def take(self, stream: str, data: bytes) -> None:
        """Take bytes that were printed just now."""
        with self._lock:
            if len(data) > self._left:
                self._enough.set()
            kept = data[: self._left]
            self._left -= len(kept)
            if kept:
                self._gathered.append(Output(stream, kept))
                self._something.set()

    def flush(self) -> None:
        """Send all that was gathered."""
        # The lock is held while sending, so that pieces stay in their order.
        with self._lock:
            self._something.clear()
            for piece in joined(self._gathered):
                self._send(piece)
            self._gathered = []

    def _carry(self) -> None:
        pause = threading.Event()
        while self._something.wait():
            self.flush()
            pause.wait(SOON)


class Tap:
    """Stands where the runtime would keep what a stream prints until the end."""

    def __init__(self, name: str, cap: int | None) -> None:
        del cap  # the printing keeps the limit, of both streams together
        self._printing: Printing | None = getattr(heard_by, "printing", None)
        self.name = name
        self.data = bytearray()
        self.dropped = False

    def write(self, data: bytes) -> int:
        """Take bytes, and say that all of them were written."""
        if self._printing is not None:
            self._printing.take(self.name, data)
        return len(data)


@contextmanager
def listening(printing: Printing) -> Generator[None]:
    """Hear what runs that this thread starts print; what others print is for nobody."""
    heard_by.printing = printing
    try:
        yield
    finally:
        del heard_by.printing


def joined(pieces: list[Output]) -> list[Output]:
    """Return pieces with neighbours of one stream put together."""
    found: list[Output] = []
    for piece in pieces:
        if found and found[-1].stream == piece.stream:
            found[-1] = Output(piece.stream, found[-1].data + piece.data)
        else:
            found.append(piece)
    return found
