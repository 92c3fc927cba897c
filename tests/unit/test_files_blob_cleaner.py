"""However many processes keep one blob store clean, each blob is deleted once and one looks for leftovers."""

import asyncio
from collections import Counter
from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.clocks import HOUR_MS, Machine
from tests.databases import open_database
from tests.search_world import until

from tertulia.core.tasks import cancel_tasks
from tertulia.files import blob_cleaner
from tertulia.files.blob_cleaner import BlobCleaner, count_unused_blobs
from tertulia.files.spool import Spool
from tertulia.infra.blobs.store import Blobs, StoredBlob
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.server_facts import claim_interval

pytestmark = pytest.mark.both_engines

PROCESSES = 3
PLACES = [f"wsp_1/{number}" for number in range(50)]


class WatchedBlobs(Blobs):
    """A store that counts what is asked of it, and takes a moment for each deletion."""

    def __init__(self, folder: Path) -> None:
        super().__init__("", folder=folder)
        self.deletions: Counter[str] = Counter()
        self.listings = 0

    async def delete(self, key: str) -> None:
        self.deletions[key] += 1
        await asyncio.sleep(0.002)

    async def list(self) -> list[StoredBlob]:
        self.listings += 1
        return await super().list()


@pytest.fixture
def processes(tmp_path: Path) -> Generator[list[Database]]:
    opened = [open_database(tmp_path / "data" / "tertulia.db") for _ in range(PROCESSES)]
    yield opened
    for db in opened:
        db.close()


def release_all(tx: Tx) -> None:
    tx.run_many("INSERT INTO unused_blobs (place) VALUES (:place)", [{"place": place} for place in PLACES])


async def test_each_blob_is_deleted_once_and_one_process_an_hour_looks_for_leftovers(
    processes: list[Database], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, machine: Machine
) -> None:
    monkeypatch.setattr(blob_cleaner, "BLOB_CLEANUP_INTERVAL_SECONDS", 0.01)
    blobs, spool = WatchedBlobs(tmp_path / "blobs"), Spool(tmp_path / "incoming", max_bytes=1)
    cleaners = [BlobCleaner(db, blobs, spool=spool, blobs_released=asyncio.Event()) for db in processes]

    async def are_gone() -> bool:
        return not await processes[0].read(count_unused_blobs, by=None)

    async def have_started() -> bool:
        return blobs.listings >= PROCESSES

    at_work = [asyncio.create_task(cleaner.run()) for cleaner in cleaners]
    await until(have_started)
    machine.ahead_ms += HOUR_MS + 1
    machine.slept_ms += HOUR_MS + 1
    await processes[0].write(release_all, by=None)
    await until(are_gone)
    await asyncio.sleep(20 * blob_cleaner.BLOB_CLEANUP_INTERVAL_SECONDS)
    await cancel_tasks(at_work)

    assert blobs.deletions == dict.fromkeys(PLACES, 1)
    assert blobs.listings == PROCESSES + 1


async def test_an_interval_is_claimed_once(processes: list[Database], machine: Machine) -> None:
    here, there, _ = processes

    async def is_due(db: Database) -> bool:
        return await db.write(lambda tx: claim_interval(tx, "look", every=timedelta(hours=1)), by=None)

    assert [await is_due(here), await is_due(there), await is_due(here)] == [True, False, False]
    machine.ahead_ms += HOUR_MS + 1
    machine.slept_ms += HOUR_MS + 1
    assert [await is_due(there), await is_due(here)] == [True, False]
