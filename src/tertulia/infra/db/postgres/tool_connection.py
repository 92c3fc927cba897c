"""Connections of commands that work on a database as a whole, and who else is connected to it."""

from collections.abc import Generator
from contextlib import closing, contextmanager

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


def count_server_sessions(url: str) -> int:
    """Return how many connections servers and workers have to a database."""
    with connect_tool(url) as connection:
        [(count,)] = connection.execute(SERVER_SESSIONS_SQL).fetchall()
    return int(count)
