"""Contents in the database: bytes by their hash, each once in a workspace."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from tertulia.core.clock import now
from tertulia.core.errors import NotFound
from tertulia.core.ids import new_id
from tertulia.core.principal import Principal
from tertulia.files.spool import ReceivedFile, Spool
from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class StoredContent:
    """Bytes: their own, or where they lie in the blob store."""

    hash: str
    size: int
    data: bytes | None
    blob: str | None


def get_content(tx: Tx, hash_: str) -> StoredContent:
    """Return contents by their hash, or raise `NotFound`."""
    sql = "SELECT hash, size, data, blob FROM contents WHERE workspace_id = :workspace AND hash = :hash"
    if found := tx.one(StoredContent, sql, hash=hash_):
        return found
    raise NotFound("file")


def add_content(tx: Tx, received: ReceivedFile, *, blob: str | None) -> None:
    """Keep contents that something is about to use; where they are already, the new blob is let go."""
    added = tx.change(
        """INSERT INTO contents (workspace_id, hash, size, data, blob, created_at)
           VALUES (:workspace, :hash, :size, :data, :blob, :now) ON CONFLICT DO NOTHING""",
        hash=received.hash,
        size=received.size,
        data=received.data,
        blob=blob,
        now=now(),
    )
    if not added:
        release_blob(tx, blob)


def release_blob(tx: Tx, blob: str | None) -> None:
    """Have a blob deleted that nothing came to use."""
    if blob is not None:
        tx.run("INSERT INTO unused_blobs (place) VALUES (:place) ON CONFLICT DO NOTHING", place=blob)


class ContentStore:
    """Puts large contents into the blob store, and opens any by their hash."""

    def __init__(self, db: Database, blobs: Blobs, *, spool: Spool) -> None:
        self._db = db
        self._blobs = blobs
        self.spool = spool

    async def put_if_large(self, received: ReceivedFile, *, by: Principal) -> str | None:
        """Put what is too large for a row into the blob store, and return its place there."""
        if received.path is None:
            return None
        place = f"{by.workspace_id}/{received.hash}-{new_id('blb')}"
        await self._blobs.put(received.path, place)
        return place

    async def discard_blob(self, blob: str | None) -> None:
        """Delete a blob again that nothing was written about."""
        if blob is not None:
            await self._blobs.delete(blob)

    async def open(self, hash_: str, *, by: Principal) -> BinaryIO:
        """Open contents for reading, or raise `NotFound`."""
        found = await self._db.read(lambda tx: get_content(tx, hash_), by=by)
        if found.blob is None:
            return BytesIO(found.data or b"")
        try:
            return await self._blobs.open(found.blob)
        except FileNotFoundError:  # deleted since we looked
            raise NotFound("file") from None

    @asynccontextmanager
    async def open_as_file(self, hash_: str, *, by: Principal) -> AsyncGenerator[Path]:
        """Hold contents as a local file that may only be read."""
        found = await self._db.read(lambda tx: get_content(tx, hash_), by=by)
        copy = self.spool.new_path()
        try:
            if found.blob is not None:
                yield await self._blobs.fetch_file(found.blob, copy)
            else:
                copy.write_bytes(found.data or b"")  # under 1 MB
                yield copy
        finally:
            copy.unlink(missing_ok=True)
