"""The embedder in service, and the one that is to take over.

When another embedder is chosen, the vectors of the old one are searched until
every text has a vector of the new one: so a change is never felt.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING

from tertulia.core.errors import TertuliaError
from tertulia.core.fair_slots import FairSlots
from tertulia.core.tasks import cancel_tasks
from tertulia.embedding.domain import Embedder, EmbedderUnavailable
from tertulia.infra.db import Database, Tx
from tertulia.retrieval.vector_index import VectorIndex

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger("tertulia.retrieval")

QUERY_VECTOR_CACHE_MAX_QUERIES = 512
#: Queries that are embedded at once: enough to keep any embedder busy, and few enough that people take turns.
QUERY_EMBEDDING_CONCURRENCY_MAX = 4


class EmbeddingService:
    """Knows which embedder answers now, and gives texts their vectors."""

    def __init__(
        self, wanted: Embedder | None, *, make: Callable[[str], Embedder | None], vectors: VectorIndex
    ) -> None:
        self.wanted = wanted
        self.serving: Embedder | None = None
        self._vectors = vectors
        self._make = make
        self._started = asyncio.Event()
        self._slots = FairSlots(QUERY_EMBEDDING_CONCURRENCY_MAX)
        #: The latest queries with their vectors, which may still be on their way.
        self._query_vectors: OrderedDict[tuple[str, str], asyncio.Future[NDArray[np.float32]]] = OrderedDict()

    @property
    def is_started(self) -> bool:
        """Tell whether it is known whose vectors there are."""
        return self._started.is_set()

    async def start(self, db: Database) -> None:
        """Find out whose vectors there are, and have every text embedded by the one that is wanted."""
        if self.wanted is None:
            return
        wanted = self.wanted
        served = await db.write(lambda tx: find_serving_embedder(tx, wanted.name), by=None)
        self.serving = wanted if served == wanted.name else self._make(served)
        self._started.set()

    async def warm_up(self) -> None:
        """Have the embedder ready before the first query; where that fails, the query tries again."""
        if self.wanted is None:
            return
        await self._started.wait()
        if self.serving is not None:
            try:
                await self.serving.start()
            except TertuliaError as error:
                log.warning("The embedder is not ready yet: %s", error)

    async def promote(self, db: Database) -> None:
        """Let the wanted embedder serve, now that every text has its vector, and forget the old one's."""
        if self.wanted is None:
            return
        wanted = self.wanted
        await db.write(lambda tx: set_serving_embedder(tx, wanted.name), by=None)
        await self.follow(wanted.name)
        while await db.write(lambda tx: delete_other_vectors(tx, wanted.name), by=None):
            pass  # in steps, so that others may write in between

    async def follow(self, name: str) -> None:
        """Let the embedder serve whose vectors are searched now: another process may have promoted it."""
        old = self.serving
        if not self.is_started or self.wanted is None or (old is not None and old.name == name):
            return
        self.serving = self.wanted if name == self.wanted.name else self._make(name)
        if old is not None:
            self._vectors.release(old.name)
            if old is not self.wanted:
                await old.close()

    async def find_serving(self, *, timeout_seconds: float) -> Embedder | None:
        """Return the embedder whose vectors are searched; right after a start, wait until that is known."""
        if self.wanted is not None and not self.is_started:
            try:
                async with asyncio.timeout(timeout_seconds):
                    await self._started.wait()
            except TimeoutError:
                raise EmbedderUnavailable("No embedder is in service yet.") from None
        return self.serving

    async def embed_query(
        self, text: str, *, asked_by: Hashable, timeout_seconds: float
    ) -> "NDArray[np.float32]":
        """Return a query's vector, or raise `EmbedderUnavailable` when it cannot be had soon.

        People take turns. An embedder that is just starting goes on doing so, for the next query.
        """
        try:
            async with asyncio.timeout(timeout_seconds), self._slots.slot(asked_by):
                return (await asyncio.shield(self._start_embedding(text)))[0]
        except TimeoutError:
            raise EmbedderUnavailable("The embedder did not answer in time.") from None

    def _start_embedding(self, text: str) -> "asyncio.Future[NDArray[np.float32]]":
        """Return the vectors of a query as they will be there: once for all who ask the same."""
        if self.serving is None:
            raise EmbedderUnavailable("No embedder is in service.")
        embedder = self.serving
        asked = self._query_vectors.get((embedder.name, text))
        if asked is None or (asked.done() and (asked.cancelled() or asked.exception())):
            asked = asyncio.ensure_future(embedder.embed([text], urgent=True))
            self._query_vectors[embedder.name, text] = asked
            if len(self._query_vectors) > QUERY_VECTOR_CACHE_MAX_QUERIES:
                self._query_vectors.popitem(last=False)
        return asked

    async def close(self) -> None:
        """Stop the embedders, and what is asked of them."""
        await cancel_tasks(self._query_vectors.values())
        if self.serving is not None and self.serving is not self.wanted:
            await self.serving.close()
        if self.wanted is not None:
            await self.wanted.close()


def find_serving_embedder(tx: Tx, wanted: str) -> str:
    """Return whose vectors are searched; texts that lack the wanted embedder's are to get them."""
    tx.run("INSERT INTO serving_embedder VALUES (1, :name) ON CONFLICT DO NOTHING", name=wanted)
    tx.run(
        "UPDATE sources SET embedder = '' WHERE state = 'ready' AND embedder NOT IN ('', :name)", name=wanted
    )
    return str(read_serving_embedder(tx))


def read_serving_embedder(tx: Tx) -> str | None:
    """Return whose vectors are searched; None before any embedder was started."""
    return tx.value("SELECT name FROM serving_embedder")


def set_serving_embedder(tx: Tx, name: str) -> None:
    """Note whose vectors are searched from now on."""
    tx.run("UPDATE serving_embedder SET name = :name", name=name)


def delete_other_vectors(tx: Tx, name: str) -> int:
    """Delete some vectors of other embedders, and return how many."""
    return tx.change(
        """DELETE FROM vectors WHERE (embedder, bank, chunk) IN
           (SELECT embedder, bank, chunk FROM vectors WHERE embedder <> :name LIMIT 5000)""",
        name=name,
    )
