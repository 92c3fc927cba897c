"""A schema as both engines have it, to be compared: what differs is either meant or a mistake."""

import re
from dataclasses import dataclass, field
from typing import Any

import apsw
import psycopg

#: Types by what they hold.
TYPE_CLASSES = {
    "TEXT": "text",
    "text": "text",
    "INTEGER": "integer",
    "BIGINT": "integer",
    "bigint": "integer",
    "REAL": "real",
    "double precision": "real",
    "BLOB": "bytes",
    "bytea": "bytes",
}


@dataclass(frozen=True, slots=True)
class Column:
    """What a column may hold."""

    type_class: str
    is_nullable: bool
    default: str | None


@dataclass(frozen=True, slots=True)
class Reference:
    """A foreign key: its columns in pairs, and what becomes of a row whose parent goes."""

    columns: frozenset[tuple[str, str]]
    parent: str
    on_delete: str


@dataclass(frozen=True, slots=True)
class Index:
    """What an index orders, and of which rows."""

    keys: tuple[str, ...]
    is_unique: bool
    condition: str


@dataclass
class TableSchema:
    """A table and what the database sees to."""

    columns: dict[str, Column] = field(default_factory=dict[str, Column])
    primary_key: tuple[str, ...] = ()
    references: set[Reference] = field(default_factory=set[Reference])
    indexes: dict[str, Index] = field(default_factory=dict[str, Index])
    #: The columns of constraints that are unique, which have no name of ours.
    unique: set[tuple[str, ...]] = field(default_factory=set[tuple[str, ...]])
    checks: int = 0
    triggers: set[str] = field(default_factory=set[str])


@dataclass
class Schema:
    """Everything that migrations made."""

    tables: dict[str, TableSchema]
    views: set[str]


def read_sqlite_schema(connection: apsw.Connection) -> Schema:
    """Return what a database of SQLite has."""

    def rows(sql: str) -> list[Any]:
        return list(connection.execute(sql))

    tables = {
        name: TableSchema(checks=sql.count("CHECK ("))
        for name, sql in rows("SELECT name, sql FROM sqlite_schema WHERE type = 'table'")
    }
    for name, table in tables.items():
        info = rows(f"PRAGMA table_info('{name}')")
        table.primary_key = tuple(row[1] for row in sorted(info, key=lambda row: row[5]) if row[5])
        for _, column, kind, is_required, default, place in info:
            is_nullable = not is_required and not place
            table.columns[column] = Column(type_class(kind), is_nullable, default)
        keys = rows(f"PRAGMA foreign_key_list('{name}')")
        for number in {row[0] for row in keys}:
            pairs = [row for row in keys if row[0] == number]
            columns = frozenset((row[3], row[4]) for row in pairs)
            table.references.add(Reference(columns, pairs[0][2], pairs[0][6]))
        for _, index, is_unique, origin, _ in rows(f"PRAGMA index_list('{name}')"):
            read_sqlite_index(connection, table, index, is_unique=bool(is_unique), origin=origin)
    for name, trigger in rows("SELECT tbl_name, name FROM sqlite_schema WHERE type = 'trigger'"):
        tables[name].triggers.add(trigger)
    return Schema(tables, {name for (name,) in rows("SELECT name FROM sqlite_schema WHERE type = 'view'")})


def read_sqlite_index(
    connection: apsw.Connection, table: TableSchema, name: str, *, is_unique: bool, origin: str
) -> None:
    """Note an index that we made, or that a constraint made."""
    keys = [row for row in connection.execute(f"PRAGMA index_xinfo('{name}')") if row[5]]
    if origin == "u":
        table.unique.add(tuple(str(row[2]) for row in keys))
    elif origin == "c":
        [(sql,)] = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (name,))
        [(listed, condition)] = re.findall(r"ON \w+ \((.*?)\)(?:\s+WHERE (.*))?$", str(sql), re.DOTALL)
        parts = re.split(r", (?![^(]*\))", str(listed))
        table.indexes[name] = Index(tuple(map(normalise, parts)), is_unique, normalise(str(condition)))


POSTGRES_COLUMNS_SQL = b"""
    SELECT table_name, column_name,
      CASE data_type WHEN 'USER-DEFINED' THEN udt_name ELSE data_type END, is_nullable, column_default
    FROM information_schema.columns WHERE table_schema = current_schema()"""
POSTGRES_CONSTRAINTS_SQL = b"""
    SELECT c.conrelid::regclass::text, c.contype, names.own, c.confrelid::regclass::text, names.parents,
      CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'a' THEN 'NO ACTION' WHEN 'n' THEN 'SET NULL'
        ELSE c.confdeltype::text END
    FROM pg_constraint AS c CROSS JOIN LATERAL (
      SELECT array_agg(a.attname::text ORDER BY k.place) AS own,
        array_agg(p.attname::text ORDER BY k.place) AS parents
      FROM unnest(c.conkey, coalesce(c.confkey, c.conkey)) WITH ORDINALITY AS k (own, parent, place)
      JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = k.own
      LEFT JOIN pg_attribute AS p ON p.attrelid = c.confrelid AND p.attnum = k.parent) AS names
    WHERE c.connamespace = current_schema()::regnamespace AND c.conrelid <> 0"""
POSTGRES_INDEXES_SQL = b"""
    SELECT i.indrelid::regclass::text, c.relname, i.indisunique,
      ARRAY(
        SELECT pg_get_indexdef(c.oid, n, true) || CASE i.indoption[n - 1] & 1 WHEN 1 THEN ' DESC' ELSE '' END
        FROM generate_series(1, i.indnkeyatts) AS n),
      coalesce(pg_get_expr(i.indpred, i.indrelid), '')
    FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
    WHERE c.relnamespace = current_schema()::regnamespace
      AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conindid = c.oid AND contype IN ('p', 'u'))"""
POSTGRES_TRIGGERS_SQL = b"SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE NOT tgisinternal"
POSTGRES_RELATIONS_SQL = b"""
    SELECT relname, relkind FROM pg_class WHERE relnamespace = current_schema()::regnamespace"""


def read_postgres_schema(connection: "psycopg.Connection[Any]") -> Schema:
    """Return what a database of PostgreSQL has."""
    relations: list[Any] = connection.execute(POSTGRES_RELATIONS_SQL).fetchall()
    tables = {name: TableSchema() for name, kind in relations if kind == "r"}
    for name, column, kind, is_nullable, default in connection.execute(POSTGRES_COLUMNS_SQL):
        if name in tables:
            plain = default and re.sub(r"::\w+$", "", default)
            tables[name].columns[column] = Column(type_class(kind), is_nullable == "YES", plain)
    for name, *constraint in connection.execute(POSTGRES_CONSTRAINTS_SQL):
        add_postgres_constraint(tables[name], constraint)
    for name, index, is_unique, keys, condition in connection.execute(POSTGRES_INDEXES_SQL):
        tables[name].indexes[index] = Index(tuple(map(normalise, keys)), is_unique, normalise(condition))
    for name, trigger in connection.execute(POSTGRES_TRIGGERS_SQL):
        tables[name].triggers.add(trigger)
    return Schema(tables, {name for name, kind in relations if kind == "v"})


def add_postgres_constraint(table: TableSchema, constraint: list[Any]) -> None:
    """Note a constraint of a table."""
    kind, columns, parent, parent_columns, action = constraint
    match kind:
        case "p":
            table.primary_key = tuple(columns)
        case "u":
            table.unique.add(tuple(columns))
        case "c":
            table.checks += 1
        case "f":
            pairs = frozenset(zip(columns, parent_columns, strict=True))
            table.references.add(Reference(pairs, parent, action))
        case _:
            pass


def type_class(kind: str) -> str:
    """Return what a type holds, its own name where that is not one of ours."""
    return TYPE_CLASSES.get(kind, kind)


def normalise(expression: str) -> str:
    """Return SQL as both engines would write it."""
    text = re.sub(r"::\w+", "", expression.lower())
    text = re.sub(r"= any \(array\[(.*?)\]\)", r"in \1", text)
    return re.sub(r"[()\"\s]", "", text)
