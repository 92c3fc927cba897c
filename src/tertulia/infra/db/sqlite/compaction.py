"""Space that deleted rows still take, and removing what they said from it.

`secure_delete` overwrites a deleted row where it stands. Three copies remain: earlier versions of
its page in the write-ahead log; what SQLite leaves in the unused part of a page when it moves rows
to another; and free pages from before it was switched on. Emptying the log removes the first,
compacting the database the others.
"""

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import apsw

from tertulia.infra.db.sqlite.connection import open_connection
from tertulia.infra.db.tx import Tx

#: How long emptying the log may keep writers waiting for those who read it.
WAL_TRUNCATION_BUSY_SECONDS = 0.1
#: How long a compaction waits for the write lock.
COMPACTION_BUSY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class UncompactedDeletions:
    """What was deleted since the last compaction."""

    count: int
    last_id: int
    oldest_at: datetime | None


def read_uncompacted_deletions(tx: Tx) -> UncompactedDeletions:
    """Return what a compaction would remove for good."""
    found = tx.one(
        UncompactedDeletions,
        "SELECT count(*) AS count, coalesce(max(id), 0) AS last_id, min(at) AS oldest_at FROM deletions",
    )
    return found or UncompactedDeletions(0, 0, None)


def free_bytes(tx: Tx) -> int:
    """Return the size of the pages that hold nothing any more."""
    return int(tx.value("PRAGMA freelist_count")) * int(tx.value("PRAGMA page_size"))


def wal_bytes(path: Path) -> int:
    """Return the size of the write-ahead log."""
    log = path.with_name(f"{path.name}-wal")
    return log.stat().st_size if log.exists() else 0


def truncate_wal(path: Path) -> bool:
    """Move the log into the database and empty it; False when somebody reads or writes it just now."""
    connection = open_connection(path, busy_seconds=WAL_TRUNCATION_BUSY_SECONDS)
    try:
        (busy, _, _) = next(iter(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")))
    except apsw.BusyError:
        return False
    finally:
        connection.close()
    return not busy


def has_room_to_compact(path: Path) -> bool:
    """Tell whether the disk has room for the two copies that a compaction makes."""
    return shutil.disk_usage(path.parent).free > 2 * path.stat().st_size


def compact(path: Path) -> None:
    """Write the whole database anew; nobody else can write meanwhile, everybody can read."""
    connection = open_connection(path, busy_seconds=COMPACTION_BUSY_SECONDS)
    try:
        # The new copy is as large as the database, which memory may not have room for.
        connection.execute("PRAGMA temp_store = FILE")
        connection.execute("VACUUM")
    finally:
        connection.close()
