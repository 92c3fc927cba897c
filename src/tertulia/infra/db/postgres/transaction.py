"""One transaction on a connection to PostgreSQL: how it begins, whose rows it sees, and how it ends.

reads     a snapshot that nothing changes
writes    see what was committed before each statement; one after the other in each workspace, which a lock
          sees to that ends with the transaction

Whose rows are seen is known to the server too: see `row_security`.
"""

from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from time import monotonic

from psycopg import sql

from tertulia.core.clock import from_ms
from tertulia.infra.db.postgres.connection import ServerConnection
from tertulia.infra.db.postgres.row_security import EVERY_WORKSPACE, WORKSPACE_SETTING

#: What writes of housekeeping lock, in place of a workspace.
HOUSEKEEPING = "housekeeping"
#: A write that its process has forgotten, or cannot end any more, keeps others waiting no longer than this.
IDLE_WRITE_MAX_SECONDS = 60
#: For so many workspaces what their transactions begin with is kept, written out.
SCRIPTS_KEPT = 4096
#: The moment itself, and not when the transaction began: it may have waited for a lock since.
PRESENT_MS = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
BEGIN_READ = b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;"
BEGIN_WRITE = b"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;"


@dataclass(frozen=True, slots=True)
class Savepoint:
    """Where a transaction can go back to: the settings and locks that it had are those it has again then."""

    workspace: str
    locked: frozenset[str]


@dataclass(slots=True)
class Transaction:
    """A transaction that is open, and whose rows its next statement sees."""

    connection: ServerConnection
    workspace: str
    #: Whether it takes the lock of each workspace that it acts in.
    takes_locks: bool = False
    #: The number by which the server knows a write, also after its connection was lost.
    id: str | None = None
    #: The present moment by the server's clock, less that of our own, in milliseconds; as far as it is known.
    clock_offset_ms: float | None = None
    _locked: set[str] = field(default_factory=set[str])

    @classmethod
    def begin_read(cls, connection: ServerConnection, workspace: str | None) -> "Transaction":
        """Begin a read for a workspace, or for housekeeping, in place of one that has not ended."""
        seen = workspace or EVERY_WORKSPACE
        end_last = b"COMMIT;" if connection.is_in_transaction else b""
        connection.forget_posted()
        connection.run_script(end_last + begin_read_script(seen))
        return cls(connection, seen)

    @classmethod
    def begin_write(
        cls,
        connection: ServerConnection,
        workspace: str | None,
        *,
        concurrent: bool,
        lock_seconds: float,
    ) -> "Transaction":
        """Begin a write once its lock is free, unless it may happen beside others."""
        seen = workspace or EVERY_WORKSPACE
        lock_timeout = b"SET LOCAL lock_timeout = %d;" % max(1, round(lock_seconds * 1000))
        first = begin_write_script(seen, None if concurrent else workspace or HOUSEKEEPING)
        begun = connection.run_script(BEGIN_WRITE + lock_timeout + first)
        number, present_ms = (begun.get_value(0, begun.nfields - place) or b"" for place in (2, 1))
        return cls(
            connection,
            seen,
            takes_locks=not concurrent,
            id=number.decode(),
            clock_offset_ms=int(present_ms) - monotonic() * 1000,
            _locked={seen},
        )

    def read_clock(self) -> datetime:
        """Return the present moment by the server's clock, which all processes share."""
        if self.clock_offset_ms is None:
            present_ms = self.connection.run_script(select(sql.SQL(PRESENT_MS))).get_value(0, 0) or b""
            self.clock_offset_ms = int(present_ms) - monotonic() * 1000
        return from_ms(round(monotonic() * 1000 + self.clock_offset_ms))

    def see(self, workspace: str) -> None:
        """Let the next statement see the rows of a workspace, or all."""
        if workspace != self.workspace:
            self.connection.post_bare(select(set_workspace(workspace)))
            self.workspace = workspace

    def lock(self, workspace: str) -> None:
        """Wait until no other write acts in a workspace, if this is one that takes locks."""
        if self.takes_locks and workspace not in self._locked:
            self.connection.run_bare(select(take_lock(workspace)))
            self._locked.add(workspace)

    def set_savepoint(self) -> Savepoint:
        """Remember where to go back to: what was posted before and fails is not undone by that."""
        self.connection.run_bare(b"SAVEPOINT attempt")
        return Savepoint(self.workspace, frozenset(self._locked))

    def roll_back_to(self, savepoint: Savepoint) -> None:
        """Undo what was done since."""
        self.connection.forget_posted()
        if not self.connection.closed:
            self.connection.run_script(b"ROLLBACK TO attempt; RELEASE attempt")
        self.workspace, self._locked = savepoint.workspace, set(savepoint.locked)

    def release(self) -> None:
        """Keep what was done since the last savepoint; raise where something that was posted fails."""
        if self.connection.has_posted:
            self.connection.run_bare(b"RELEASE attempt")
        else:
            self.connection.post_bare(b"RELEASE attempt")

    def commit(self) -> None:
        """Make what was written last."""
        ended = self.connection.run_bare(b"COMMIT")
        if ended.command_status != b"COMMIT":
            msg = "a function went on after a statement that failed: it should run that by `tx.attempt`"
            raise AssertionError(msg)


@lru_cache(maxsize=SCRIPTS_KEPT)
def begin_read_script(seen: str) -> bytes:
    """Return what begins a read that sees the rows of a workspace, or all."""
    return BEGIN_READ + select(set_workspace(seen))


@lru_cache(maxsize=SCRIPTS_KEPT)
def begin_write_script(seen: str, lock: str | None) -> bytes:
    """Return what follows the beginning of a write: whose rows it sees, after which lock.

    Its last columns are the write's number, and the moment at which it has the lock.
    """
    first = [
        set_local("idle_in_transaction_session_timeout", f"{IDLE_WRITE_MAX_SECONDS}s"),
        set_workspace(seen),
        *([take_lock(lock)] if lock else []),
    ]
    return select(*first, sql.SQL("CAST(pg_current_xact_id() AS TEXT)"), sql.SQL(PRESENT_MS))


def lock_key(name: str) -> int:
    """Return the number of a workspace's lock."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True)


def take_lock(name: str) -> sql.Composed:
    """Return SQL that waits for a workspace's lock, and holds it until the transaction ends."""
    return sql.SQL("pg_advisory_xact_lock({})").format(lock_key(name))


def set_workspace(workspace: str) -> sql.Composed:
    """Return SQL that says whose rows are seen from here on."""
    return set_local(WORKSPACE_SETTING, workspace)


def set_local(setting: str, value: str) -> sql.Composed:
    """Return SQL for a setting that holds until the transaction ends."""
    return sql.SQL("set_config({}, {}, true)").format(setting, value)


def select(*expressions: sql.Composable) -> bytes:
    """Return a statement that works these out, in their order."""
    return sql.SQL("SELECT {}").format(sql.SQL(", ").join(expressions)).as_bytes(None)
