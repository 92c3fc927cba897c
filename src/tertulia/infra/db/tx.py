"""One transaction: statements in, values out."""

from collections.abc import Callable, Hashable, Iterable, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeVar, cast

from tertulia.core.principal import Principal
from tertulia.infra.db.column_values import row_reader, to_columns
from tertulia.infra.db.statements import ColumnValue, Row, Statements
from tertulia.infra.db.workspace_isolation import check_scoped

T = TypeVar("T")


class LateWrite(Protocol):
    """What a transaction collects, and writes as late as it can."""

    def write(self) -> None:
        """Write it."""
        ...


LateWriteT = TypeVar("LateWriteT", bound=LateWrite)


class Tx:
    """What a transaction's function works with, on the database's own thread.

    `:workspace` and `:me` are bound to the principal by themselves; see `workspace_isolation`.
    """

    def __init__(
        self,
        statements: Statements,
        *,
        by: Principal | None,
        tenant_tables: frozenset[str],
        checked_statements: set[str],
    ) -> None:
        self._statements = statements
        self._by = by
        self._tenant_tables = tenant_tables
        self._checked_statements = checked_statements
        self._bound_values = {} if by is None else {"workspace": by.workspace_id, "me": by.user_id}
        self.after_commit_calls: list[Callable[[], None]] = []
        self._late_writes: dict[Hashable, LateWrite] = {}

    @property
    def by(self) -> Principal:
        """The principal this transaction acts for."""
        if self._by is None:
            msg = "housekeeping acts for nobody"
            raise AssertionError(msg)
        return self._by

    def acting_for(self, principal: Principal) -> "Tx":
        """Return the same transaction, limited to what one principal may touch."""
        acting = Tx(
            self._statements.acting_for(principal.workspace_id),
            by=principal,
            tenant_tables=self._tenant_tables,
            checked_statements=self._checked_statements,
        )
        acting.after_commit_calls = self.after_commit_calls
        acting._late_writes = self._late_writes
        return acting

    def run(self, sql: str, **values: object) -> None:
        """Execute a statement; where it fails, this or any later call raises, and nothing is committed."""
        self._statements.run(sql, self._bind(sql, values))

    def change(self, sql: str, **values: object) -> int:
        """Execute a statement and return how many rows it changed."""
        return self._statements.change(sql, self._bind(sql, values))

    def run_many(self, sql: str, rows: Iterable[Mapping[str, object]]) -> None:
        """Execute a statement once for each row of values."""
        self._check_scoped(sql)
        pack = self._statements.pack
        self._statements.run_many(sql, ({**to_columns(row, pack=pack), **self._bound_values} for row in rows))

    def all(self, row_class: type[T], sql: str, **values: object) -> list[T]:
        """Return every row as a `row_class`, a dataclass whose fields are named like the columns."""
        columns, rows = self._statements.query(sql, self._bind(sql, values))
        return list(map(row_reader(row_class, columns).read, rows)) if rows else []

    def one(self, row_class: type[T], sql: str, **values: object) -> T | None:
        """Return the first row as a `row_class`, or None."""
        rows = self.all(row_class, sql, **values)
        return rows[0] if rows else None

    def only(self, row_class: type[T], sql: str, **values: object) -> T:
        """Return the row of a statement that always gives one: an aggregate, or an insert."""
        row = self.one(row_class, sql, **values)
        if row is None:
            msg = "a statement that always gives a row gave none"
            raise AssertionError(msg)
        return row

    def rows(self, sql: str, **values: object) -> list[Row]:
        """Return every row as it is stored: for hundreds of rows of a few plain columns."""
        return self._statements.rows(sql, self._bind(sql, values))

    def column(self, sql: str, **values: object) -> list[Any]:
        """Return the first column of every row."""
        return [row[0] for row in self.rows(sql, **values)]

    def value(self, sql: str, **values: object) -> Any:
        """Return the first column of the first row, or None."""
        column = self.column(sql, **values)
        return column[0] if column else None

    def uptime(self) -> datetime:
        """Return the moment by which leases end and work for later is due, the same in all processes."""
        return self._statements.uptime()

    def attempt(self, call: Callable[[], T]) -> T:
        """Run a function that may break a constraint; where it fails, its statements alone are undone.

        The transaction can go on after a `ConstraintBroken` that was raised here, and after no other.
        """

        def run() -> T:
            result = call()
            self.write_late()
            return result

        self.write_late()
        try:
            return self._statements.attempt(run)
        except BaseException:
            self._late_writes.clear()
            raise

    def collect(self, key: Hashable, make: Callable[[], LateWriteT]) -> LateWriteT:
        """Return what is collected under a key; it is written when it is asked for, or before the commit."""
        return cast("LateWriteT", self._late_writes.setdefault(key, make()))

    def write_late(self) -> None:
        """Write what was collected: called before that is read, and before the transaction ends."""
        while self._late_writes:
            _, collected = self._late_writes.popitem()
            collected.write()

    def after_commit(self, call: Callable[[], None]) -> None:
        """Call this on the event loop once what was written is safe on disk; never if it was undone."""
        self.after_commit_calls.append(call)

    def _bind(self, sql: str, values: Mapping[str, object]) -> dict[str, ColumnValue]:
        self._check_scoped(sql)
        return {**to_columns(values, pack=self._statements.pack), **self._bound_values}

    def _check_scoped(self, sql: str) -> None:
        if self._by is not None and sql not in self._checked_statements:
            check_scoped(sql, self._tenant_tables)
            self._checked_statements.add(sql)
