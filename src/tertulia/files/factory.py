"""Puts the parts of this rung together."""

import asyncio
from dataclasses import dataclass

from tertulia.files.blob_cleaner import BlobCleaner
from tertulia.files.contents import ContentStore
from tertulia.files.service import Files
from tertulia.files.spool import Spool
from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database
from tertulia.settings import Settings


@dataclass(frozen=True, slots=True)
class FileParts:
    """What a process needs for files."""

    files: Files
    blobs: Blobs
    blob_cleaner: BlobCleaner


def open_blobs(settings: Settings) -> Blobs:
    """Return where large contents lie."""
    return Blobs(settings.blobs, folder=settings.data_dir / "blobs")


def open_files(db: Database, settings: Settings) -> FileParts:
    """Return what saves and reads files, and what keeps their store clean."""
    blobs = open_blobs(settings)
    spool = Spool(settings.data_dir / "incoming", max_bytes=settings.largest_file)
    blobs_released = asyncio.Event()
    files = Files(db, ContentStore(db, blobs, spool=spool), settings=settings, blobs_released=blobs_released)
    return FileParts(files, blobs, BlobCleaner(db, blobs, spool=spool, blobs_released=blobs_released))
