"""Stored subscriptions as they lie in the database, by which it is known which secret key seals them."""

from tertulia.infra.db import Tx
from tertulia.infra.db.statements import Row


def list_sealed_subscriptions(tx: Tx, *, limit: int) -> list[Row]:
    """Return some subscriptions as they are stored, each after the id that it is sealed for."""
    return tx.rows("SELECT id, sealed FROM push_subscriptions ORDER BY id DESC LIMIT :limit", limit=limit)
