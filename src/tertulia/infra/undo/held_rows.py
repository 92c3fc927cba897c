"""Rows held for a deletion, so that it can be undone: they leave their tables and come back whole.

Which rows go with a row is read from the schema, so that a table added later is
held too: this is SQL that only SQLite has.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

from tertulia.infra.db import Tx, bound_list

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

RowT = TypeVar("RowT", bound="DataclassInstance")


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A column of a table and what it refers to."""

    table: str
    column: str
    parent: str
    parent_column: str


FOREIGN_KEYS_SQL = """SELECT t.name AS "table", k."from" AS "column", k."table" AS parent,
      k."to" AS parent_column
    FROM sqlite_schema AS t JOIN pragma_foreign_key_list(t.name) AS k WHERE t.type = 'table'"""


def hold_rows(tx: Tx, deletion_id: str, table: str, ids: Sequence[str]) -> None:
    """Copy rows, and those that are deleted along with them, for as long as the deletion can be undone."""
    sql = f"{FOREIGN_KEYS_SQL} AND k.\"table\" = :parent AND k.on_delete = 'CASCADE'"
    along = [(key.table, key.column) for key in tx.all(ForeignKey, sql, parent=table)]
    for name, column in [(table, "id"), *along]:
        pairs = ", ".join(f"'{column}', \"{column}\"" for column in _columns(tx, name))
        tx.run(
            f"""INSERT INTO held_rows (deletion_id, workspace_id, table_name, content)
                SELECT :deletion_id, :workspace, '{name}', json_object({pairs}) FROM {name}
                WHERE workspace_id = :workspace AND {column} IN {bound_list("ids")}""",
            deletion_id=deletion_id,
            ids=list(ids),
        )


def restore_rows(tx: Tx, deletion_id: str) -> None:
    """Insert the rows held for a deletion, but for those that refer to something deleted meanwhile."""
    sql = """SELECT table_name FROM held_rows WHERE deletion_id = :id AND workspace_id = :workspace
        GROUP BY table_name ORDER BY min(id)"""
    for table in tx.column(sql, id=deletion_id):
        columns = _columns(tx, table)
        names = ", ".join(f'"{column}"' for column in columns)
        values = ", ".join(_json_value_sql(column) for column in columns)
        keys = tx.all(ForeignKey, f"{FOREIGN_KEYS_SQL} AND t.name = :table", table=table)
        tx.run(
            f"""INSERT INTO {table} ({names}) SELECT {values} FROM held_rows
                WHERE deletion_id = :id AND workspace_id = :workspace AND table_name = '{table}'
                {"".join(f" AND {_parent_exists_sql(key)}" for key in keys)}""",
            id=deletion_id,
        )


def list_held_rows(tx: Tx, row_class: type[RowT], deletion_id: str, table: str) -> list[RowT]:
    """Return the rows of a table that are held for a deletion, as far as the fields of `row_class` go."""
    columns = ", ".join(f"{_json_value_sql(field.name)} AS {field.name}" for field in fields(row_class))
    sql = f"""SELECT {columns} FROM held_rows
        WHERE deletion_id = :id AND workspace_id = :workspace AND table_name = :table"""
    return tx.all(row_class, sql, id=deletion_id, table=table)


def filter_held_ids(tx: Tx, table: str, ids: Collection[str]) -> frozenset[str]:
    """Return those of some ids whose rows were deleted from a table and can still be restored."""
    sql = f"""SELECT {_json_value_sql("id")} FROM held_rows WHERE workspace_id = :workspace
        AND table_name = :table AND {_json_value_sql("id")} IN {bound_list("ids")}"""
    return frozenset(tx.column(sql, table=table, ids=sorted(ids)))


def _columns(tx: Tx, table: str) -> list[str]:
    return tx.column("SELECT name FROM pragma_table_info(:table)", table=table)


def _json_value_sql(column: str) -> str:
    return f"json_extract(content, '$.{column}')"


def _parent_exists_sql(key: ForeignKey) -> str:
    value = _json_value_sql(key.column)
    return f"""({value} IS NULL OR EXISTS (
        SELECT 1 FROM {key.parent} AS p WHERE p.{key.parent_column} = {value}))"""
