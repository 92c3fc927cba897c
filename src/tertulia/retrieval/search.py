"""Finding what is useful: a query is prepared, and then run in one transaction."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import TypeVar

from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.embedding.domain import Embedder
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import flags
from tertulia.retrieval.embedding_service import EmbeddingService, read_serving_embedder
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.full_text_index import FullTextIndexDamaged
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.search_metrics import to_metrics_row
from tertulia.retrieval.search_metrics_writer import SearchMetricsWriter
from tertulia.retrieval.search_query import (
    QUERY_MAX_CHARS,
    PreparedSearch,
    SearchQuery,
    SearchResult,
    SearchStage,
)
from tertulia.retrieval.search_run import ProjectIds, StageOutcome, attempt, has_vectors, ms_since, run_search
from tertulia.retrieval.vector_index import QueryMeaning
from tertulia.settings import Settings

log = logging.getLogger("tertulia.retrieval")
T = TypeVar("T")

#: What a long text is about is said in its first sentences; reading all of it would take as long as the rest.
EMBEDDED_QUERY_MAX_CHARS = 320


class Search:
    """Finds what is useful, whatever of it is switched off or broken."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        embeddings: EmbeddingService,
        *,
        indexes: SearchIndexes,
        list_project_ids: ProjectIds,
        damage: IndexDamage,
    ) -> None:
        self._db = db
        self._list_project_ids = list_project_ids
        self._settings = settings
        self._embeddings = embeddings
        self._indexes = indexes
        self._metrics = SearchMetricsWriter(db)
        self._damage = damage

    async def find(
        self, query: SearchQuery, *, by: Principal, audience: Principal | None = None
    ) -> SearchResult:
        """Return the best passages for a query that its audience may see: the caller, if nobody else."""
        return await self.find_all(
            [query], by=by, audience=audience or by, take=lambda _tx, results: results[0]
        )

    async def find_all(
        self,
        queries: Sequence[SearchQuery],
        *,
        by: Principal,
        audience: Principal,
        take: Callable[[Tx, list[SearchResult]], T],
    ) -> T:
        """Run queries as their audience, and return what `take` makes of their results in the last read.

        Each has a read of its own: whoever gave up waiting keeps a thread busy for one at most.
        """
        searches = [await self._prepare(query, audience=audience) for query in queries]
        first = [await self._db.read(self._runner(search), by=audience) for search in searches[:-1]]
        run_last = self._runner(searches[-1])

        def read(tx: Tx) -> tuple[list[SearchResult], T]:
            results = [*first, run_last(tx)]
            return results, take(tx, results)

        results, taken = await self._db.read(read, by=audience)
        for search, result in zip(searches, results, strict=True):
            self._metrics.add(to_metrics_row(search.query, result), by=by)
        return taken

    async def write_metrics(self) -> None:
        """Write the figures of the latest searches down, without waiting for more of them."""
        await self._metrics.flush()

    async def _prepare(self, query: SearchQuery, *, audience: Principal) -> PreparedSearch:
        """Read a query, look up its flags, and embed it where there is anything to compare it with."""
        began, serving = perf_counter(), self._embeddings.serving
        parsed = parse_query(query.text[:QUERY_MAX_CHARS], today=now())

        def look(tx: Tx) -> tuple[Flags, str | None, StageOutcome[bool]]:
            current = query.flags or flags.read_flags(tx, self._settings)
            wanted = current.dense and SearchStage.DENSE in query.parts and parsed.text.strip()
            if serving is None or not wanted:
                return current, None, StageOutcome(found=False, ms=0.0)
            vectors = attempt(tx, partial(self._has_vectors, tx, query, serving), fallback=False)
            return current, read_serving_embedder(tx), vectors

        current, served, vectors = await self._db.read_inline(look, by=audience)
        if serving is not None and served is not None and served != serving.name:
            await self._embeddings.follow(served)
            return await self._prepare(query, audience=audience)
        search = PreparedSearch(query, parsed, current, began, broken=vectors.broken)
        return await self._embed(search, serving) if serving and vectors.found else search

    def _has_vectors(self, tx: Tx, query: SearchQuery, serving: Embedder) -> bool:
        return has_vectors(tx, query, serving.name, list_project_ids=self._list_project_ids)

    async def _embed(self, search: PreparedSearch, serving: Embedder) -> PreparedSearch:
        """Return a search with the meaning of its query, or with the code of what kept it from that."""
        began, query = perf_counter(), search.query
        text = search.parsed_query.text[:EMBEDDED_QUERY_MAX_CHARS]
        try:
            vector = await self._embeddings.embed_query(text, timeout_seconds=query.embedding_timeout_seconds)
        except TertuliaError as error:
            log.warning("A query was not embedded: %s", error)
            return replace(search, broken=(error.code,), embedding_ms=ms_since(began))
        return replace(search, meaning=QueryMeaning(vector, serving.name), embedding_ms=ms_since(began))

    def _runner(self, search: PreparedSearch) -> Callable[[Tx], SearchResult]:
        """Return a search as a function of a transaction, which reports at once what damage it met."""
        loop, rebuilds_seen = asyncio.get_running_loop(), self._damage.rebuilds

        def run(tx: Tx) -> SearchResult:
            result = run_search(tx, search, indexes=self._indexes, list_project_ids=self._list_project_ids)
            if FullTextIndexDamaged.code in result.broken:
                loop.call_soon_threadsafe(lambda: self._damage.report(rebuilds_seen=rebuilds_seen))
            return result

        return run
