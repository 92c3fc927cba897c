"""New databases for tests, on the engine of the test, copied from one that was migrated once.

Tests name a database by a path, as SQLite does. On PostgreSQL each path stands for a database on the server
of `tests/engines/postgres.py`, which is dropped when the test ends.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from enum import StrEnum
from functools import cache
from pathlib import Path

from tertulia.infra.db import Database
from tertulia.infra.db.postgres.database import PostgresDatabase
from tertulia.infra.db.sqlite.database import SqliteDatabase
from tests.engines.postgres import create_database, drop_database, named_server_url

#: Which engine tests run on that are not meant for both.
ENGINE_VARIABLE = "TERTULIA_TEST_ENGINE"
#: Few connections: a test asks for little at once, and each costs the server a process.
TEST_CONNECTIONS = 4


class Engine(StrEnum):
    """What keeps the data."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


def default_engine() -> Engine:
    """Return the engine that was asked for, or PostgreSQL where a server is named."""
    if asked := os.environ.get(ENGINE_VARIABLE):
        return Engine(asked)
    return Engine.POSTGRES if named_server_url() else Engine.SQLITE


class TestDatabases:
    """The databases of a test, and the engine that they are on."""

    __test__ = False

    def __init__(self) -> None:
        self.engine = default_engine()
        self._urls: dict[Path, str] = {}

    def url(self, path: Path) -> str | None:
        """Return the address of the database that a path stands for, made where there is none."""
        if self.engine is Engine.SQLITE:
            return None
        if path not in self._urls:
            self._urls[path] = create_database(template=migrated_postgres())
        return self._urls[path]

    @contextmanager
    def of_one_test(self, engine: Engine) -> Generator[None]:
        """Drop what is made meanwhile; what is there already belongs to several tests."""
        kept = set(self._urls)
        try:
            with self.on(engine):
                yield
        finally:
            self.drop(set(self._urls) - kept)

    @contextmanager
    def on(self, engine: Engine) -> Generator[None]:
        """Let paths stand for databases of one engine until the block ends."""
        before, self.engine = self.engine, engine
        try:
            yield
        finally:
            self.engine = before

    def drop(self, paths: Iterable[Path]) -> None:
        """Drop databases of PostgreSQL; SQLite's files go with the folders of tests."""
        for path in paths:
            drop_database(self._urls.pop(path))

    def drop_all(self) -> None:
        """Drop what is left at the end of a run, unless the server goes with it."""
        if named_server_url():
            self.drop(list(self._urls))


databases = TestDatabases()
atexit.register(databases.drop_all)


@cache
def migrated_database() -> Path:
    """Return an empty database with every migration applied, made once for all tests of this process."""
    folder = Path(tempfile.mkdtemp(prefix="tertulia-tests-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    SqliteDatabase(folder / "tertulia.db").close()
    return folder / "tertulia.db"


@cache
def migrated_postgres() -> str:
    """Return the address of such a database on PostgreSQL, from which others are copied."""
    url = create_database()
    atexit.register(drop_database, url)
    PostgresDatabase(url, connections=2).close()
    return url


def prepare_database(path: Path) -> None:
    """Put a migrated database where there is none, so that whoever opens it need not migrate it."""
    if databases.url(path) is None and not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        shutil.copyfile(migrated_database(), path)


def open_database(path: Path) -> Database:
    """Open a database, a new one if there is none."""
    if url := databases.url(path):
        return PostgresDatabase(url, connections=TEST_CONNECTIONS)
    prepare_database(path)
    return SqliteDatabase(path)
