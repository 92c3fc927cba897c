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
from tertulia.files.intake import Received, Spool
from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database, Tx


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes: their own, or where they lie in the blob store."""

    hash: str
    size: int
    data: bytes | None
    blob: str | None


def get(tx: Tx, hash_: str) -> Content:
    """Return contents by their hash, or raise `NotFound`."""
    sql = "SELECT hash, size, data, blob FROM contents WHERE workspace_id = :workspace AND hash = :hash"
    if found := tx.one(Content, sql, hash=hash_):
        return found
    raise NotFound("file")


def add(tx: Tx, new: Received, *, blob: str | None) -> None:
    """Keep contents that something is about to use; where they are already, the new blob is let go."""
    added = tx.run(
        """INSERT INTO contents (workspace_id, hash, size, data, blob, created_at)
           VALUES (:workspace, :hash, :size, :data, :blob, :now) ON CONFLICT DO NOTHING""",
        hash=new.hash,
        size=new.size,
        data=new.data,
        blob=blob,
        now=now(),
    )
    if not added:
        release(tx, blob)


def release(tx: Tx, blob: str | None) -> None:
    """Have a blob deleted that nothing came to use."""
    if blob is not None:
        tx.run("INSERT INTO unused_blobs (place) VALUES (:place) ON CONFLICT DO NOTHING", place=blob)


class Contents:
    """Puts large contents into the blob store, and opens any by their hash."""

    def __init__(self, db: Database, blobs: Blobs, *, spool: Spool) -> None:
        self._db = db
        self._blobs = blobs
        self.spool = spool

    async def put(self, new: Received, *, by: Principal) -> str | None:
        """Put what is too large for a row into the blob store, and return its place there."""
        if new.path is None:
            return None
        place = f"{by.workspace_id}/{new.hash}-{new_id('blb')}"
        await self._blobs.put(new.path, place)
        return place

    async def take_back(self, place: str | None) -> None:
        """Delete a blob again that nothing was written about."""
        if place is not None:
            await self._blobs.delete(place)

    async def open(self, hash_: str, *, by: Principal) -> BinaryIO:
        """Open contents for reading, or raise `NotFound`."""
        found = await self._db.read(lambda tx: get(tx, hash_), by=by)
        if found.blob is None:
            return BytesIO(found.data or b"")
        try:
            return await self._blobs.open(found.blob)
        except FileNotFoundError:  # deleted since we looked
            raise NotFound("file") from None

    @asynccontextmanager
    async def as_file(self, hash_: str, *, by: Principal) -> AsyncGenerator[Path]:
        """Hold contents as a local file that may only be read."""
        found = await self._db.read(lambda tx: get(tx, hash_), by=by)
        copy = self.spool.new_path()
        try:
            if found.blob is not None:
                yield await self._blobs.fetch(found.blob, copy)
            else:
                copy.write_bytes(found.data or b"")  # under 1 MB
                yield copy
        finally:
            copy.unlink(missing_ok=True)
