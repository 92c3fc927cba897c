"""What a transaction asks of the engine that it runs on."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple, Protocol, TypeVar

T = TypeVar("T")
#: What a column can hold.
ColumnValue = str | int | float | bytes | None
Row = tuple[Any, ...]


class QueryResult(NamedTuple):
    """What a query found: the names of its columns, and its rows."""

    columns: tuple[str, ...]
    rows: list[Row]


class Statements(Protocol):
    """Runs statements within one open transaction; values are bound by name."""

    def run(self, sql: str, values: Mapping[str, ColumnValue]) -> None:
        """Execute a statement; where it fails, this or any later call of the transaction raises."""
        ...

    def change(self, sql: str, values: Mapping[str, ColumnValue]) -> int:
        """Execute a statement and return how many rows it changed."""
        ...

    def run_many(self, sql: str, rows: Iterable[Mapping[str, ColumnValue]]) -> None:
        """Execute a statement once for each row of values."""
        ...

    def query(self, sql: str, values: Mapping[str, ColumnValue]) -> QueryResult:
        """Execute a statement and return its rows with the names of their columns."""
        ...

    def rows(self, sql: str, values: Mapping[str, ColumnValue]) -> list[Row]:
        """Execute a statement and return its rows."""
        ...

    def pack(self, text: str) -> str | bytes:
        """Return a long text that no statement looks into, as the engine keeps it best."""
        ...

    def uptime(self) -> datetime:
        """Return the present moment by a clock that all processes share and nobody sets."""
        ...

    def attempt(self, call: Callable[[], T]) -> T:
        """Run a function, all of whose statements are undone where it fails, and only they."""
        ...

    def acting_for(self, workspace: str) -> "Statements":
        """Return the same transaction, limited to the rows of one workspace, in which no other writes."""
        ...
