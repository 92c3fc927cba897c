"""Whether a server uses a data directory, and keeping servers away from it."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from tertulia.cli.errors import ServerRunning

LOCK_FILE_NAME = "server.lock"


@contextmanager
def keep_server_away(folder: Path) -> Generator[None]:
    """Hold the lock of a data directory, without which no server starts; raise where a server has it."""
    path = folder / LOCK_FILE_NAME
    was_there = path.exists()
    try:
        lock = path.open("a")
    except OSError:
        if was_there:
            raise
        # Where no lock can be made, no server can start either.
        yield
        return
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ServerRunning(folder) from None
        try:
            yield
        finally:
            if not was_there:
                path.unlink(missing_ok=True)


def is_server_stopped(folder: Path) -> bool:
    """Tell whether no server uses a data directory just now."""
    if not (folder / LOCK_FILE_NAME).exists():
        return True
    try:
        with keep_server_away(folder):
            return True
    except ServerRunning:
        return False
