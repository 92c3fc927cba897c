"""A connection that one thread uses for as long as the database is open, made anew where it was lost.

A transaction that met another's, or whose connection was lost, is run again from its beginning: nothing of
it happened. Only where a connection is lost during a commit is that not known; then the server is asked.
"""

from collections.abc import Callable
from contextlib import suppress
from secrets import SystemRandom
from time import monotonic, sleep
from typing import Any

import psycopg
from psycopg import errors

from tertulia.infra.db.errors import CommitUnknown
from tertulia.infra.db.postgres.connection import ServerConnection, is_lost, open_connection
from tertulia.infra.db.postgres.errors import CONFLICTS, translate_errors
from tertulia.infra.db.postgres.transaction import Transaction

CONFLICT_RETRIES_MAX = 8
CONFLICT_PAUSE_SECONDS = 0.01
RECONNECT_PAUSE_SECONDS = 0.02
RETRY_PAUSE_MAX_SECONDS = 1.0
#: A plan is made for tables as large as they are then: in a new database it reads all of a table that is
#: soon long. So a connection forgets its plans when it is so old, twice as old, and so on.
FIRST_PLANS_SECONDS = 1.0
SERVER_START_SQL = b"SELECT pg_postmaster_start_time()"
TRANSACTION_STATUS_SQL = b"SELECT pg_xact_status(CAST($1 AS xid8))"
jitter = SystemRandom()


class ConnectionLost(Exception):
    """A connection was lost before anything of its transaction was committed."""

    def __init__(self, error: psycopg.Error) -> None:
        super().__init__(str(error))
        self.error = error


class ServerSession:
    """Runs transactions on a connection of its own, which belongs to one thread."""

    def __init__(self, url: str, *, may_prepare: bool) -> None:
        self._url = url
        self._may_prepare = may_prepare
        self._connection: ServerConnection | None = None
        self._connected_at = self._plans_end_at = 0.0
        #: When the server that this is connected to was started.
        self._server_start: Any = None

    def run(
        self,
        begin: Callable[[ServerConnection], Transaction],
        call: Callable[[Transaction], None],
        *,
        until: float,
    ) -> None:
        """Run a function in a transaction; again after a conflict, or a connection lost before `until`.

        A write is then committed; a read stays open until the next one, or `end_read`.
        """
        conflicts = losses = 0
        with translate_errors():
            while True:
                try:
                    return self._run_once(begin, call, until=until)
                except CONFLICTS:
                    conflicts += 1
                    if conflicts > CONFLICT_RETRIES_MAX:
                        raise
                    # Those that met do not meet again if they wait for different times.
                    pause(CONFLICT_PAUSE_SECONDS, conflicts)
                except ConnectionLost as lost:
                    losses += 1
                    if monotonic() >= until:
                        raise lost.error from lost
                    pause(RECONNECT_PAUSE_SECONDS, losses)

    def end_read(self) -> None:
        """End a read that is still open."""
        if self._connection is not None and self._connection.is_in_transaction:
            self._connection.forget_posted()
            with suppress(psycopg.Error):  # what it found stands, however it ends
                self._connection.run_script(b"COMMIT")

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _run_once(
        self,
        begin: Callable[[ServerConnection], Transaction],
        call: Callable[[Transaction], None],
        *,
        until: float,
    ) -> None:
        connection = self._connect()
        try:
            self._forget_old_plans(connection)
            transaction = begin(connection)
            call(transaction)
        except BaseException as error:
            if isinstance(error, psycopg.Error) and is_lost(connection, error):
                self.close()
                raise ConnectionLost(error) from error
            with suppress(psycopg.Error):  # a connection that is lost now is made anew by the next
                connection.roll_back()
            raise
        if transaction.id is not None:
            self._commit(transaction, transaction.id, until=until)

    def _connect(self) -> ServerConnection:
        if self._connection is None or self._connection.closed:
            try:
                connection = open_connection(self._url, may_prepare=self._may_prepare)
                [(self._server_start,)] = connection.execute(SERVER_START_SQL).fetchall()
            except psycopg.OperationalError as error:
                raise ConnectionLost(error) from error
            self._connection = connection
            self._connected_at = monotonic()
            self._plans_end_at = self._connected_at + FIRST_PLANS_SECONDS
        return self._connection

    def _forget_old_plans(self, connection: ServerConnection) -> None:
        now = monotonic()
        if now >= self._plans_end_at:
            connection.run_script(b"DISCARD PLANS")
            self._plans_end_at = now + (now - self._connected_at)

    def _commit(self, transaction: Transaction, id_: str, *, until: float) -> None:
        try:
            transaction.commit()
        except psycopg.Error as error:
            if not is_lost(transaction.connection, error):
                with suppress(psycopg.Error):
                    transaction.connection.roll_back()
                raise
            self.close()
            if not self._was_committed(id_, error, until=until):
                raise ConnectionLost(error) from error

    def _was_committed(self, id_: str, error: psycopg.Error, *, until: float) -> bool:
        """Ask the server what became of a transaction whose connection was lost during its commit."""
        server_start = self._server_start
        attempts = 0
        while True:
            try:
                [(status,)] = self._connect().execute(TRANSACTION_STATUS_SQL, [id_]).fetchall()
            except (ConnectionLost, psycopg.OperationalError) as failed:
                status = None
                if monotonic() >= until:
                    raise CommitUnknown from failed
            except psycopg.DataError:
                return False  # a number that is still to be given to a transaction: ours was lost in a crash
            if status == "aborted":
                return False
            if status == "committed":
                # A server that crashed may have given the number to another transaction since.
                if server_start != self._server_start or isinstance(error, errors.CrashShutdown):
                    raise CommitUnknown from error
                return True
            if monotonic() >= until:
                raise CommitUnknown from error
            attempts += 1
            pause(RECONNECT_PAUSE_SECONDS, attempts)


def pause(first_seconds: float, times: int) -> None:
    """Wait before another attempt: longer each time, and never as long as others do."""
    sleep(min(first_seconds * 2 ** min(times - 1, 10), RETRY_PAUSE_MAX_SECONDS) * jitter.uniform(0.5, 1.5))
