"""Working on the data directory itself: safe while a server runs, and needing none."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from tertulia.accounts import users
from tertulia.cli.database_copy import translate_file_errors
from tertulia.infra.db import Database, opening
from tertulia.settings import Settings

T = TypeVar("T")


def run_with_database(work: Callable[[Database], Awaitable[T]]) -> T:
    """Open the database, made first if it is not there, do some work with it, and close it."""
    settings = Settings.from_env()
    settings.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    db = open_database(settings)

    async def run() -> T:
        return await work(db)

    try:
        return asyncio.run(run())
    finally:
        db.close()


def read_first_email() -> str | None:
    """Return the address of whoever has the oldest account that is in use."""
    return run_with_database(lambda db: db.read(users.find_first_email, by=None))


def open_database(settings: Settings) -> Database:
    """Open the database, or say what is wrong with it."""
    with translate_file_errors(settings.database):
        return opening.open_database(settings)
