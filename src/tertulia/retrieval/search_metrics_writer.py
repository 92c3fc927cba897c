"""Writing the figures of searches down, those of half a second together: nobody waits for that."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from tertulia.accounts import members
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.tasks import cancel_tasks
from tertulia.infra.db import Database, Tx
from tertulia.infra.db.errors import ConstraintBroken
from tertulia.retrieval.passage_usage import delete_outdated_usage
from tertulia.retrieval.search_metrics import add_metrics, delete_outdated_metrics

log = logging.getLogger("tertulia.retrieval")

METRICS_FLUSH_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class PendingMetrics:
    """The figures of a search that are not written yet, and who searched."""

    by: Principal
    row: Mapping[str, object]


class SearchMetricsWriter:
    """Takes in the figures of searches at once, and writes them soon."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._pending: list[PendingMetrics] = []
        self._flushing: asyncio.Task[None] | None = None

    def add(self, row: Mapping[str, object], *, by: Principal) -> None:
        """Have the figures of a search written with those of others at about the same time."""
        self._pending.append(PendingMetrics(by, row))
        if self._flushing is None or self._flushing.done():
            self._flushing = asyncio.create_task(self._flush_while_pending())

    async def flush(self) -> None:
        """Write what is pending now."""
        if self._flushing is not None:
            await cancel_tasks([self._flushing])
        await self._flush()

    async def _flush_while_pending(self) -> None:
        while self._pending:
            await asyncio.sleep(METRICS_FLUSH_SECONDS)
            await self._flush()

    async def _flush(self) -> None:
        pending, self._pending = self._pending, []
        if not pending:
            return
        try:
            await self._db.write(lambda tx: write_metrics(tx, pending), by=None)
        except (TertuliaError, ConstraintBroken) as error:
            log.warning("The figures of %d searches were not kept: %s", len(pending), error)


def write_metrics(tx: Tx, pending: Sequence[PendingMetrics]) -> None:
    """Write the figures of searches whose person and place are still there, and forget old ones."""
    for metrics in pending:
        acting = tx.acting_for(metrics.by)
        if members.is_member(acting, metrics.by.user_id):
            try:
                tx.attempt(partial(add_metrics, acting, metrics.row))
            except ConstraintBroken:
                log.debug("The conversation or project of a search was deleted, and its figures with it.")
    for by in {metrics.by.workspace_id: metrics.by for metrics in pending}.values():
        delete_outdated_metrics(tx.acting_for(by))
        delete_outdated_usage(tx.acting_for(by))
