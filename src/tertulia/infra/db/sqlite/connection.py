"""Opening SQLite the way we rely on, and telling its failures apart."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

from tertulia.infra.db.errors import (
    ConstraintBroken,
    DatabaseBusy,
    DiskFull,
    ReferenceBroken,
    StorageFailed,
    StorageReadOnly,
)
from tertulia.infra.db.packed_values import unpack_text

#: Statements that stay prepared: each is kept until so many others have run since its last time.
STATEMENT_CACHE_SIZE = 512
#: Without SQLite's own locks, which it would take at every call: each connection is used by one thread.
OPEN_FLAGS = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_NOMUTEX
#: Triggers refuse what would belong to something deleted, where no reference can.
BROKEN_REFERENCE_CODES = (apsw.SQLITE_CONSTRAINT_FOREIGNKEY, apsw.SQLITE_CONSTRAINT_TRIGGER)
#: `secure_delete` overwrites with zeros what a statement deletes; see `compaction` for what it leaves.
CONNECTION_PRAGMAS = (
    "journal_mode = WAL",
    "synchronous = FULL",
    "foreign_keys = ON",
    "temp_store = MEMORY",
    "secure_delete = ON",
)


def open_connection(path: Path, *, busy_seconds: float) -> apsw.Connection:
    """Open the database in WAL mode, durable, with foreign keys on and deleted rows overwritten."""
    connection = apsw.Connection(str(path), flags=OPEN_FLAGS, statementcachesize=STATEMENT_CACHE_SIZE)
    # The busy timeout comes first: switching to WAL may itself meet a lock.
    connection.set_busy_timeout(int(busy_seconds * 1000))
    # Without this most statements are prepared anew whenever a value changes: a seventh of a turn's cost.
    # So no plan may depend on a value: what a partial index asks for is written out in the statement.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    for pragma in CONNECTION_PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    define_functions(connection)
    return connection


def define_functions(connection: apsw.Connection) -> None:
    """Let a connection have the functions that statements and triggers rely on."""
    # SQLite's own `lower` knows only ASCII, so that a title in capitals of other letters was never found.
    connection.create_scalar_function("lower", lower_case, 1, deterministic=True)
    # Triggers look into packed columns by this.
    connection.create_scalar_function("unpacked", unpack_column, 1, deterministic=True)


def lower_case(*arguments: Any) -> str | None:
    """Return text in small letters, of any script; PostgreSQL writes a dotted I without its dot."""
    (text,) = arguments
    return None if text is None else str(text).replace("\u0130", "i").lower()


def unpack_column(*arguments: Any) -> str | None:
    """Return the text of a column, packed or not."""
    (column,) = arguments
    return None if column is None else unpack_text(column)


@contextmanager
def translate_constraint_errors() -> Generator[None]:
    """Tell of a broken constraint as every engine does."""
    try:
        yield
    except apsw.ConstraintError as error:
        raise to_broken_constraint(error) from error


def to_broken_constraint(error: Any) -> ConstraintBroken:
    """Return a broken constraint in the words of every engine; the driver's types leave out its codes."""
    is_of_reference = error.extendedresult in BROKEN_REFERENCE_CODES
    return (ReferenceBroken if is_of_reference else ConstraintBroken)(str(error))


@contextmanager
def translate_storage_errors() -> Generator[None]:
    """Turn what SQLite raises into errors a person can act on."""
    try:
        yield
    except (apsw.BusyError, apsw.LockedError) as error:
        raise DatabaseBusy from error
    except apsw.FullError as error:
        raise DiskFull from error
    except apsw.ReadOnlyError as error:
        raise StorageReadOnly from error
    except (apsw.IOError, apsw.CantOpenError, apsw.CorruptError) as error:
        raise StorageFailed(str(error)) from error
