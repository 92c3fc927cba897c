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
from tertulia.core.tasks import cancel_tasks
from tertulia.embedding.domain import Embedder, EmbedderUnavailable
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import flags
from tertulia.retrieval.embedding_service import EmbeddingService, read_serving_embedder
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.full_text_index import FullTextIndexDamaged
from tertulia.retrieval.index_damage import IndexDamage
from tertulia.retrieval.index_progress import (
    FilesAtHand,
    UnindexedFile,
    list_uncut_files,
    list_unembedded_files,
)
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.known_words import KnownWords
from tertulia.retrieval.query_expansion import (
    EXPANSION_TIMEOUT_SECONDS,
    ExpandQuery,
    ExpansionUnavailable,
    QueryExpansion,
    queries_of,
    refuse_expansion,
    request_expansion,
)
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.search_metrics import to_metrics_row
from tertulia.retrieval.search_metrics_writer import SearchMetricsWriter
from tertulia.retrieval.search_query import (
    QUERY_MAX_CHARS,
    PreparedSearch,
    SearchQuery,
    SearchResult,
    SearchStage,
    SearchTiming,
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
        expand_query: ExpandQuery = refuse_expansion,
    ) -> None:
        self._db = db
        self._list_project_ids = list_project_ids
        self._settings = settings
        self._embeddings = embeddings
        self._indexes = indexes
        self._metrics = SearchMetricsWriter(db)
        self._damage = damage
        self._expand_query = expand_query
        self._expansions = set[asyncio.Future[QueryExpansion]]()
        self._known_words = KnownWords(settings)

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
        """Run queries as their audience, and return what `take` makes of their results in the last read."""
        searches = await self.prepare_all(queries, by=by, audience=audience)
        return await self.run_all(searches, by=by, audience=audience, take=take)

    async def prepare_all(
        self, queries: Sequence[SearchQuery], *, by: Principal, audience: Principal
    ) -> list[PreparedSearch]:
        """Return queries with all that their searches need: this alone waits for the embedder.

        Those of the same words, in other places, share what is known of these.
        """
        searches: list[PreparedSearch] = []
        for query in queries:
            same = next((known for known in searches if is_worded_alike(known, query)), None)
            searches.append(
                replace(same, query=query) if same else await self._prepare(query, by=by, audience=audience)
            )
        return searches

    async def run_all(
        self,
        searches: Sequence[PreparedSearch],
        *,
        by: Principal,
        audience: Principal,
        take: Callable[[Tx, list[SearchResult]], T],
    ) -> T:
        """Run searches as their audience, and return what `take` makes of their results in the last read.

        Each has a read of its own: whoever gave up waiting keeps a thread busy for one at most.
        """
        first = [await self._db.read(self._runner(search), by=audience) for search in searches[:-1]]
        run_last = self._runner(searches[-1])

        def read(tx: Tx) -> tuple[list[SearchResult], T]:
            results = [*first, run_last(tx)]
            return results, take(tx, results)

        results, taken = await self._db.read(read, by=audience)
        for search, result in zip(searches, results, strict=True):
            self._metrics.add(to_metrics_row(search.query, result), by=by)
        return taken

    def read_flags(self, tx: Tx, *, by: Principal) -> Flags:
        """Return the flags that hold for a person's searches now."""
        return flags.read_flags(tx, self._settings, user_id=by.user_id)

    async def expand(
        self,
        query: SearchQuery,
        *,
        flags: Flags,
        by: Principal,
        local_only: bool = False,
        asked_models: tuple[str, ...] | None = None,
    ) -> list[SearchQuery]:
        """Return a query and those that are searched beside it, where flags ask a model to write any."""
        request = request_expansion(query, flags)
        if request is None:
            return [query]
        request = replace(request, local_only=local_only, asked_models=asked_models)
        # Whoever gives up waiting leaves the model to end: what it costs is written down then.
        expansion = asyncio.ensure_future(self._expand_query(request, by))
        self._expansions.add(expansion)
        expansion.add_done_callback(self._forget_expansion)
        await asyncio.wait([expansion], timeout=EXPANSION_TIMEOUT_SECONDS)
        if not expansion.done() or expansion.exception():
            return [replace(query, broken=(ExpansionUnavailable.code,))]
        return queries_of(query, expansion.result())

    def _forget_expansion(self, expansion: asyncio.Future[QueryExpansion]) -> None:
        self._expansions.discard(expansion)
        if not expansion.cancelled() and (error := expansion.exception()):
            log.warning("A query was not expanded: %s", error)

    def list_unindexed_files(
        self, tx: Tx, *, project_id: str | None, conversation_id: str | None, limit: int
    ) -> list[UnindexedFile]:
        """Return the latest files at hand that are not found yet, or not by their meaning."""
        place = FilesAtHand(project_id, conversation_id)
        uncut, serving = list_uncut_files(tx, place, limit=limit), self._embeddings.serving
        if serving is None or not flags.read_flags(tx, self._settings).dense:
            return uncut
        return [*uncut, *list_unembedded_files(tx, place, embedder=serving.name, limit=limit)][:limit]

    def note_given_up(
        self, queries: Sequence[SearchQuery], *, began: float, by: Principal, code: str
    ) -> None:
        """Count searches that `began` then and brought nothing, because they were given up or failed."""
        given_up = SearchResult([], self._settings.retrieval, SearchTiming(ms_since(began)), broken=(code,))
        for query in queries:
            self._metrics.add(to_metrics_row(query, given_up), by=by)

    async def write_metrics(self) -> None:
        """Write the figures of the latest searches down, without waiting for more of them."""
        await self._metrics.flush()

    async def close(self) -> None:
        """Give up what models still write, and write the figures of the latest searches down."""
        await cancel_tasks(self._expansions)
        await self.write_metrics()

    async def _prepare(self, query: SearchQuery, *, by: Principal, audience: Principal) -> PreparedSearch:
        """Read a query, look up its flags, and embed it where there is anything to compare it with."""
        began, not_serving = perf_counter(), tuple[str, ...]()
        try:
            serving = await self._embeddings.find_serving(timeout_seconds=query.embedding_timeout_seconds)
        except EmbedderUnavailable as error:
            serving, not_serving = None, (error.code,)
        parsed = parse_query(query.text[:QUERY_MAX_CHARS], today=now())

        def look(tx: Tx) -> tuple[Flags, str | None, StageOutcome[bool]]:
            current = query.flags or self.read_flags(tx, by=by)
            wanted = current.dense and SearchStage.DENSE in query.parts and parsed.words
            if serving is None or not wanted:
                return current, None, StageOutcome(False, 0.0, not_serving if wanted else ())
            vectors = attempt(tx, partial(self._has_vectors, tx, query, serving), fallback=False)
            return current, read_serving_embedder(tx), vectors

        current, served, vectors = await self._db.read_inline(look, by=audience)
        if serving is not None and served is not None and served != serving.name:
            await self._embeddings.follow(served)
            return await self._prepare(query, by=by, audience=audience)
        search = PreparedSearch(
            query,
            parsed,
            current,
            began,
            known_share=await self._known_words.measure_share(parsed.topic),
            unknown_words=await self._known_words.find_unknown(parsed.topic),
            broken=query.broken + vectors.broken,
        )
        return await self._embed(search, serving, by=by) if serving and vectors.found else search

    def _has_vectors(self, tx: Tx, query: SearchQuery, serving: Embedder) -> bool:
        return has_vectors(tx, query, serving.name, list_project_ids=self._list_project_ids)

    async def _embed(self, search: PreparedSearch, serving: Embedder, *, by: Principal) -> PreparedSearch:
        """Return a search with the meaning of its query, or with the code of what kept it from that."""
        began, query = perf_counter(), search.query
        text = search.parsed_query.text[:EMBEDDED_QUERY_MAX_CHARS]
        try:
            vector = await self._embeddings.embed_query(
                text, asked_by=by.user_id, timeout_seconds=query.embedding_timeout_seconds
            )
        except TertuliaError as error:
            log.warning("A query was not embedded: %s", error)
            return replace(search, broken=(*search.broken, error.code), embedding_ms=ms_since(began))
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


def is_worded_alike(known: PreparedSearch, query: SearchQuery) -> bool:
    """Tell whether a prepared search has the words of a query, and their meaning."""
    same = known.query.text == query.text and known.query.flags == query.flags
    return same and known.query.parts == query.parts and known.meaning is not None
