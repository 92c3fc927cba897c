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
    if not path.exists():
        yield
        return
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ServerRunning(folder) from None
        yield


def is_server_stopped(folder: Path) -> bool:
    """Tell whether no server uses a data directory just now."""
    try:
        with keep_server_away(folder):
            return True
    except ServerRunning:
        return False
