"""Connections of commands that work on a database as a whole, and who else is connected to it."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg

from tertulia.infra.db.errors import StorageFailed
from tertulia.infra.db.postgres.connection import read_connect_timeout
from tertulia.infra.db.postgres.errors import first_line
from tertulia.infra.db.postgres.row_security import see_every_workspace
from tertulia.infra.db.statements import Row

#: Not the name of servers, so that such work tells them from itself.
TOOL_APPLICATION_NAME = "tools of tertulia"
SERVER_SESSIONS_SQL = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'tertulia%'"""


@contextmanager
def connect_tool(url: str) -> Generator[psycopg.Connection[Row]]:
    """Connect to a database, of which all rows are seen; what goes wrong there is told in a sentence."""
    try:
        with psycopg.connect(
            url,
            autocommit=True,
            application_name=TOOL_APPLICATION_NAME,
            connect_timeout=read_connect_timeout(url),
        ) as connection:
            see_every_workspace(connection)
            yield connection
    except psycopg.Error as error:
        raise StorageFailed(error.diag.message_primary or first_line(error)) from error


def count_server_sessions(url: str) -> int:
    """Return how many connections servers and workers have to a database."""
    with connect_tool(url) as connection:
        [(count,)] = connection.execute(SERVER_SESSIONS_SQL).fetchall()
    return int(count)
