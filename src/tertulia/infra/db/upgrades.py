"""What an upgrade did, of a database or of a copy: values that every engine returns."""

from dataclasses import dataclass

from tertulia.infra.db.table_digests import TableDigest


@dataclass(frozen=True, slots=True)
class TableChange:
    """What an upgrade did to one table; it has no rows before, or after, where it was not there."""

    table: str
    before: int | None
    after: int | None
    #: Whether the columns that were there before and are there after hold the same.
    is_same: bool


@dataclass(frozen=True, slots=True)
class Upgrade:
    """From which schema to which a database was brought, and how long that took."""

    before: int
    after: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What the upgrade of a copy did, and how long it took."""

    pending: list[int]
    changes: list[TableChange]
    copy_seconds: float
    upgrade_seconds: float


NOTHING_TO_REHEARSE = Rehearsal([], [], copy_seconds=0, upgrade_seconds=0)


def list_changes(
    before: dict[str, TableDigest],
    after: dict[str, TableDigest],
    *,
    removed: dict[str, int],
    added: dict[str, int],
) -> list[TableChange]:
    """Return what became of each table, by name."""
    kept = [
        TableChange(table, before[table].rows, after[table].rows, before[table] == after[table])
        for table in before
    ]
    gone = [TableChange(table, rows, None, is_same=False) for table, rows in removed.items()]
    new = [TableChange(table, None, rows, is_same=False) for table, rows in added.items()]
    return sorted(kept + gone + new, key=lambda change: change.table)
