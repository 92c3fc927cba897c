"""Where a database is: the file of SQLite, or the address of a PostgreSQL server."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tertulia.cli.errors import FileUnreadable, InTheWay, ServerRunning
from tertulia.infra.db.postgres import table_reader as postgres_reader
from tertulia.infra.db.postgres.sessions import count_server_sessions
from tertulia.infra.db.postgres.table_writer import fill_database
from tertulia.infra.db.sqlite import table_reader as sqlite_reader
from tertulia.infra.db.sqlite.table_writer import create_database_file
from tertulia.infra.db.table_copy import TableWriter
from tertulia.infra.db.table_digests import TableReader
from tertulia.infra.secrets import REDACTION_MASK
from tertulia.settings import Settings

DATABASE_FILE_NAME = "tertulia.db"
SQLITE_PREFIX = "sqlite:///"
POSTGRES_SCHEMES = ("postgresql", "postgres")


@dataclass(frozen=True, slots=True)
class SqliteAddress:
    """The file of a SQLite database."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def open_reader(self, settings: Settings) -> Generator[TableReader]:
        """Read one moment of the database."""
        if not self.path.is_file():
            raise FileUnreadable(f"There is no database at {self.path}.")
        with sqlite_reader.read_snapshot(self.path, busy_seconds=settings.busy_seconds) as reader:
            yield reader

    @contextmanager
    def open_writer(self) -> Generator[TableWriter]:
        """Fill a new database, which is there at the end, or not at all."""
        if self.path.exists():
            raise InTheWay(self.path)
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with create_database_file(self.path) as writer:
            yield writer

    @contextmanager
    def keep_servers_away(self) -> Generator[None]:
        """Hold the lock of the folder; raise where a server has it."""
        lock_path = self.path.parent / "server.lock"
        if not lock_path.exists():
            yield
            return
        with lock_path.open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise ServerRunning(self.path) from None
            yield


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """The address of a database on a PostgreSQL server."""

    url: str

    def __str__(self) -> str:
        parts = urlsplit(self.url)
        if parts.password is None:
            return self.url
        login, _, host = parts.netloc.rpartition("@")
        return urlunsplit(parts._replace(netloc=f"{login.partition(':')[0]}:{REDACTION_MASK}@{host}"))

    @contextmanager
    def open_reader(self, settings: Settings) -> Generator[TableReader]:
        """Read one moment of the database."""
        with postgres_reader.read_snapshot(self.url) as reader:
            yield reader

    @contextmanager
    def open_writer(self) -> Generator[TableWriter]:
        """Fill a database without rows: all of it, or nothing at all."""
        with fill_database(self.url) as writer:
            yield writer

    @contextmanager
    def keep_servers_away(self) -> Generator[None]:
        """Raise where a server is connected to the database."""
        if count_server_sessions(self.url):
            raise ServerRunning(str(self))
        yield


DatabaseAddress = SqliteAddress | PostgresAddress


def parse_database_address(text: str) -> DatabaseAddress:
    """Return the database that a person named: an address of PostgreSQL, a file, or a data directory."""
    if urlsplit(text).scheme in POSTGRES_SCHEMES:
        return PostgresAddress(text)
    if "://" in text and not text.startswith(SQLITE_PREFIX):
        raise FileUnreadable(
            f"{text.partition('://')[0]}:// is no database that can be used. Name postgresql://…, or a file."
        )
    path = Path(text.removeprefix(SQLITE_PREFIX)).expanduser()
    return SqliteAddress(path / DATABASE_FILE_NAME if path.is_dir() else path)


def read_database_address(settings: Settings) -> DatabaseAddress:
    """Return the database that a server with these settings uses."""
    return SqliteAddress(settings.database)
