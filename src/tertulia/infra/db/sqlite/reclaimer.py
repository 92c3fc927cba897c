"""Removing from disk what was deleted, in the background and in small steps.

leftovers   what features keep of deleted rows, such as words in a full-text index
database    what SQLite keeps of them: compacted when the database is small and nobody waits
log         emptied last, as all of the above was written through it
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from time import monotonic

from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.infra.db.database import Database
from tertulia.infra.db.sqlite import compaction
from tertulia.infra.db.sqlite.connection import translate_storage_errors
from tertulia.infra.db.tx import Tx

log = logging.getLogger("tertulia.db")

RECLAIM_INTERVAL_SECONDS = 30.0
#: Deletions are gathered for so long before the database is compacted for all of them.
COMPACTION_DELAY = timedelta(minutes=10)
#: Compacting keeps writers waiting: about a second for each 200 MB. A larger one is for the command line.
COMPACTION_MAX_BYTES = 512_000_000
#: After each step others have the writer for so many times as long.
RECLAIM_REST_RATIO = 4
RECLAIM_REST_MAX_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that a feature keeps of deleted rows: how much of it there is, and a step to remove some."""

    name: str
    count: Callable[[Tx], int]
    remove_some: Callable[[Tx], None]


@dataclass(frozen=True, slots=True)
class ReclaimStatus:
    """What of deleted data is still on disk."""

    leftovers: dict[str, int]
    deletions: int
    free_bytes: int
    wal_bytes: int
    database_bytes: int

    @property
    def needs_compaction(self) -> bool:
        """Whether the database holds traces that only a compaction removes."""
        return self.deletions > 0

    @property
    def is_clean(self) -> bool:
        """Whether all that was deleted is gone; the log of a server that runs is never empty for long."""
        return not self.needs_compaction and not any(self.leftovers.values())


class Reclaimer:
    """Removes what was deleted from a database's files."""

    def __init__(
        self,
        db: Database,
        path: Path,
        *,
        leftovers: Sequence[Leftover],
        is_busy: Callable[[], bool] = lambda: False,
    ) -> None:
        self._db = db
        self._path = path
        self._leftovers = leftovers
        #: Whether somebody waits for a reply: the database is not compacted then.
        self._is_busy = is_busy

    async def run(self) -> None:
        """Reclaim until cancelled; what fails is tried again."""
        while True:
            await asyncio.sleep(RECLAIM_INTERVAL_SECONDS)
            try:
                await self.reclaim(may_compact=await self.may_compact())
            except TertuliaError as error:
                log.warning("Deleted data could not be removed from disk yet: %s", error)

    async def may_compact(self) -> bool:
        """Tell whether it is time to compact, and whether that would keep nobody waiting for long."""
        deletions = await self._db.read_inline(compaction.read_uncompacted_deletions, by=None)
        if deletions.oldest_at is None or now() - deletions.oldest_at < COMPACTION_DELAY:
            return False
        is_small = self._path.stat().st_size <= COMPACTION_MAX_BYTES
        return is_small and not self._is_busy() and compaction.has_room_to_compact(self._path)

    async def reclaim(self, *, may_compact: bool) -> None:
        """Remove what can be removed now."""
        for leftover in self._leftovers:
            await self._remove_leftover(leftover)
        if may_compact:
            await self._compact()
        if compaction.wal_bytes(self._path):
            await asyncio.to_thread(compaction.truncate_wal, self._path)

    async def read_status(self) -> ReclaimStatus:
        """Return what is still to be removed."""

        def read(tx: Tx) -> ReclaimStatus:
            return ReclaimStatus(
                leftovers={leftover.name: leftover.count(tx) for leftover in self._leftovers},
                deletions=compaction.read_uncompacted_deletions(tx).count,
                free_bytes=compaction.free_bytes(tx),
                wal_bytes=compaction.wal_bytes(self._path),
                database_bytes=self._path.stat().st_size,
            )

        return await self._db.read(read, by=None)

    async def _remove_leftover(self, leftover: Leftover) -> None:
        while await self._db.read(leftover.count, by=None):
            began = monotonic()
            await self._db.write(leftover.remove_some, by=None)
            await asyncio.sleep(min(RECLAIM_REST_RATIO * (monotonic() - began), RECLAIM_REST_MAX_SECONDS))

    async def _compact(self) -> None:
        covered = (await self._db.read(compaction.read_uncompacted_deletions, by=None)).last_id
        with translate_storage_errors():
            await asyncio.to_thread(compaction.compact, self._path)
        await self._db.write(
            lambda tx: tx.run("DELETE FROM deletions WHERE id <= :covered", covered=covered), by=None
        )
