"""Connections of commands that work on a database as a whole, and who else is connected to it."""

from collections.abc import Generator
from contextlib import closing, contextmanager
from time import monotonic, sleep

import psycopg

from tertulia.infra.db.postgres.connection import open_connection
from tertulia.infra.db.postgres.errors import translate_errors
from tertulia.infra.db.postgres.row_security import EVERY_WORKSPACE, see_every_workspace
from tertulia.infra.db.postgres.server_checks import connect_first
from tertulia.infra.db.postgres.statements import PostgresStatements
from tertulia.infra.db.postgres.transaction import Transaction
from tertulia.infra.db.statements import Row
from tertulia.infra.db.tx import Tx

#: Not the name of servers, so that such work tells them from itself.
TOOL_APPLICATION_NAME = "tools of tertulia"
SERVER_SESSIONS_SQL = """SELECT count(*) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'tertulia%'"""

#: PostgreSQL ends a session a moment after whoever had it has gone.
SESSION_END_SECONDS = 1.0
SESSION_POLL_SECONDS = 0.02


@contextmanager
def connect_tool(url: str) -> Generator[psycopg.Connection[Row]]:
    """Connect to a database, of which all rows are seen; what goes wrong there is told in a sentence."""
    with connect_first(url, application_name=TOOL_APPLICATION_NAME) as connection:
        see_every_workspace(connection)
        yield connection


@contextmanager
def read_for_tool(url: str) -> Generator[Tx]:
    """Read one moment of a database, the rows of all workspaces, without bringing its schema up to date."""
    with translate_errors(), closing(open_connection(url)) as connection:
        transaction = Transaction.begin_read(connection, None)
        statements = PostgresStatements(transaction, EVERY_WORKSPACE)
        yield Tx(statements, by=None, tenant_tables=frozenset(), checked_statements=set())
        connection.roll_back()


def check_reachable(url: str) -> None:
    """Raise where a database cannot be used."""
    with connect_tool(url):
        pass


def has_server_sessions(url: str) -> bool:
    """Tell whether servers or workers are connected to a database, other than those that just ended."""
    end_by = monotonic() + SESSION_END_SECONDS
    with connect_tool(url) as connection:
        while has_sessions := connection.execute(SERVER_SESSIONS_SQL).fetchall() != [(0,)]:
            if monotonic() >= end_by:
                break
            sleep(SESSION_POLL_SECONDS)
    return has_sessions
