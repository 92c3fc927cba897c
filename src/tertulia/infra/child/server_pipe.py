"""A child's side of the pipes: frames from and to the server that started it. Imports nothing heavy."""

import os
import signal
import sys
import threading
from typing import TypeVar

import msgspec

from tertulia.infra.child.frames import FRAME_LENGTH, encode_message, pack_frame

EOF_WATCH_READ_BYTES = 4096

T = TypeVar("T")


class ServerPipe:
    """Speaks to the server; once the server is gone, the process ends, whatever it is doing.

    Opened once, before anything else: libraries write where they like, so from then on what is
    written to standard output or error goes nowhere, but for Python's own tracebacks.
    """

    def __init__(self) -> None:
        # Ctrl-C is for the server, which ends its children when it has ended what they do.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._input = sys.stdin.buffer
        self._output = os.fdopen(os.dup(1), "wb")
        self._sending = threading.Lock()
        sys.stderr = os.fdopen(os.dup(2), "w", buffering=1, errors="backslashreplace")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        os.close(nowhere)

    def receive(self, decoder: msgspec.msgpack.Decoder[T]) -> T:
        """Return the server's next message."""
        head = self._input.read(FRAME_LENGTH.size)
        if len(head) < FRAME_LENGTH.size:
            os._exit(0)
        (size,) = FRAME_LENGTH.unpack(head)
        body = self._input.read(size)
        if len(body) < size:
            os._exit(0)
        return decoder.decode(body)

    def send(self, message: msgspec.Struct) -> None:
        """Send a message whole, from whichever thread."""
        try:
            with self._sending:
                self._output.write(pack_frame(encode_message(message)))
                self._output.flush()
        except OSError:
            os._exit(0)

    def exit_with_server(self) -> threading.Thread:
        """Watch for the end of the server from now on, in a thread; nothing more is received."""
        watcher = threading.Thread(target=_exit_at_eof, daemon=True)
        watcher.start()
        return watcher


def lower_priority(niceness: int) -> None:
    """Let everybody else go first, in this thread and those that it will start."""
    if sys.platform == "linux":  # elsewhere a thread has no niceness of its own
        thread = threading.get_native_id()
        os.setpriority(os.PRIO_PROCESS, thread, max(niceness, os.getpriority(os.PRIO_PROCESS, thread)))


def _exit_at_eof() -> None:
    # Not through a buffer: its lock would be held when the process ends.
    while os.read(0, EOF_WATCH_READ_BYTES):
        pass
    os._exit(0)
