"""Connecting to PostgreSQL the way we rely on."""

import psycopg
from psycopg import errors, pq
from psycopg.adapt import AdaptersMap, Buffer, Loader
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper

from tertulia.infra.db.postgres.errors import is_of_connection
from tertulia.infra.db.statements import Row

#: Statements that stay prepared on each connection, the last ones used.
PREPARED_STATEMENTS_MAX = 512
#: An address that does not answer is given up after so long, unless the URL says otherwise.
CONNECT_TIMEOUT_SECONDS = 5

SHUTDOWNS = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)


class SumLoader(Loader):
    """Reads the sum or mean of whole numbers as SQLite gives it: a whole number, or one with a fraction."""

    def load(self, data: Buffer) -> int | float:
        """Return a number of PostgreSQL's type of any size."""
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)


def open_connection(url: str, *, may_prepare: bool = True) -> "psycopg.Connection[Row]":
    """Connect; transactions begin and end where we say so, and values have the types of their columns."""
    connection = psycopg.connect(
        url,
        autocommit=True,
        cursor_factory=psycopg.RawCursor,
        application_name="tertulia",
        connect_timeout=read_connect_timeout(url),
    )
    register_types(connection.adapters)
    connection.prepared_max = PREPARED_STATEMENTS_MAX
    if not may_prepare:
        connection.prepare_threshold = None
    return connection


def read_connect_timeout(url: str) -> int:
    """Return how long a server may take to answer, in seconds."""
    return int(conninfo_to_dict(url).get("connect_timeout") or CONNECT_TIMEOUT_SECONDS)


def register_types(adapters: AdaptersMap) -> None:
    """Send text and whole numbers as the types of our columns: otherwise each value would name its own."""
    adapters.register_dumper(str, StrDumper)
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_loader("numeric", SumLoader)


def execute_script(connection: "psycopg.Connection[Row]", script: bytes) -> pq.abc.PGresult:
    """Execute statements without values in one exchange, and return what came of the last.

    A fraction of what a cursor costs: for the beginning and the end of each transaction.
    """
    result = connection.pgconn.exec_(script)
    if result.status in (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK):
        return result
    if connection.closed:
        raise psycopg.OperationalError(result.error_message.decode(errors="replace"))
    raise errors.error_from_result(result)


def is_lost(connection: "psycopg.Connection[Row]", error: psycopg.Error) -> bool:
    """Tell whether an error means that a connection is of no use any more, and another may be."""
    return connection.closed or isinstance(error, SHUTDOWNS) or is_of_connection(error)
