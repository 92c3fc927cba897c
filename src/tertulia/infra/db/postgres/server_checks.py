"""Whether a PostgreSQL server and the database on it can be used, said in one sentence where not."""

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tertulia.core.errors import Unavailable
from tertulia.infra.db.postgres.connection import read_connect_timeout
from tertulia.infra.db.postgres.errors import first_line
from tertulia.infra.db.statements import Row

#: The first version whose collation keeps the order of code points and knows the letters of all scripts.
SERVER_VERSION_MIN = 17
CREATE_DATABASE_SQL = (
    "CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8'"
)
#: By what it does and not by its name: code points in their order, and small letters beyond ASCII.
HAS_COLLATION_SQL = "SELECT 'B' < 'a' AND '-b' < 'a' AND lower('ÉΣ') IN ('éσ', 'éς')"
HAS_VECTORS_SQL = "SELECT count(*) > 0 FROM pg_extension WHERE extname = 'vector'"


class DatabaseUnusable(Unavailable):
    """The server that `DATABASE_URL` names cannot be used as it is."""

    code = "database_unusable"


def connect_first(url: str) -> "psycopg.Connection[Row]":
    """Connect for the first time, or say what is wrong with the address."""
    try:
        timeout = read_connect_timeout(url)
        return psycopg.connect(url, autocommit=True, application_name="tertulia", connect_timeout=timeout)
    except psycopg.ProgrammingError as error:
        raise DatabaseUnusable(f"DATABASE_URL cannot be read: {first_line(error)}.") from error
    except psycopg.OperationalError as error:
        raise DatabaseUnusable(explain_refusal(error, url)) from error


def explain_refusal(error: psycopg.OperationalError, url: str) -> str:
    """Return why a connection was refused, and what to do."""
    named = conninfo_to_dict(url)
    said = str(error)
    if "password" in said or "authentication" in said:
        return (
            f"PostgreSQL refused the user {named.get('user')}: check the user and password in DATABASE_URL."
        )
    if "does not exist" in said:
        return (
            f"PostgreSQL has no database {named.get('dbname')}, or no such user. Create the database with: "
            f"{CREATE_DATABASE_SQL}."
        )
    return f"PostgreSQL cannot be reached ({first_line(error)}). Check DATABASE_URL and the server."


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
            "The database sorts texts by a language, and Tertulia needs the order of code points. Create "
            f"another with: {CREATE_DATABASE_SQL}."
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
