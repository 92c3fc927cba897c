"""Comparing tables: how many rows each has, and a hash of what is in them, whichever engine keeps them."""

import hashlib
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Protocol

from tertulia.infra.db.statements import Row

ROW_HASH_BYTES = 16

#: The columns of each table, by its name.
TableColumns = Mapping[str, tuple[str, ...]]


class TableRowReader(Protocol):
    """Reads whole tables of one moment, without holding them in memory."""

    def read_schema_number(self) -> int:
        """Return the number of the last migration that the database has had."""
        ...

    def read_columns(self) -> TableColumns:
        """Return the columns of every table that holds rows of its own."""
        ...

    def count_rows(self, table: str) -> int:
        """Return how many rows a table has."""
        ...

    def read_rows(self, table: str, columns: Sequence[str]) -> Generator[Row]:
        """Yield every row of a table, in any order; whoever reads no further closes it."""
        ...


@dataclass(frozen=True, slots=True)
class TableDigest:
    """What a table holds, in short: equal digests mean the same rows, in whatever order."""

    rows: int
    hash: str


class DigestBuilder:
    """Takes in the rows of a table one by one.

    The hashes of rows are added up, so that the order in which an engine returns them makes no
    difference, and a row that is there twice does.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._sum = 0

    def add(self, row: Row) -> None:
        """Take in a row of plain values."""
        row_hash = hashlib.blake2b(repr(row).encode(), digest_size=ROW_HASH_BYTES).digest()
        self._sum = (self._sum + int.from_bytes(row_hash)) % (1 << (8 * ROW_HASH_BYTES))
        self._rows += 1

    def pass_through(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Yield rows, and take each in on its way."""
        for row in rows:
            self.add(row)
            yield row

    def build(self) -> TableDigest:
        """Return the digest of what was taken in."""
        return TableDigest(self._rows, f"{self._sum:0{2 * ROW_HASH_BYTES}x}")


def digest_tables(reader: TableRowReader, columns: TableColumns) -> dict[str, TableDigest]:
    """Return the digests of tables, by the columns that are named."""
    digests: dict[str, TableDigest] = {}
    for table, names in columns.items():
        with closing(reader.read_rows(table, names)) as rows:
            digests[table] = digest_rows(rows)
    return digests


def digest_rows(rows: Iterable[Row]) -> TableDigest:
    """Return the digest of some rows."""
    builder = DigestBuilder()
    for row in rows:
        builder.add(row)
    return builder.build()


def shared_columns(one: TableColumns, other: TableColumns) -> dict[str, tuple[str, ...]]:
    """Return the columns that both have, of the tables that both have, in the order of the first."""
    return {
        table: tuple(column for column in columns if column in other[table])
        for table, columns in one.items()
        if table in other
    }
