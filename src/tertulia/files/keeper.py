"""Housekeeping of the blob store: what belongs to nothing any more is deleted."""

import asyncio
import logging
from datetime import datetime, timedelta

from tertulia.core.clock import now
from tertulia.files.intake import Spool
from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database, Tx, listed

log = logging.getLogger("tertulia.files")

#: A file that arrives takes no longer than this between its bytes and its row.
UNCERTAIN = timedelta(hours=1)
LOOK_SECONDS = 2.0
AT_ONCE = 200


class Keeper:
    """Deletes blobs once nothing uses them; after a crash, also those that nothing came to use."""

    def __init__(self, db: Database, blobs: Blobs, *, spool: Spool, news: asyncio.Event) -> None:
        self._db = db
        self._blobs = blobs
        self._spool = spool
        self._news = news

    async def run(self) -> None:
        """Keep the store clean until cancelled; what fails is tried again later."""
        swept_at: datetime | None = None
        while True:
            self._news.clear()
            try:
                if swept_at is None or now() - swept_at > UNCERTAIN:
                    swept_at = now()
                    await self.sweep(older_than=swept_at - UNCERTAIN)
                await self.delete_unused()
            except Exception:
                log.exception("The blob store could not be kept clean; it is tried again.")
            await self._rest()

    async def delete_unused(self) -> None:
        """Delete the blobs whose rows are gone."""
        sql = "SELECT place FROM unused_blobs LIMIT :most"
        while places := await self._db.glance(lambda tx: tx.column(sql, most=AT_ONCE), by=None):
            for place in places:
                await self._blobs.delete(place)
            await self._db.write(lambda tx, places=places: forget(tx, places), by=None)

    async def sweep(self, *, older_than: datetime) -> None:
        """Delete what a crash left behind: blobs without a row, and files that never arrived whole."""
        await asyncio.to_thread(self._sweep_spool, older_than)
        old = [one.place for one in await self._blobs.list() if one.written_at < older_than]
        used = set(await self._db.read(lambda tx: in_use(tx, old), by=None))
        for place in old:
            if place not in used:
                await self._blobs.delete(place)

    def _sweep_spool(self, older_than: datetime) -> None:
        if not self._spool.folder.is_dir():
            return
        for path in self._spool.folder.iterdir():
            if path.stat().st_mtime < older_than.timestamp():
                path.unlink(missing_ok=True)

    async def _rest(self) -> None:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                await self._news.wait()
        except TimeoutError:
            pass


def in_use(tx: Tx, places: list[str]) -> list[str]:
    """Return which of these blobs some row names."""
    return tx.column(f"SELECT blob FROM contents WHERE blob IN {listed('places')}", places=places)


def forget(tx: Tx, places: list[str]) -> None:
    """Forget blobs that are deleted."""
    tx.run(f"DELETE FROM unused_blobs WHERE place IN {listed('places')}", places=places)
