"""Stored secrets of tools as they lie in the database, by which it is known which secret key seals them."""

from tertulia.infra.db import Tx
from tertulia.infra.db.statements import Row


def list_sealed_secrets(tx: Tx, *, limit: int) -> list[Row]:
    """Return some secrets of all workspaces as they are stored, each after the id that it is sealed for."""
    sql = """SELECT id, sealed FROM tool_servers WHERE sealed IS NOT NULL
        UNION ALL SELECT id, sealed FROM http_tools WHERE sealed IS NOT NULL
        ORDER BY id DESC LIMIT :limit"""
    return tx.rows(sql, limit=limit)
