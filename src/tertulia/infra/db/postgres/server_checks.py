"""Whether a PostgreSQL server and the database on it can be used, said in one sentence where not."""

import re
from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from tertulia.core.errors import TertuliaError, Unavailable
from tertulia.infra.db.errors import StorageFailed
from tertulia.infra.db.postgres.connection import read_connect_timeout
from tertulia.infra.db.postgres.errors import first_line, translate_error
from tertulia.infra.db.statements import Row

#: The first version whose collation keeps the order of code points and knows the letters of all scripts.
SERVER_VERSION_MIN = 17
CREATE_DATABASE_SQL = (
    "CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'"
)
#: By what it does and not by its name: code points in their order, and small letters beyond ASCII.
HAS_COLLATION_SQL = "SELECT 'B' < 'a' AND '-b' < 'a' AND lower('ÉΣ') IN ('éσ', 'éς')"
#: What the server says of a connection that it refuses.
NO_ROLE_PATTERN = re.compile(r'role ".*" does not exist')
NO_DATABASE_PATTERN = re.compile(r'database "(.*)" does not exist')
HAS_VECTORS_SQL = "SELECT count(*) > 0 FROM pg_extension WHERE extname = 'vector'"


class DatabaseUnusable(Unavailable):
    """The server that `DATABASE_URL` names cannot be used as it is."""

    code = "database_unusable"


@contextmanager
def connect_first(url: str, *, application_name: str = "tertulia") -> Generator["psycopg.Connection[Row]"]:
    """Connect for the first time; say what is to be done where that, or what follows, is refused."""
    with open_first(url, application_name=application_name) as connection, explain_failures(connection):
        yield connection


def open_first(url: str, *, application_name: str) -> "psycopg.Connection[Row]":
    """Connect, or say what is wrong with the address."""
    try:
        return psycopg.connect(
            url,
            autocommit=True,
            application_name=application_name,
            connect_timeout=read_connect_timeout(url),
        )
    except ValueError as error:
        raise DatabaseUnusable(
            "The connect_timeout in the address (DATABASE_URL) must be a whole number of seconds."
        ) from error
    except psycopg.ProgrammingError as error:
        raise DatabaseUnusable(f"The address (DATABASE_URL) cannot be read: {first_line(error)}.") from error
    except psycopg.OperationalError as error:
        raise DatabaseUnusable(explain_refusal(error, url)) from error


def explain_refusal(error: psycopg.OperationalError, url: str) -> str:
    """Return why a connection was refused, and what to do."""
    named = conninfo_to_dict(url)
    said = str(error)
    if "password" in said or "authentication" in said or NO_ROLE_PATTERN.search(said):
        user = f"the user {named['user']}" if "user" in named else "a user that was not named"
        return f"PostgreSQL refused {user}: check the user and password in the address (DATABASE_URL)."
    if missing := NO_DATABASE_PATTERN.search(said):
        return f"PostgreSQL has no database {missing[1]}. Create it with: {CREATE_DATABASE_SQL}."
    what_to_do = "Check the address (DATABASE_URL) and the server."
    return f"PostgreSQL cannot be reached ({first_line(error)}). {what_to_do}"


@contextmanager
def explain_failures(connection: psycopg.Connection[Row]) -> Generator[None]:
    """Say what is to be done where the server refuses what our tables need."""
    try:
        yield
    except psycopg.Error as error:
        raise explain_failure(error, connection.info) from error


def explain_failure(error: psycopg.Error, info: psycopg.ConnectionInfo) -> Exception:
    """Return why the server refused something, in a sentence that says what to do."""
    said = error.diag.message_primary or first_line(error)
    if isinstance(error, errors.InsufficientPrivilege):
        return DatabaseUnusable(
            f"PostgreSQL does not let the user {info.user} do what Tertulia needs ({said}). Let it own the "
            f"database and what is in it: ALTER DATABASE {info.dbname} OWNER TO {info.user}."
        )
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return DatabaseUnusable(
            "PostgreSQL lets this database only be read. Name the primary server, and not a standby, in the "
            "address (DATABASE_URL)."
        )
    if isinstance(error, psycopg.IntegrityError):
        return DatabaseUnusable(
            f"A row does not fit the tables ({said}). Nothing was changed: see what `tertulia doctor` says "
            "of the database that it comes from."
        )
    translated = translate_error(error)
    if isinstance(translated, TertuliaError) and not isinstance(translated, StorageFailed):
        return translated
    return DatabaseUnusable(
        f"PostgreSQL cannot do what Tertulia needs ({said}). Nothing was changed: check the address "
        "(DATABASE_URL) and the server."
    )


def check_server(connection: psycopg.Connection[Row]) -> None:
    """Raise unless the server and its database can be used; have the extension for vectors in it."""
    check_version(connection)
    check_texts(connection)
    ensure_vectors(connection)


def check_version(connection: psycopg.Connection[Row]) -> None:
    """Raise unless the server is new enough."""
    if (version := connection.info.server_version) < SERVER_VERSION_MIN * 10_000:
        raise DatabaseUnusable(
            f"PostgreSQL {version // 10_000} is too old: Tertulia needs {SERVER_VERSION_MIN} or newer."
        )


def check_texts(connection: psycopg.Connection[Row]) -> None:
    """Raise unless the database has our encoding, and our order of texts."""
    if connection.info.parameter_status("server_encoding") != "UTF8":
        raise DatabaseUnusable(
            f"The encoding of the database is not UTF-8. Create another with: {CREATE_DATABASE_SQL}."
        )
    if not tell(connection, HAS_COLLATION_SQL):
        raise DatabaseUnusable(
            "The database does not keep texts as Tertulia needs it: in the order of code points, and with "
            f"small and capital letters of all scripts. Create another with: {CREATE_DATABASE_SQL}."
        )


def ensure_vectors(connection: psycopg.Connection[Row]) -> None:
    """Have the extension for vectors in the database, or say how to get it there."""
    if tell(connection, HAS_VECTORS_SQL):
        return
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.Error as error:
        raise DatabaseUnusable(
            "The database lacks pgvector. Install it on the server, and have a superuser run "
            "CREATE EXTENSION vector in this database."
        ) from error


def tell(connection: psycopg.Connection[Row], question: str) -> bool:
    """Return the one value that a query gives as a claim."""
    [(answer,)] = connection.execute(question.encode()).fetchall()
    return bool(answer)
