"""Working on the data directory itself: safe while a server runs, and needing none."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tertulia.infra.db import Database
from tertulia.settings import Settings

T = TypeVar("T")


def with_database(work: Callable[[Database], Awaitable[T]]) -> T:
    """Open the database, made first if it is not there, do some work with it, and close it."""
    settings = Settings.from_env()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    db = Database(settings.database, busy_seconds=settings.busy_seconds)

    async def run() -> T:
        return await work(db)

    try:
        return asyncio.run(run())
    finally:
        db.close()
