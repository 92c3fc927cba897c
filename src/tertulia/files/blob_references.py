"""Which blobs a database names: for backups and the doctor, which look at its file."""

from dataclasses import dataclass
from pathlib import Path

import apsw


@dataclass(frozen=True, slots=True)
class BlobReference:
    """A blob that a database names: where it lies, and what must be in it."""

    key: str
    hash: str
    size: int


def read_blob_references(database: Path) -> list[BlobReference]:
    """Return the blobs that a database names; one of before there were files names none."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        known = "SELECT 1 FROM sqlite_schema WHERE name = 'contents'"
        if not connection.execute(known).fetchall():
            return []
        rows = connection.execute(
            "SELECT blob, hash, size FROM contents WHERE blob IS NOT NULL ORDER BY blob"
        )
        return [BlobReference(str(place), str(hash_), int(str(size))) for place, hash_, size in rows]
    finally:
        connection.close()
