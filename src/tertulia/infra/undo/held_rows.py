"""Rows held for a deletion, so that it can be undone: they leave their tables and come back whole.

Which rows go with a row is read from the schema, so that a table added later is
held too.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from tertulia.infra.db import Tx, bound_list

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

RowT = TypeVar("RowT", bound="DataclassInstance")
#: The columns of a row by their names.
HeldRow = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A column of a table and what it refers to."""

    table_name: str
    column_name: str
    parent_table: str
    parent_column: str


def hold_rows(tx: Tx, deletion_id: str, table: str, ids: Sequence[str]) -> None:
    """Copy rows, and those that are deleted along with them, for as long as the deletion can be undone."""
    sql = "SELECT * FROM foreign_keys WHERE parent_table = :parent AND on_delete = 'CASCADE'"
    along = [(key.table_name, key.column_name) for key in tx.all(ForeignKey, sql, parent=table)]
    for name, column in [(table, "id"), *along]:
        tx.run_many(
            """INSERT INTO held_rows (deletion_id, workspace_id, table_name, row_id, content)
               VALUES (:deletion_id, :workspace, :table_name, :row_id, :content)""",
            [
                {"deletion_id": deletion_id, "table_name": name, "row_id": row.get("id"), "content": row}
                for row in _list_rows(tx, name, column, ids)
            ],
        )


def restore_rows(tx: Tx, deletion_id: str) -> None:
    """Insert the rows held for a deletion, but for those that refer to something deleted meanwhile."""
    sql = """SELECT table_name FROM held_rows WHERE deletion_id = :id AND workspace_id = :workspace
        GROUP BY table_name ORDER BY min(id)"""
    for table in tx.column(sql, id=deletion_id):
        columns = _list_columns(tx, table)
        names = ", ".join(f'"{column}"' for column in columns)
        values = ", ".join(f":{'workspace' if column == 'workspace_id' else column}" for column in columns)
        rows = _keep_rows_with_parents(tx, table, _list_held(tx, deletion_id, table))
        tx.run_many(
            f"INSERT INTO {table} ({names}) VALUES ({values})",
            [{column: row.get(column) for column in columns} for row in rows],
        )


def list_held_rows(tx: Tx, row_class: type[RowT], deletion_id: str, table: str) -> list[RowT]:
    """Return the rows of a table that are held for a deletion, as far as the fields of `row_class` go."""
    names = [field.name for field in fields(row_class)]
    return [row_class(**{name: row[name] for name in names}) for row in _list_held(tx, deletion_id, table)]


def filter_held_ids(tx: Tx, table: str, ids: Collection[str]) -> frozenset[str]:
    """Return those of some ids whose rows were deleted from a table and can still be restored."""
    sql = f"""SELECT row_id FROM held_rows WHERE workspace_id = :workspace
        AND table_name = :table AND row_id IN {bound_list("ids")}"""
    return frozenset(tx.column(sql, table=table, ids=sorted(ids)))


def _list_rows(tx: Tx, table: str, column: str, ids: Sequence[str]) -> list[HeldRow]:
    columns = _list_columns(tx, table)
    names = ", ".join(f'"{name}"' for name in columns)
    sql = f"""SELECT {names} FROM {table} WHERE workspace_id = :workspace
        AND {column} IN {bound_list("ids")}"""
    return [dict(zip(columns, row, strict=True)) for row in tx.rows(sql, ids=list(ids))]


def _list_held(tx: Tx, deletion_id: str, table: str) -> list[HeldRow]:
    sql = """SELECT content FROM held_rows
        WHERE deletion_id = :id AND workspace_id = :workspace AND table_name = :table ORDER BY id"""
    return [msgspec.json.decode(content) for content in tx.column(sql, id=deletion_id, table=table)]


def _list_columns(tx: Tx, table: str) -> list[str]:
    sql = "SELECT column_name FROM table_columns WHERE table_name = :table ORDER BY place"
    return tx.column(sql, table=table)


def _keep_rows_with_parents(tx: Tx, table: str, rows: list[HeldRow]) -> list[HeldRow]:
    """Return those rows of a table that refer to nothing that is gone."""
    for key in tx.all(ForeignKey, "SELECT * FROM foreign_keys WHERE table_name = :table", table=table):
        named = {row[key.column_name] for row in rows} - {None}
        mine = (
            " AND workspace_id = :workspace" if "workspace_id" in _list_columns(tx, key.parent_table) else ""
        )
        sql = f"""SELECT {key.parent_column} FROM {key.parent_table}
            WHERE {key.parent_column} IN {bound_list("named")}{mine}"""
        found = {None, *tx.column(sql, named=sorted(named))}
        rows = [row for row in rows if row[key.column_name] in found]
    return rows
