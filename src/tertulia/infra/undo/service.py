"""Undoing deletions in time, and making them final when it is over."""

from collections.abc import Mapping

from tertulia.core.errors import NotFound
from tertulia.core.json_object import JsonObject
from tertulia.core.principal import Principal, Role
from tertulia.infra.db import Database, Tx
from tertulia.infra.jobs import JobHandler
from tertulia.infra.undo import store
from tertulia.infra.undo.domain import DeletionKind


class PendingDeletions:
    """Restores or erases whatever was deleted; each feature says how for its own kind."""

    def __init__(self, db: Database, kinds: Mapping[str, DeletionKind]) -> None:
        self._db = db
        self._kinds = kinds

    @property
    def handlers(self) -> dict[str, JobHandler]:
        """Return what does the job that makes a deletion final."""
        return {store.DELETION_JOB: self._erase}

    async def requeue(self) -> None:
        """Have everything deleted that still waits for it, whatever became of its job."""
        await self._db.write(store.requeue_all, by=None)

    async def restore(self, deletion_id: str, *, by: Principal) -> None:
        """Bring back what the caller deleted; raise `NotFound` once it is too late."""

        def write(tx: Tx) -> None:
            deletion = store.find(tx, deletion_id)
            if deletion is None or not deletion.time_left(tx.uptime()):
                raise NotFound("deletion")
            self._kinds[deletion.kind].restore(tx, deletion)
            store.remove(tx, deletion.id)

        await self._db.write(write, by=by)

    async def _erase(self, payload: JsonObject) -> None:
        by = Principal(payload["user_id"], payload["workspace_id"], Role.MEMBER)

        def write(tx: Tx) -> None:
            if deletion := store.find(tx, payload["deletion_id"]):
                self._kinds[deletion.kind].erase(tx, deletion)
                store.remove(tx, deletion.id)

        await self._db.write(write, by=by)
