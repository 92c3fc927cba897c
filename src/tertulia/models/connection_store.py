"""The connections that people enter: rows in, rows out. Keys are here only in their sealed form."""

from dataclasses import dataclass, field
from datetime import datetime

from tertulia.infra.db import Tx
from tertulia.infra.db.statements import Row
from tertulia.models.connections import ConnectionKind

VISIBLE_CONNECTIONS_SQL = "workspace_id = :workspace AND (user_id IS NULL OR user_id = :me)"


@dataclass(frozen=True, slots=True)
class ConnectionRow:
    """A connection as it is stored."""

    id: str
    user_id: str | None
    kind: ConnectionKind
    slug: str
    base_url: str
    sealed_key: str | None = field(repr=False)
    key_tail: str
    created_at: datetime
    updated_at: datetime


def list_visible(tx: Tx) -> list[ConnectionRow]:
    """Return the person's own connections and then the workspace's, each in the order of their making."""
    sql = f"SELECT * FROM connections WHERE {VISIBLE_CONNECTIONS_SQL} ORDER BY user_id IS NULL, id"
    return tx.all(ConnectionRow, sql)


def read_fingerprint(tx: Tx) -> list[Row]:
    """Return what tells whether any connection that the person sees was added, changed or removed."""
    sql = f"SELECT id, base_url, sealed_key FROM connections WHERE {VISIBLE_CONNECTIONS_SQL} ORDER BY id"
    return tx.rows(sql)


def get(tx: Tx, connection_id: str) -> ConnectionRow | None:
    """Return one of the connections that the person sees."""
    return tx.one(
        ConnectionRow,
        f"SELECT * FROM connections WHERE id = :id AND {VISIBLE_CONNECTIONS_SQL}",
        id=connection_id,
    )


def add(tx: Tx, row: ConnectionRow) -> bool:
    """Store a new connection; False when its slug is taken."""
    sql = """
        INSERT INTO connections (id, workspace_id, user_id, kind, slug, base_url, sealed_key, key_tail,
            created_at, updated_at)
        VALUES (:id, :workspace, :user_id, :kind, :slug, :base_url, :sealed_key, :key_tail,
            :created_at, :updated_at)
        ON CONFLICT DO NOTHING"""
    return tx.change(sql, **columns(row)) == 1


def change(tx: Tx, row: ConnectionRow) -> None:
    """Store what is new about a connection; its slug and owner stay."""
    sql = f"""
        UPDATE connections SET kind = :kind, base_url = :base_url, sealed_key = :sealed_key,
            key_tail = :key_tail, updated_at = :updated_at
        WHERE id = :id AND {VISIBLE_CONNECTIONS_SQL}"""
    values = columns(row)
    tx.run(sql, **{name: values[name] for name in UPDATED_COLUMNS})


def remove(tx: Tx, connection_id: str) -> None:
    """Delete a connection and the list it gave."""
    tx.run(f"DELETE FROM connections WHERE id = :id AND {VISIBLE_CONNECTIONS_SQL}", id=connection_id)
    tx.run(
        "DELETE FROM offered_models WHERE connection_id = :id AND workspace_id = :workspace", id=connection_id
    )


UPDATED_COLUMNS = ("id", "kind", "base_url", "sealed_key", "key_tail", "updated_at")


def columns(row: ConnectionRow) -> dict[str, object]:
    """Return a row as the values of its columns."""
    return {name: getattr(row, name) for name in ConnectionRow.__slots__}
