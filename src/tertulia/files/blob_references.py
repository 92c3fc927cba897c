"""Which blobs a database names: for backups and the doctor."""

from dataclasses import dataclass

from tertulia.infra.db.table_digests import TableRowReader


@dataclass(frozen=True, slots=True)
class BlobReference:
    """A blob that a database names: where it lies, and what must be in it."""

    key: str
    hash: str
    size: int


def read_blob_references(reader: TableRowReader) -> list[BlobReference]:
    """Return the blobs that a database names; one of before there were files names none."""
    if "contents" not in reader.read_columns():
        return []
    rows = reader.read_rows("contents", ("blob", "hash", "size"))
    named = [BlobReference(key, hash_, size) for key, hash_, size in rows if key is not None]
    return sorted(named, key=lambda reference: reference.key)
