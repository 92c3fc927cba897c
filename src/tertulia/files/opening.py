"""Puts the parts of this rung together."""

import asyncio
from dataclasses import dataclass

from tertulia.files.contents import Contents
from tertulia.files.intake import Spool
from tertulia.files.keeper import Keeper
from tertulia.files.service import Files
from tertulia.infra.blobs import Blobs
from tertulia.infra.db import Database
from tertulia.settings import Settings


@dataclass(frozen=True, slots=True)
class FileParts:
    """What a process needs for files."""

    files: Files
    keeper: Keeper


def open_files(db: Database, settings: Settings) -> FileParts:
    """Return what saves and reads files, and what keeps their store clean."""
    blobs = Blobs(settings.blobs, folder=settings.data_dir / "blobs")
    spool = Spool(settings.data_dir / "incoming", largest=settings.largest_file)
    news = asyncio.Event()
    files = Files(db, Contents(db, blobs, spool=spool), settings=settings, news=news)
    return FileParts(files, Keeper(db, blobs, spool=spool, news=news))
