"""Moving the write-ahead log into the database beside those who write.

SQLite does it by itself in the commit that makes the log long, and whoever waits to write waits for
two more syncs and for every page that a large message changed. A thread does it as well, while the
writer goes on; only a log that grows faster than it is moved is left to the writer.
"""

import threading
from collections.abc import Callable
from contextlib import suppress

import apsw

#: A log of so many pages is worth moving; the same as SQLite's own measure.
WAL_CHECKPOINT_MIN_PAGES = 1_000
#: A log of more pages makes every read slower: the writer moves it before it goes on.
WAL_CHECKPOINT_MAX_PAGES = 16_000


class Checkpointer:
    """Watches the log grow, and moves it."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._wal_grew = threading.Event()
        self._is_closed = False

    def watch(self, writer: apsw.Connection) -> None:
        """Hear of every commit of a connection, which no longer moves the log by itself."""
        writer.set_wal_hook(self._on_commit)

    def run(self) -> None:
        """Move the log whenever it is long, until closed."""
        connection: apsw.Connection | None = None
        while self._wal_grew.wait() and not self._is_closed:
            self._wal_grew.clear()
            with suppress(apsw.Error):
                connection = connection or self._connect()
                checkpoint_wal(connection)

    def close(self) -> None:
        """Let `run` end."""
        self._is_closed = True
        self._wal_grew.set()

    def _on_commit(self, connection: apsw.Connection, _name: str, pages: int) -> int:
        if pages >= WAL_CHECKPOINT_MAX_PAGES:
            # What fails now is tried again after the next commit; this one is safe already.
            with suppress(apsw.Error):
                checkpoint_wal(connection)
        elif pages >= WAL_CHECKPOINT_MIN_PAGES:
            self._wal_grew.set()
        return apsw.SQLITE_OK


def checkpoint_wal(connection: apsw.Connection) -> None:
    """Move as much as can be moved without waiting for anybody."""
    connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
