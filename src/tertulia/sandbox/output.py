"""Carries what the code prints out of the worker, soon but not byte by byte."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from tertulia.sandbox.frames import OutputPiece

#: How long printed text may wait for more.
OUTPUT_FLUSH_SECONDS = 0.02
capturing = threading.local()


class OutputBuffer:
    """Gathers printed bytes and sends them on; past the limit it asks for an end."""

    def __init__(self, send: Callable[[OutputPiece], None]) -> None:
        self._send = send
        self._lock = threading.Lock()
        self._pieces: list[OutputPiece] = []
        self._has_pieces = threading.Event()
        self._bytes_left = 0
        self._limit_reached = threading.Event()
        threading.Thread(target=self._flush_loop, daemon=True).start()

    def start_run(self, max_bytes: int) -> threading.Event:
        """Let a run print so many bytes; what is returned is set when it prints more."""
        with self._lock:
            self._bytes_left, self._limit_reached = max_bytes, threading.Event()
            return self._limit_reached

    def add(self, stream: str, data: bytes) -> None:
        """Take bytes that were printed just now."""
        with self._lock:
            if len(data) > self._bytes_left:
                self._limit_reached.set()
            kept = data[: self._bytes_left]
            self._bytes_left -= len(kept)
            if kept:
                self._pieces.append(OutputPiece(stream, kept))
                self._has_pieces.set()

    def flush(self) -> None:
        """Send all that was gathered."""
        # The lock is held while sending, so that pieces stay in their order.
        with self._lock:
            self._has_pieces.clear()
            for piece in join_pieces(self._pieces):
                self._send(piece)
            self._pieces = []

    def _flush_loop(self) -> None:
        pause = threading.Event()
        while self._has_pieces.wait():
            self.flush()
            pause.wait(OUTPUT_FLUSH_SECONDS)


class OutputTap:
    """Stands where the runtime would keep what a stream prints until the end."""

    def __init__(self, name: str, cap: int | None) -> None:
        del cap  # the printing keeps the limit, of both streams together
        self._printing: OutputBuffer | None = getattr(capturing, "printing", None)
        self.name = name
        self.data = bytearray()
        self.dropped = False

    def write(self, data: bytes) -> int:
        """Take bytes, and say that all of them were written."""
        if self._printing is not None:
            self._printing.add(self.name, data)
        return len(data)


@contextmanager
def capture_output(buffer: OutputBuffer) -> Generator[None]:
    """Hear what runs that this thread starts print; what others print is for nobody."""
    capturing.printing = buffer
    try:
        yield
    finally:
        del capturing.printing


def join_pieces(pieces: list[OutputPiece]) -> list[OutputPiece]:
    """Return pieces with neighbours of one stream put together."""
    found: list[OutputPiece] = []
    for piece in pieces:
        if found and found[-1].stream == piece.stream:
            found[-1] = OutputPiece(piece.stream, found[-1].data + piece.data)
        else:
            found.append(piece)
    return found
