"""Keeping a workspace there while something is added that names it without a reference."""

from tertulia.core.errors import NotFound
from tertulia.infra.db.row_locks import FOR_SHARE
from tertulia.infra.db.tx import Tx


def hold_workspace(tx: Tx) -> None:
    """Keep the principal's workspace from being deleted until the commit; raise `NotFound` where it was.

    Whoever deletes it waits, and takes along what was added. Tables with a reference to it need none of this.
    """
    if tx.value(f"SELECT 1 FROM workspaces WHERE id = :workspace {FOR_SHARE}") is None:
        raise NotFound("workspace")
