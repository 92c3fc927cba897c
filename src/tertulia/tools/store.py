"""Tools from beyond the project as they are stored: rows in, rows out. Secrets only in their sealed form."""

from dataclasses import dataclass, field, fields
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from tertulia.core.errors import Conflict, Limited
from tertulia.infra.db import Tx
from tertulia.tools.domain import Effect
from tertulia.tools.external_tools import TOOL_NAME_SEPARATOR, OfferedTool
from tertulia.tools.http.operations import Auth, Operation


class Transport(StrEnum):
    """How a server is spoken to."""

    STDIO = "stdio"
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class ServerRow:
    """A server that offers tools over MCP."""

    id: str
    slug: str
    transport: Transport
    command: str
    arguments: list[str]
    url: str
    sealed: str | None = field(repr=False)
    secret_names: list[str]
    enabled: bool
    allowed: list[str] | None
    tools: list[OfferedTool]
    listed_at: datetime | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class ServiceRow:
    """A web service that an OpenAPI document describes."""

    id: str
    slug: str
    title: str
    base_url: str
    auth: Auth
    auth_name: str
    sealed: str | None = field(repr=False)
    secret_tail: str
    enabled: bool
    allowed: list[str]
    operations: list[Operation]
    created_at: datetime
    updated_at: datetime


RowT = TypeVar("RowT", ServerRow, ServiceRow)
TOOL_TABLES: dict[type[Any], str] = {ServerRow: "tool_servers", ServiceRow: "http_tools"}


def list_rows(tx: Tx, kind: type[RowT]) -> list[RowT]:
    """Return the workspace's servers or services by their short names."""
    return tx.all(kind, f"SELECT * FROM {TOOL_TABLES[kind]} WHERE workspace_id = :workspace ORDER BY slug")


def find_row(tx: Tx, kind: type[RowT], row_id: str) -> RowT | None:
    """Return one of the workspace's."""
    sql = f"SELECT * FROM {TOOL_TABLES[kind]} WHERE id = :id AND workspace_id = :workspace"
    return tx.one(kind, sql, id=row_id)


def slug_is_taken(tx: Tx, slug: str) -> bool:
    """Tell whether any server or service of the workspace has a short name."""
    sql = """SELECT (SELECT count(*) FROM tool_servers WHERE workspace_id = :workspace AND slug = :slug)
        + (SELECT count(*) FROM http_tools WHERE workspace_id = :workspace AND slug = :slug)"""
    return bool(tx.value(sql, slug=slug))


def add_source(tx: Tx, row: RowT, *, max_rows: int, what: str) -> None:
    """Store a new server or service, unless there are too many or its short name is taken."""
    if len(list_rows(tx, type(row))) >= max_rows:
        raise Limited(f"There can be {max_rows} {what}: remove one first.")
    if slug_is_taken(tx, row.slug):
        raise Conflict(f"There are already tools under {row.slug!r}: choose another name.")
    add_row(tx, row)


def add_row(tx: Tx, row: ServerRow | ServiceRow) -> None:
    """Store a new server or service."""
    names = [column.name for column in fields(row)]
    values = ", ".join(f":{name}" for name in names)
    sql = f"""INSERT INTO {TOOL_TABLES[type(row)]} (workspace_id, {", ".join(names)})
        VALUES (:workspace, {values})"""
    tx.run(sql, **to_columns(row))


def update_row(tx: Tx, row: ServerRow | ServiceRow) -> None:
    """Store what is new about a server or service."""
    names = [column.name for column in fields(row) if column.name not in ("id", "slug", "created_at")]
    told = ", ".join(f"{name} = :{name}" for name in names)
    values = {name: value for name, value in to_columns(row).items() if name in (*names, "id")}
    tx.run(
        f"UPDATE {TOOL_TABLES[type(row)]} SET {told} WHERE id = :id AND workspace_id = :workspace", **values
    )


def remove_row(tx: Tx, row: ServerRow | ServiceRow) -> None:
    """Delete a server or service, and all that was ever said about its tools."""
    tx.run(f"DELETE FROM {TOOL_TABLES[type(row)]} WHERE id = :id AND workspace_id = :workspace", id=row.id)
    start = row.slug + TOOL_NAME_SEPARATOR
    sql = f"DELETE FROM tool_switches WHERE workspace_id = :workspace AND {starts_with_sql('name')}"
    tx.run(sql, start=start, length=len(start))
    revoke_grants_of(tx, row.slug)


def revoke_grants_of(tx: Tx, slug: str) -> None:
    """Have everybody asked again before a server's tools run: what was allowed was another server's."""
    start = slug + TOOL_NAME_SEPARATOR
    sql = f"DELETE FROM tool_grants WHERE workspace_id = :workspace AND {starts_with_sql('tool')}"
    tx.run(sql, start=start, length=len(start))
    sql = f"""UPDATE tool_switches SET effect = NULL
        WHERE workspace_id = :workspace AND effect = :harmless AND {starts_with_sql("name")}"""
    tx.run(sql, start=start, length=len(start), harmless=Effect.READ)


def starts_with_sql(column: str) -> str:
    """Return SQL that is true where a column begins with `:start`, which has `:length` characters."""
    return f"substr({column}, 1, CAST(:length AS INTEGER)) = :start"


def store_tool_list(tx: Tx, row: ServerRow, tools: list[OfferedTool], at: datetime) -> bool:
    """Keep what a server lists, and tell whether it was still the same one."""
    sql = """UPDATE tool_servers SET tools = :tools, listed_at = :at
        WHERE id = :id AND workspace_id = :workspace
        AND command = :command AND arguments = :arguments AND url = :url"""
    reached = {"command": row.command, "arguments": row.arguments, "url": row.url}
    return bool(tx.change(sql, id=row.id, tools=tools, at=at, **reached))


def to_columns(row: ServerRow | ServiceRow) -> dict[str, object]:
    """Return a row as the values of its columns."""
    return {column.name: getattr(row, column.name) for column in fields(row)}
