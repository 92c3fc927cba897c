"""Copying all tables from one database to another, whichever engines keep them, and comparing the two."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from tertulia.core.errors import Conflict
from tertulia.infra.db.errors import SchemaTooNew
from tertulia.infra.db.statements import Row
from tertulia.infra.db.table_digests import (
    DigestBuilder,
    TableColumns,
    TableDigest,
    TableRowReader,
    digest_tables,
    shared_columns,
)

#: Tables and columns that only one engine has, and why they are not copied.
ENGINE_ONLY = {
    "chunk_words": "PostgreSQL's index of words: made from the chunks",
    "deletions": "what SQLite has still to overwrite in its file",
    "schema_migrations": "which migrations PostgreSQL has had",
    "vectors.meaning": "vectors as pgvector reads them: made from their bytes",
}
PROGRESS_STEP_ROWS = 500


class TableWriter(TableRowReader, Protocol):
    """Writes whole tables, and reads what it wrote."""

    def to_storable(self, row: Row) -> Row:
        """Return a row as this engine can hold it."""
        ...

    def write_rows(self, table: str, columns: Sequence[str], rows: Iterable[Row]) -> None:
        """Insert rows into a table."""
        ...


class RowProgress(Protocol):
    """Is told how many rows of a step are done."""

    def __call__(self, step: str, done: int, total: int) -> None:
        """Show that `done` of `total` rows are done."""
        ...


class TargetNotEmpty(Conflict):
    """There is data where other data is to be copied to."""

    code = "target_not_empty"

    def __init__(self, place: str) -> None:
        super().__init__(f"{place} holds data already. Move that away, or name another place.")


class CopyDiffers(Conflict):
    """What was written is not what was read."""

    code = "copy_differs"

    def __init__(self, tables: list[str]) -> None:
        super().__init__(f"The copy differs from its source in {', '.join(tables)}. Nothing was kept.")


class SchemaOutdated(Conflict):
    """The source is not of the schema that the target has."""

    code = "schema_outdated"

    def __init__(self, *, number: int, newest: int) -> None:
        super().__init__(
            f"The data has schema {number}, and {newest} is needed. Run `tertulia upgrade` on it first."
        )


class TableUnknown(Conflict):
    """One database has a table or column that the other has not, and nobody said what becomes of it."""

    code = "table_unknown"

    def __init__(self, names: list[str]) -> None:
        super().__init__(f"Only one of the two databases has {', '.join(names)}. Nothing was copied.")


@dataclass(slots=True)
class RowCounter:
    """Counts rows as they pass, and tells every so often how far that is."""

    total: int
    report_progress: RowProgress
    done: int = 0

    def pass_through(self, rows: Iterable[Row], *, step: str) -> Iterator[Row]:
        """Yield rows, and count each."""
        for row in rows:
            yield row
            self.done += 1
            if self.done % PROGRESS_STEP_ROWS == 0:
                self.report_progress(step, self.done, self.total)
        self.report_progress(step, self.done, self.total)


def copy_tables(
    source: TableRowReader, target: TableWriter, *, report_progress: RowProgress
) -> dict[str, TableDigest]:
    """Copy every row to a database without any, and raise unless both then hold the same."""
    check_schema(source, target)
    columns = list_copied_columns(source.read_columns(), target.read_columns())
    check_empty(target, columns)
    counter = RowCounter(sum(map(source.count_rows, columns)), report_progress)
    written: dict[str, TableDigest] = {}
    for table, names in columns.items():
        digest = DigestBuilder()
        # Closed where writing fails: a connection on which rows still come cannot end its transaction.
        with closing(source.read_rows(table, names)) as read:
            rows = digest.pass_through(map(target.to_storable, read))
            target.write_rows(table, names, counter.pass_through(rows, step="Copying"))
        written[table] = digest.build()
    check_same(written, target, columns, report_progress=report_progress)
    return written


def check_schema(source: TableRowReader, target: TableRowReader) -> None:
    """Raise where one database has had migrations that the other has not."""
    number, newest = source.read_schema_number(), target.read_schema_number()
    if number > newest:
        raise SchemaTooNew(applied=number, known=newest)
    if number < newest:
        raise SchemaOutdated(number=number, newest=newest)


def list_copied_columns(source: TableColumns, target: TableColumns) -> dict[str, tuple[str, ...]]:
    """Return the columns to be copied; raise for one that only one side has unless it is known to."""
    if unknown := [name for name in list_differences(source, target) if name not in ENGINE_ONLY]:
        raise TableUnknown(unknown)
    return shared_columns(source, target)


def list_differences(one: TableColumns, other: TableColumns) -> list[str]:
    """Return the tables, and the columns of shared tables, that only one of two databases has."""
    tables = one.keys() ^ other.keys()
    columns = {
        f"{table}.{column}"
        for table in one.keys() & other.keys()
        for column in set(one[table]) ^ set(other[table])
    }
    return sorted(tables | columns)


def check_empty(target: TableRowReader, columns: TableColumns) -> None:
    """Raise where a table that is copied has rows already."""
    for table in columns.keys() - ENGINE_ONLY.keys():
        if target.count_rows(table):
            raise TargetNotEmpty(f"The table {table} of the target")


def check_same(
    written: dict[str, TableDigest],
    target: TableRowReader,
    columns: TableColumns,
    *,
    report_progress: RowProgress,
) -> None:
    """Read every table back, and raise where it is not what was written."""
    report_progress("Comparing", 0, 1)
    found = digest_tables(target, columns)
    report_progress("Comparing", 1, 1)
    if wrong := [table for table in columns if found[table] != written[table]]:
        raise CopyDiffers(wrong)
