"""Housekeeping of the blob store: what belongs to nothing any more is deleted."""

import asyncio
import logging
from contextlib import suppress
from datetime import datetime, timedelta

from tertulia.core.clock import now
from tertulia.files.spool import Spool
from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database, Tx, bound_list
from tertulia.infra.db.server_facts import claim_interval
from tertulia.infra.jobs import JobUnderWay, run_claimed

log = logging.getLogger("tertulia.files")

#: A file that arrives takes no longer than this between its bytes and its row.
UNUSED_BLOB_MIN_AGE = timedelta(hours=1)
BLOB_CLEANUP_INTERVAL_SECONDS = 2.0
BLOB_CLEANUP_BATCH_SIZE = 200
#: Of several processes one at a time deletes blobs, and one an hour looks for what was left behind.
BLOB_DELETION_KEY = "delete_blobs"
BLOB_SWEEP_FACT = "blob_sweep"


class BlobCleaner:
    """Deletes blobs once nothing uses them; after a crash, also those that nothing came to use."""

    def __init__(self, db: Database, blobs: Blobs, *, spool: Spool, blobs_released: asyncio.Event) -> None:
        self._db = db
        self._blobs = blobs
        self._spool = spool
        self._blobs_released = blobs_released

    async def run(self) -> None:
        """Keep the store clean until cancelled; what fails is tried again later."""
        swept_at: datetime | None = None
        while True:
            self._blobs_released.clear()
            try:
                if swept_at is None or now() - swept_at > UNUSED_BLOB_MIN_AGE:
                    is_start, swept_at = swept_at is None, now()
                    await self._sweep(older_than=swept_at - UNUSED_BLOB_MIN_AGE, is_start=is_start)
                await self._delete_claimed()
            except Exception:
                log.exception("The blob store could not be kept clean; it is tried again.")
            await self._wait()

    async def delete_unused(self) -> None:
        """Delete the blobs whose rows are gone."""
        while places := await self._list_unused():
            await self._delete(places)

    async def _delete_claimed(self) -> None:
        """Delete the blobs whose rows are gone, unless another process does so."""
        while places := await self._list_unused():
            try:
                await run_claimed(
                    self._db,
                    BLOB_DELETION_KEY,
                    key=BLOB_DELETION_KEY,
                    payload={},
                    work=lambda places=places: self._delete(places),
                    wait_seconds=0,
                )
            except JobUnderWay:
                return

    async def _list_unused(self) -> list[str]:
        sql = "SELECT place FROM unused_blobs LIMIT :most"
        return await self._db.read_inline(lambda tx: tx.column(sql, most=BLOB_CLEANUP_BATCH_SIZE), by=None)

    async def _delete(self, places: list[str]) -> None:
        for place in places:
            await self._blobs.delete(place)
        await self._db.write(lambda tx: forget_blobs(tx, places), by=None)

    async def _sweep(self, *, older_than: datetime, is_start: bool) -> None:
        """Delete what a crash left behind: at a start all of it, later blobs without a row if claimed."""
        await asyncio.to_thread(self._sweep_spool, older_than)
        is_claimed = await self._db.write(
            lambda tx: claim_interval(tx, BLOB_SWEEP_FACT, every=UNUSED_BLOB_MIN_AGE), by=None
        )
        if is_claimed or is_start:
            await self._sweep_blobs(older_than)

    async def _sweep_blobs(self, older_than: datetime) -> None:
        old = [
            stored_blob.key for stored_blob in await self._blobs.list() if stored_blob.written_at < older_than
        ]
        used = set(await self._db.read(lambda tx: filter_used_blobs(tx, old), by=None))
        for place in old:
            if place not in used:
                await self._blobs.delete(place)

    def _sweep_spool(self, older_than: datetime) -> None:
        if not self._spool.folder.is_dir():
            return
        for path in self._spool.folder.iterdir():
            with suppress(FileNotFoundError):  # another process of this machine sweeps too, or has used it
                if path.stat().st_mtime < older_than.timestamp():
                    path.unlink()

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(BLOB_CLEANUP_INTERVAL_SECONDS):
                await self._blobs_released.wait()
        except TimeoutError:
            pass


def filter_used_blobs(tx: Tx, blobs: list[str]) -> list[str]:
    """Return which of these blobs some row names."""
    return tx.column(f"SELECT blob FROM contents WHERE blob IN {bound_list('places')}", places=blobs)


def forget_blobs(tx: Tx, blobs: list[str]) -> None:
    """Forget blobs that are deleted."""
    tx.run(f"DELETE FROM unused_blobs WHERE place IN {bound_list('places')}", places=blobs)


def count_unused_blobs(tx: Tx) -> int:
    """Return how many blobs without a row are still to be deleted."""
    return int(tx.value("SELECT count(*) FROM unused_blobs"))
