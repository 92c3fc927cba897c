"""What PostgreSQL and its driver raise, in the words of every engine."""

from collections.abc import Generator
from contextlib import contextmanager

import psycopg
from psycopg import errors, pq

from tertulia.infra.db.errors import (
    ConstraintBroken,
    DatabaseBusy,
    DiskFull,
    ReferenceBroken,
    StorageFailed,
    StorageReadOnly,
)

#: Transactions that stood in each other's way: one of them was undone, and may be run again.
CONFLICTS = (errors.SerializationFailure, errors.DeadlockDetected)
BUSY = (*CONFLICTS, errors.LockNotAvailable, errors.TooManyConnections, errors.QueryCanceled)

#: The class of states that tell of damaged data or a fault of the server.
INTERNAL_ERROR_CLASS = "XX"


SUCCESSES = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK)


def check_result(pgconn: pq.abc.PGconn, result: pq.abc.PGresult) -> pq.abc.PGresult:
    """Return what came of a statement, or raise what the server or the client library says of it."""
    if result.status in SUCCESSES:
        return result
    if pgconn.status == pq.ConnStatus.BAD:
        raise psycopg.OperationalError(result.error_message.decode(errors="replace"))
    raise errors.error_from_result(result)


@contextmanager
def translate_errors() -> Generator[None]:
    """Turn what the driver raises into errors that features and people know."""
    try:
        yield
    except psycopg.Error as error:
        if (translated := translate_error(error)) is None:
            raise
        raise translated from error


def translate_error(error: psycopg.Error) -> Exception | None:
    """Return an error as other engines raise it; None for what is a mistake in our code."""
    if isinstance(error, psycopg.IntegrityError):
        broken = ReferenceBroken if isinstance(error, errors.ForeignKeyViolation) else ConstraintBroken
        return broken(error.diag.constraint_name or first_line(error))
    if isinstance(error, BUSY):
        return DatabaseBusy()
    if isinstance(error, errors.DiskFull):
        return DiskFull()
    if isinstance(error, errors.ReadOnlySqlTransaction):
        return StorageReadOnly()
    if isinstance(error, psycopg.OperationalError) or is_of_connection(error) or is_internal(error):
        return StorageFailed(first_line(error))
    return None


def is_internal(error: psycopg.Error) -> bool:
    """Tell whether an error is a fault of the server, or of its data."""
    return (error.sqlstate or "").startswith(INTERNAL_ERROR_CLASS)


def is_of_connection(error: psycopg.Error) -> bool:
    """Tell whether the client library says, without a state of the server, that a connection failed.

    After a crash of the server it may do so before it calls the connection closed.
    """
    return type(error) is psycopg.DatabaseError and error.sqlstate is None


def first_line(error: BaseException) -> str:
    """Return the first line of what an error says: those that follow repeat it for each address tried."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
