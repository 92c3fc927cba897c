"""Stored passwords as they lie in the database, by which it is known which secret key seals them."""

from tertulia.infra.db import Tx
from tertulia.infra.db.statements import Row


def list_sealed_passwords(tx: Tx, *, limit: int) -> list[Row]:
    """Return some secrets of all accounts as they are stored, each after the id that it is sealed for."""
    sql = """SELECT id, sealed_secret FROM calendar_accounts WHERE sealed_secret <> ''
        ORDER BY id DESC LIMIT :limit"""
    return tx.rows(sql, limit=limit)
