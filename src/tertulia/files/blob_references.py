"""Which blobs a database names: for backups and the doctor."""

from dataclasses import dataclass

from tertulia.infra.db import Tx
from tertulia.infra.db.table_digests import TableRowReader


@dataclass(frozen=True, slots=True)
class BlobReference:
    """A blob that a database names: where it lies, and what must be in it."""

    key: str
    hash: str
    size: int


def list_blob_keys(tx: Tx, *, limit: int) -> list[str]:
    """Return where some of the blobs lie that the database names."""
    sql = "SELECT blob FROM contents WHERE blob IS NOT NULL ORDER BY created_at DESC LIMIT :limit"
    return tx.column(sql, limit=limit)


def read_blob_references(reader: TableRowReader) -> list[BlobReference]:
    """Return the blobs that a database names; one of before there were files names none."""
    if "contents" not in reader.read_columns():
        return []
    rows = reader.read_rows("contents", ("blob", "hash", "size"))
    named = [BlobReference(key, hash_, size) for key, hash_, size in rows if key is not None]
    return sorted(named, key=lambda reference: reference.key)
