"""Where a database is: the file of SQLite, or the address of a PostgreSQL server."""

import re
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tertulia.cli.database_copy import copy_database, translate_file_errors
from tertulia.cli.errors import FileUnreadable, ServerRunning
from tertulia.cli.output import progress_bar
from tertulia.cli.row_progress import row_progress
from tertulia.cli.server_lock import keep_server_away
from tertulia.cli.upgrade_rehearsal import rehearse_upgrade
from tertulia.infra.db.postgres import table_reader as postgres_reader
from tertulia.infra.db.postgres import upgrade as postgres_upgrade
from tertulia.infra.db.postgres.table_writer import fill_database
from tertulia.infra.db.postgres.tool_connection import check_reachable, has_server_sessions
from tertulia.infra.db.sqlite import table_reader as sqlite_reader
from tertulia.infra.db.sqlite.connection import open_connection
from tertulia.infra.db.sqlite.migration import migrate
from tertulia.infra.db.sqlite.table_writer import create_database_file
from tertulia.infra.db.table_copy import TableWriter, TargetNotEmpty, check_empty, copy_tables
from tertulia.infra.db.table_digests import TableRowReader
from tertulia.infra.db.upgrades import Rehearsal, Upgrade
from tertulia.infra.secrets import REDACTION_MASK
from tertulia.settings import Settings, parse_database_url

DATABASE_FILE_NAME = "tertulia.db"
SQLITE_PREFIX = "sqlite:///"
POSTGRES_SCHEMES = ("postgresql", "postgres")
#: Where an address holds a password: after the user, or among its parameters.
LOGIN_PASSWORD_PATTERN = re.compile(r"(^\w+://[^:@/]*:)[^@/]*(?=@)")
PASSWORD_PARAMETER_PATTERN = re.compile(r"([?&](?:ssl)?password=)[^&]*")


@dataclass(frozen=True, slots=True)
class SqliteAddress:
    """The file of a SQLite database."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)

    @contextmanager
    def open_reader(self, settings: Settings) -> Generator[TableRowReader]:
        """Read one moment of the database."""
        self.check_there()
        with (
            translate_file_errors(self.path),
            sqlite_reader.read_snapshot(self.path, busy_seconds=settings.busy_seconds) as reader,
        ):
            yield reader

    @contextmanager
    def open_writer(self) -> Generator[TableWriter]:
        """Fill a new database, which is there at the end, or not at all."""
        self.check_empty()
        with create_database_file(self.path) as writer:
            yield writer

    def copy_to_file(self, target: Path, settings: Settings) -> None:
        """Put a verified copy of one moment of the database in place of a file."""
        self.check_there()
        with progress_bar(in_bytes=True) as show:
            copy_database(self.path, target, report_progress=show, busy_seconds=settings.busy_seconds)

    def fill_from_file(self, source: Path, settings: Settings) -> None:
        """Put a copy of a file that nobody uses where there is no database yet."""
        self.check_empty()
        with progress_bar(in_bytes=True) as show:
            copy_database(source, self.path, report_progress=show, busy_seconds=settings.busy_seconds)

    def upgrade(self, settings: Settings) -> Upgrade:
        """Bring the database to the newest schema, while no server uses it."""
        with self.keep_servers_away(), translate_file_errors(self.path):
            connection = open_connection(self.path, busy_seconds=settings.busy_seconds)
            try:
                before, began_at = int(connection.pragma("user_version")), time.perf_counter()
                return Upgrade(before, migrate(connection), time.perf_counter() - began_at)
            finally:
                connection.close()

    def rehearse_upgrade(self, settings: Settings) -> Rehearsal:
        """Bring a copy of the database to the newest schema, and compare the two."""
        with translate_file_errors(self.path), progress_bar(in_bytes=True) as show:
            return rehearse_upgrade(settings, report_progress=show)

    def check_there(self) -> None:
        """Raise where there is no database."""
        if not self.path.is_file():
            raise FileUnreadable(
                f"There is no database in {self.path.parent}. Set TERTULIA_DATA_DIR to its folder."
            )

    def check_empty(self) -> None:
        """Raise where there is a database, or a write-ahead log that a new one would take for its own."""
        for path in (self.path, self.path.with_name(f"{self.path.name}-wal")):
            if path.exists():
                raise TargetNotEmpty(str(path))

    def make_folder(self) -> None:
        """Make the folder of a new database, so that servers can be kept away; raise where there is one."""
        self.check_empty()
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def keep_servers_away(self) -> Generator[None]:
        """Hold the lock of the folder; raise where a server has it."""
        with keep_server_away(self.path.parent):
            yield

    def check_unused(self) -> None:
        """Look at nothing: while servers are kept away, none can have come."""


@dataclass(frozen=True, slots=True)
class PostgresAddress:
    """The address of a database on a PostgreSQL server."""

    url: str

    def __str__(self) -> str:
        shown = LOGIN_PASSWORD_PATTERN.sub(rf"\1{REDACTION_MASK}", self.url)
        return PASSWORD_PARAMETER_PATTERN.sub(rf"\1{REDACTION_MASK}", shown)

    @contextmanager
    def open_reader(self, settings: Settings) -> Generator[TableRowReader]:
        """Read one moment of the database."""
        with postgres_reader.read_snapshot(self.url) as reader:
            yield reader

    @contextmanager
    def open_writer(self) -> Generator[TableWriter]:
        """Fill a database without rows: all of it, or nothing at all."""
        with fill_database(self.url) as writer:
            yield writer

    def copy_to_file(self, target: Path, settings: Settings) -> None:
        """Put a verified copy of one moment in place of a file of SQLite, which has the same schema."""
        with (
            row_progress() as show,
            self.open_reader(settings) as reader,
            # None for a database that never had one.
            create_database_file(target, schema=reader.read_schema_number() or None) as writer,
        ):
            copy_tables(reader, writer, report_progress=show)

    def fill_from_file(self, source: Path, settings: Settings) -> None:
        """Copy what is in a file of SQLite that nobody uses."""
        with (
            row_progress() as show,
            sqlite_reader.read_snapshot(source, busy_seconds=settings.busy_seconds) as reader,
            self.open_writer() as writer,
        ):
            copy_tables(reader, writer, report_progress=show)

    def upgrade(self, settings: Settings) -> Upgrade:
        """Bring the database to the newest schema; servers of the version before may go on meanwhile."""
        return postgres_upgrade.upgrade_database(self.url)

    def rehearse_upgrade(self, settings: Settings) -> Rehearsal:
        """Bring a copy of the database to the newest schema, and compare the two."""
        return postgres_upgrade.rehearse_upgrade(self.url)

    def check_there(self) -> None:
        """Raise where the server cannot be reached."""
        check_reachable(self.url)

    def check_empty(self) -> None:
        """Raise where there are rows already."""
        with postgres_reader.read_snapshot(self.url) as reader:
            check_empty(reader, reader.read_columns())

    def make_folder(self) -> None:
        """Make nothing: the server keeps the data."""

    @contextmanager
    def keep_servers_away(self) -> Generator[None]:
        """Raise where a server is connected to the database; one may come later, so look again at the end."""
        self.check_unused()
        yield

    def check_unused(self) -> None:
        """Raise where a server is connected to the database."""
        if has_server_sessions(self.url):
            raise ServerRunning(str(self))


DatabaseAddress = SqliteAddress | PostgresAddress


def parse_database_address(text: str) -> DatabaseAddress:
    """Return the database that a person named: an address of PostgreSQL, a file, or a data directory."""
    if text.partition("://")[0].lower() in POSTGRES_SCHEMES:
        return PostgresAddress(parse_database_url("The database", text))
    if "://" in text and not text.startswith(SQLITE_PREFIX):
        raise FileUnreadable(
            f"{text.partition('://')[0]}:// is no database that can be used. Name postgresql://…, or a file."
        )
    path = Path(text.removeprefix(SQLITE_PREFIX)).expanduser()
    return SqliteAddress(path / DATABASE_FILE_NAME if path.is_dir() else path)


def read_database_address(settings: Settings) -> DatabaseAddress:
    """Return the database that a server with these settings uses."""
    return (
        PostgresAddress(settings.database_url) if settings.database_url else SqliteAddress(settings.database)
    )
