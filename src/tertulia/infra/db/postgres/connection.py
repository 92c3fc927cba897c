"""Connecting to PostgreSQL the way we rely on."""

import select
from collections.abc import Sequence
from typing import Any, NamedTuple, cast

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
#: So many statements are kept at most before they are sent.
POSTED_STATEMENTS_MAX = 50


class BoundStatement(NamedTuple):
    """A statement with its values, as the client library sends it."""

    sql: bytes
    #: By which the server knows it, where it is prepared.
    name: bytes | None = None
    values: Sequence[Buffer | None] = ()
    types: Sequence[int] = ()
    formats: Sequence[pq.Format] = ()

    def run(self, pgconn: pq.abc.PGconn) -> pq.abc.PGresult:
        """Send it and wait for what comes of it."""
        if self.name is None:
            return pgconn.exec_params(self.sql, self.values, self.types, self.formats)
        return pgconn.exec_prepared(self.name, cast("Any", self.values), self.formats)

    def send(self, pgconn: pq.abc.PGconn) -> None:
        """Send it in a pipeline."""
        if self.name is None:
            pgconn.send_query_params(self.sql, self.values, self.types, self.formats)
        else:
            pgconn.send_query_prepared(self.name, cast("Any", self.values), self.formats)


class ServerConnection(psycopg.Connection[Row]):
    """A connection of one thread, which sends each statement and waits for its answer in one call.

    A cursor does so in several steps of Python. After each of them another thread may take its turn, and this
    one waits for its own again: on a busy server that is most of what a statement takes. For the same reason
    statements of which nobody needs to know what came are posted: they are sent with the next that is run.
    """

    def __init__(self, pgconn: pq.abc.PGconn, row_factory: Any = tuple_row) -> None:
        super().__init__(pgconn, row_factory)
        self._prepared_statements = PreparedStatements(pgconn)
        self._transformer: abc.Transformer | None = None
        self._posted: list[BoundStatement] = []

    @property
    def is_in_transaction(self) -> bool:
        """Whether a transaction has begun and not ended; none has where the connection was lost."""
        return self.pgconn.transaction_status not in NO_TRANSACTION

    @property
    def has_posted(self) -> bool:
        """Whether statements were posted and not sent."""
        return bool(self._posted)

    def roll_back(self) -> None:
        """Undo the transaction that is open, if there is one."""
        self.forget_posted()
        if self.is_in_transaction:
            self.run_script(b"ROLLBACK")

    def forget_posted(self) -> None:
        """Do not send what was posted: its transaction ends without it."""
        self._posted.clear()

    def run_script(self, script: bytes) -> pq.abc.PGresult:
        """Execute statements without values in one exchange, and return what came of the last."""
        self.send_posted()
        return check_result(self.pgconn, self.pgconn.exec_(script))

    def run_statement(self, statement: Statement, values: Sequence[ColumnValue]) -> pq.abc.PGresult:
        """Execute a statement, by its name where it is prepared, and return what came of it."""
        return self._run(self._bind(statement, values))

    def run_bare(self, sql: bytes) -> pq.abc.PGresult:
        """Execute one statement without values, and return what came of it."""
        return self._run(BoundStatement(sql))

    def post_statement(self, statement: Statement, values: Sequence[Any]) -> None:
        """Have a statement executed before the next one that is run; that one raises where this one fails."""
        self._posted.append(self._bind(statement, values))
        if len(self._posted) >= POSTED_STATEMENTS_MAX:
            self.send_posted()

    def post_bare(self, sql: bytes) -> None:
        """Have one statement without values executed before the next one that is run."""
        self._posted.append(BoundStatement(sql))

    def send_posted(self) -> None:
        """Execute what was posted; raise where any of it fails."""
        if self._posted:
            self._run(self._posted.pop())

    def _run(self, last: BoundStatement) -> pq.abc.PGresult:
        """Execute what was posted and then one more statement in one exchange, and return what came of it."""
        if not self._posted:
            return check_result(self.pgconn, last.run(self.pgconn))
        statements = [*self._posted, last]
        self._posted.clear()
        self.pgconn.enter_pipeline_mode()
        for statement in statements:
            statement.send(self.pgconn)
        self.pgconn.pipeline_sync()
        results = self._receive()
        self.pgconn.exit_pipeline_mode()
        # After one that failed the server has passed over the others.
        return [check_result(self.pgconn, result) for result in results][-1]

    def _receive(self) -> list[pq.abc.PGresult]:
        """Return what came of each statement of a pipeline."""
        results: list[pq.abc.PGresult] = []
        while True:
            while self.pgconn.is_busy():
                self._exchange()
            result = self.pgconn.get_result()
            if result is None:  # it ends what came of one statement, or of all where the connection is lost
                if self.pgconn.status == pq.ConnStatus.BAD and not results:
                    raise psycopg.OperationalError(self.pgconn.get_error_message())
                if self.pgconn.status == pq.ConnStatus.BAD:
                    return results
            elif result.status == pq.ExecStatus.PIPELINE_SYNC:
                return results
            else:
                results.append(result)

    def _exchange(self) -> None:
        """Send more of what is to be sent, and take in more of what comes."""
        is_sent = self.pgconn.flush() == 0
        readiness = select.poll()
        readiness.register(self.pgconn.socket, select.POLLIN if is_sent else select.POLLIN | select.POLLOUT)
        readiness.poll()
        self.pgconn.consume_input()

    def _bind(self, statement: Statement, values: Sequence[Any]) -> BoundStatement:
        transformer = self._get_transformer()
        bound = transformer.dump_sequence(values, [PyFormat.AUTO] * len(values))
        types, formats = transformer.types or (), transformer.formats or ()
        name: bytes | None = None
        if statement.may_prepare and self.prepare_threshold is not None:
            name = self._prepared_statements.find_name(statement.sql, types)
        return BoundStatement(statement.sql, name, bound, types, formats)

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
