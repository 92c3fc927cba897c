"""Connecting to PostgreSQL the way we rely on."""

from collections.abc import Sequence
from typing import Any, cast

import psycopg
from psycopg import abc, errors, pq
from psycopg.adapt import AdaptersMap, Buffer, Loader, PyFormat, Transformer
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import tuple_row
from psycopg.types.numeric import Int8Dumper
from psycopg.types.string import StrDumper

from tertulia.infra.db.postgres.dialect import Statement
from tertulia.infra.db.postgres.errors import check_result, is_of_connection
from tertulia.infra.db.postgres.prepared_statements import PreparedStatements
from tertulia.infra.db.statements import ColumnValue, Row

#: An address that does not answer is given up after so long, unless the URL says otherwise.
CONNECT_TIMEOUT_SECONDS = 5

SHUTDOWNS = (errors.AdminShutdown, errors.CrashShutdown, errors.CannotConnectNow)
#: Otherwise the server plans each statement five times on each connection before it may keep a plan.
PLAN_ONCE = b"SET plan_cache_mode = force_generic_plan"
NO_TRANSACTION = (pq.TransactionStatus.IDLE, pq.TransactionStatus.UNKNOWN)
#: The function of the server's that refuses a prepared statement whose columns a migration has changed.
OUTDATED_PLAN_FUNCTION = "RevalidateCachedQuery"


class ServerConnection(psycopg.Connection[Row]):
    """A connection of one thread, which sends each statement and waits for its answer in one call.

    A cursor does so in several steps of Python. After each of them another thread may take its turn, and this
    one waits for its own again: on a busy server that is most of what a statement takes.
    """

    def __init__(self, pgconn: pq.abc.PGconn, row_factory: Any = tuple_row) -> None:
        super().__init__(pgconn, row_factory)
        self._prepared_statements = PreparedStatements(pgconn)
        self._transformer: abc.Transformer | None = None

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction has begun and not ended; none has where the connection was lost."""
        return self.pgconn.transaction_status not in NO_TRANSACTION

    def roll_back(self) -> None:
        """Undo the transaction that is open, if there is one."""
        if self.is_in_transaction:
            self.run_script(b"ROLLBACK")

    def run_script(self, script: bytes) -> pq.abc.PGresult:
        """Execute statements without values in one exchange, and return what came of the last."""
        return check_result(self.pgconn, self.pgconn.exec_(script))

    def run_statement(self, statement: Statement, values: Sequence[ColumnValue]) -> pq.abc.PGresult:
        """Execute a statement, by its name where it is prepared, and return what came of it."""
        transformer = self._get_transformer()
        bound = transformer.dump_sequence(values, [PyFormat.AUTO] * len(values))
        types, formats = transformer.types or (), transformer.formats or ()
        name: bytes | None = None
        if statement.may_prepare and self.prepare_threshold is not None:
            name = self._prepared_statements.find_name(statement.sql, types)
        if name is None:
            return check_result(self.pgconn, self.pgconn.exec_params(statement.sql, bound, types, formats))
        return check_result(self.pgconn, self.pgconn.exec_prepared(name, cast("Any", bound), formats))

    def load_rows(self, result: pq.abc.PGresult) -> list[Row]:
        """Return the rows of a result."""
        transformer = self._get_transformer()
        transformer.set_pgresult(result)
        return transformer.load_rows(0, result.ntuples, tuple)

    def _get_transformer(self) -> abc.Transformer:
        if self._transformer is None:
            self._transformer = Transformer(self)
        return self._transformer


class SumLoader(Loader):
    """Reads the sum or mean of whole numbers as SQLite gives it: a whole number, or one with a fraction."""

    def load(self, data: Buffer) -> int | float:
        """Return a number of PostgreSQL's type of any size."""
        text = bytes(data)
        return int(text) if text.lstrip(b"-").isdigit() else float(text)


def open_connection(url: str, *, may_prepare: bool = True) -> ServerConnection:
    """Connect; transactions begin and end where we say so, and values have the types of their columns."""
    connection = ServerConnection.connect(
        url,
        autocommit=True,
        cursor_factory=psycopg.RawCursor,
        application_name="tertulia",
        connect_timeout=read_connect_timeout(url),
    )
    register_types(connection.adapters)
    if may_prepare:
        connection.run_script(PLAN_ONCE)
    else:
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


def is_lost(connection: ServerConnection, error: psycopg.Error) -> bool:
    """Tell whether an error means that a connection is of no use any more, and another may be."""
    return (
        connection.closed
        or isinstance(error, SHUTDOWNS)
        or error.diag.source_function == OUTDATED_PLAN_FUNCTION
        or is_of_connection(error)
    )
