"""Stored keys as they lie in the database, by which it is known which secret key seals them."""

from tertulia.infra.db import Tx
from tertulia.infra.db.statements import Row


def list_sealed_keys(tx: Tx, *, limit: int) -> list[Row]:
    """Return some keys of all workspaces as they are stored, each after the id that it is sealed for."""
    sql = "SELECT id, sealed_key FROM connections WHERE sealed_key IS NOT NULL ORDER BY id DESC LIMIT :limit"
    return tx.rows(sql, limit=limit)
