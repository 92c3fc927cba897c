"""The path of a query: read it, look by words and by meaning at once, weigh what was found, pick the best."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import perf_counter
from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.core.tasks import finish_tasks
from tertulia.infra.db import Database, Tx
from tertulia.retrieval import candidates, dense_search, flags, lexical_search, search_metrics
from tertulia.retrieval.banks import bank_name
from tertulia.retrieval.embedding_service import EmbeddingService, ServingEmbedder
from tertulia.retrieval.filters import SearchFilters
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.lexical_search import FullTextIndexDamaged, LexicalHit, SearchScope, WordFrequencies
from tertulia.retrieval.query_parser import ParsedQuery, parse_query
from tertulia.retrieval.reranking import SearchHit, rank_candidates, select_hits
from tertulia.retrieval.signals import CandidatePool, compute_signals, select_promising
from tertulia.retrieval.sources import has_sources_elsewhere
from tertulia.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

log = logging.getLogger("tertulia.retrieval")
T = TypeVar("T")

#: How many chunks each way of looking brings.
MATCHES_PER_SEARCH_MAX = 60
#: How many of what was found are looked at closely.
RERANKED_CANDIDATES_MAX = 60
#: And how many of what was said around them.
NEIGHBOUR_CANDIDATES_MAX = 20
#: Fewer hits than this and one looks further afield.
WIDEN_SEARCH_BELOW_HITS = 3
QUERY_MAX_CHARS = 4_000
#: What a long text is about is said in its first sentences; reading all of it would take as long as the rest.
EMBEDDED_QUERY_MAX_CHARS = 320


class SearchStage(StrEnum):
    """A part of retrieval that can be left out."""

    LEXICAL = "lexical"
    DENSE = "dense"
    IDENTIFIERS = "identifiers"
    RERANK = "rerank"


ALL_SEARCH_STAGES = frozenset(SearchStage)


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What is looked for, and where."""

    text: str
    project_id: str | None = None
    #: The conversation at hand: what was said in it counts more.
    conversation_id: str | None = None
    #: Look only in that conversation.
    only_in_conversation: bool = False
    #: Look in the whole workspace when the project has little.
    widen: bool = False
    filters: SearchFilters = field(default_factory=SearchFilters)
    limit: int = 10
    parts: frozenset[SearchStage] = ALL_SEARCH_STAGES
    #: How many seconds to wait for the query's meaning; it is then answered by words alone.
    embedding_timeout_seconds: float = 2.5
    #: Flags to try instead of those that hold.
    flags: Flags | None = None
    purpose: str = "search"


@dataclass(slots=True)
class SearchTiming:
    """How long each step took, in milliseconds."""

    total: float = 0.0
    dense_search: float = 0.0
    lexical_search: float = 0.0
    rerank: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found, and how it went."""

    hits: list[SearchHit]
    flags: Flags
    timing: SearchTiming
    #: How many chunks each way of looking brought.
    found_lexical: int = 0
    found_dense: int = 0
    #: What did not work, by code: the rest went on.
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Matches:
    """What each way of looking brought: chunks and how well they matched."""

    lexical_scores: dict[int, float]
    similarities: dict[int, float]
    #: The query's own meaning, where there is an embedder.
    vector: "NDArray[np.float32] | None" = None
    serving: ServingEmbedder | None = None


@dataclass(slots=True)
class SearchRun:
    """One query under way."""

    query: SearchQuery
    parsed_query: ParsedQuery
    flags: Flags
    #: As whom it is looked.
    by: Principal
    timing: SearchTiming = field(default_factory=SearchTiming)
    broken: list[str] = field(default_factory=list[str])


class Search:
    """Finds what is useful, whatever of it is switched off or broken."""

    def __init__(
        self,
        db: Database,
        settings: Settings,
        embeddings: EmbeddingService,
        *,
        list_project_ids: Callable[[Tx], list[str]],
    ) -> None:
        self._db = db
        self._list_project_ids = list_project_ids
        self._settings = settings
        self._embeddings = embeddings
        self._frequencies = WordFrequencies()
        self._metrics_writes: set[asyncio.Task[None]] = set()
        #: Called when the index of words turns out to be damaged.
        self.on_index_damage: Callable[[], None] = lambda: None

    async def find(
        self, query: SearchQuery, *, by: Principal, audience: Principal | None = None
    ) -> SearchResult:
        """Return the best passages for a query that its audience may see: the caller, if nobody else."""
        began = perf_counter()
        current = query.flags or await self._db.read_inline(
            lambda tx: flags.read_flags(tx, self._settings), by=by
        )
        text = query.text[:QUERY_MAX_CHARS]
        run = SearchRun(query, parse_query(text, today=now()), current, audience or by)
        result = await self._run(run)
        if len(result.hits) < WIDEN_SEARCH_BELOW_HITS and await self._can_widen(run):
            result = await self._run(with_project(run, project_id=None))
        run.timing.total = ms_since(began)
        self._record_metrics(run, result, by)
        return result

    async def _can_widen(self, run: SearchRun) -> bool:
        """Tell whether a query that may look beyond its project has anywhere else to look."""
        project_id = run.query.project_id
        if not run.query.widen or project_id is None:
            return False

        def look(tx: Tx) -> bool:
            return has_sources_elsewhere(tx, project_id, project_ids=self._list_project_ids(tx))

        return await self._db.read(look, by=run.by)

    async def _run(self, run: SearchRun) -> SearchResult:
        scope = await self._resolve_scope(run)
        by_words, by_meaning = await asyncio.gather(
            self._search_lexical(run, scope), self._search_dense(run, scope)
        )
        matches = replace(by_meaning, lexical_scores=by_words)
        began = perf_counter()
        hits = await self._db.read(lambda tx: find_best_hits(tx, run, scope, matches), by=run.by)
        run.timing.rerank += ms_since(began)
        return SearchResult(
            hits=hits,
            flags=run.flags,
            timing=run.timing,
            found_lexical=len(matches.lexical_scores),
            found_dense=len(matches.similarities),
            broken=tuple(dict.fromkeys(run.broken)),
        )

    async def _resolve_scope(self, run: SearchRun) -> SearchScope:
        """Return where a query looks; only what is filtered has to be looked up."""
        query, scope = run.query, scope_of(run.query, run.by)
        if scope.conversation_id is None and query.filters == SearchFilters():
            return scope
        among = await self._db.read(
            lambda tx: candidates.find_filtered_sources(tx, scope, query.filters), by=run.by
        )
        return replace(scope, among=among)

    async def _search_lexical(self, run: SearchRun, scope: SearchScope) -> dict[int, float]:
        began = perf_counter()
        found = await self._try_search(run, lambda: self._find_lexical_scores(run, scope), {})
        run.timing.lexical_search += ms_since(began)
        return found

    async def _find_lexical_scores(self, run: SearchRun, scope: SearchScope) -> dict[int, float]:
        parts = run.query.parts
        if not run.flags.hybrid or not (run.parsed_query.words or run.parsed_query.names):
            return {}
        question, found = run.parsed_query, list[LexicalHit]()
        if SearchStage.LEXICAL in parts:
            found += await self._db.read(
                lambda tx: lexical_search.search_full_text(
                    tx, question, scope, frequencies=self._frequencies, limit=MATCHES_PER_SEARCH_MAX
                ),
                by=run.by,
            )
        elif SearchStage.IDENTIFIERS in parts and question.names:
            found += await self._db.read(
                lambda tx: lexical_search.search_identifiers(
                    tx, question, scope, limit=MATCHES_PER_SEARCH_MAX
                ),
                by=run.by,
            )
        return {lexical_hit.chunk: lexical_hit.score for lexical_hit in found}

    async def _search_dense(self, run: SearchRun, scope: SearchScope) -> Matches:
        began = perf_counter()
        found = await self._try_search(run, lambda: self._find_dense_matches(run, scope), Matches({}, {}))
        run.timing.dense_search += ms_since(began)
        return found

    async def _find_dense_matches(self, run: SearchRun, scope: SearchScope) -> Matches:
        serving = self._embeddings.serving
        wanted = run.flags.dense and SearchStage.DENSE in run.query.parts and run.parsed_query.text.strip()
        if serving is None or not wanted:
            return Matches({}, {})
        names = await self._db.read_inline(
            lambda tx: bank_names(tx, scope, serving.banks.embedder, list_project_ids=self._list_project_ids),
            by=run.by,
        )
        if not names:
            return Matches({}, {})
        meant = run.parsed_query.text[:EMBEDDED_QUERY_MAX_CHARS]
        vector = await self._embeddings.embed_query(
            meant, timeout_seconds=run.query.embedding_timeout_seconds
        )
        found = await self._db.read(
            lambda tx: dense_search.search_vectors(
                tx, vector, names, scope, banks=serving.banks, limit=MATCHES_PER_SEARCH_MAX
            ),
            by=run.by,
        )
        return Matches({}, found, vector, serving)

    async def _try_search(self, run: SearchRun, attempt: Callable[[], Awaitable[T]], fallback: T) -> T:
        """Look in one way; when that fails the others go on, and the result says so."""
        try:
            return await attempt()
        except TertuliaError as error:
            log.warning("A part of retrieval failed: %s", error.message)
            run.broken.append(error.code)
            if isinstance(error, FullTextIndexDamaged):
                self.on_index_damage()
            return fallback

    async def close(self) -> None:
        """Wait until the figures of all searches are kept."""
        await finish_tasks(self._metrics_writes)

    def _record_metrics(self, run: SearchRun, result: SearchResult, by: Principal) -> None:
        """Keep the figures of a search; nobody waits for that."""
        row = search_metrics.to_metrics_row(run.query, result)
        task = asyncio.ensure_future(self._db.write(lambda tx: search_metrics.add_metrics(tx, row), by=by))
        self._metrics_writes.add(task)
        task.add_done_callback(self._finish_metrics_write)

    def _finish_metrics_write(self, task: "asyncio.Task[None]") -> None:
        self._metrics_writes.discard(task)
        if not task.cancelled() and (error := task.exception()):
            log.warning("The figures of a search were not kept: %s", error)


def scope_of(query: SearchQuery, by: Principal) -> SearchScope:
    """Return where a query looks, but for its filters."""
    kinds = query.filters.kinds
    return SearchScope(
        workspace_id=by.workspace_id,
        user_id=by.user_id,
        project_id=query.project_id,
        conversation_id=query.conversation_id if query.only_in_conversation else None,
        kind=kinds[0] if len(kinds) == 1 else None,
    )


def bank_names(
    tx: Tx, scope: SearchScope, embedder: str, *, list_project_ids: Callable[[Tx], list[str]]
) -> list[str]:
    """Return the banks with vectors in a reach: what every member may find, and what is the caller's own."""
    places: list[str | None] = [scope.project_id]
    if scope.project_id is None:
        places += list_project_ids(tx)
    owners = [None, scope.user_id] if scope.user_id else [None]
    names = [
        bank_name(workspace_id=scope.workspace_id, project_id=place, owner_id=owner)
        for place in places
        for owner in owners
    ]
    sql = "SELECT 1 FROM vectors WHERE embedder = :embedder AND bank = :bank LIMIT 1"
    return [name for name in names if tx.value(sql, embedder=embedder, bank=name)]


def is_in_scope(scope: SearchScope, candidate: candidates.Candidate) -> bool:
    """Tell whether a chunk lies where one looks: a bank may name one that has since gone elsewhere."""
    here = scope.project_id is None or candidate.project_id == scope.project_id
    return here and (scope.among is None or candidate.source in scope.among)


def find_best_hits(tx: Tx, run: SearchRun, scope: SearchScope, matches: Matches) -> list[SearchHit]:
    """Return the best of what was found, in order."""
    return select_hits(rank_matches(tx, run, scope, matches), limit=run.query.limit)


def rank_matches(tx: Tx, run: SearchRun, scope: SearchScope, matches: Matches) -> list[SearchHit]:
    """Return all that was found, weighed and in order."""
    parts, hybrid = run.query.parts, run.flags.hybrid
    likes = complete_similarities(tx, matches, list(matches.lexical_scores))
    caught = candidates.fetch_candidates(
        tx, select_promising(matches.lexical_scores, likes, max_chunks=RERANKED_CANDIDATES_MAX)
    )
    found = [candidate for candidate in caught if is_in_scope(scope, candidate)]
    if SearchStage.LEXICAL in parts and hybrid:
        near = find_neighbours(tx, found, matches.lexical_scores, run)
        likes |= complete_similarities(
            tx, replace(matches, similarities=likes), [candidate.chunk for candidate in near]
        )
        found += near
    pool = CandidatePool(found, matches.lexical_scores, likes)
    signals = compute_signals(pool, run.parsed_query, now=now(), conversation_id=run.query.conversation_id)
    if SearchStage.IDENTIFIERS not in parts or not hybrid:
        signals = {chunk: structs.replace(own, names=0.0) for chunk, own in signals.items()}
    rerank = SearchStage.RERANK in parts and run.flags.rerank
    return rank_candidates(found, signals, run.parsed_query, run.flags, rerank=rerank)


def complete_similarities(tx: Tx, matches: Matches, chunks: list[int]) -> dict[int, float]:
    """Return how alike in meaning everything is that was found, these chunks included."""
    if matches.vector is None or matches.serving is None:
        return dict(matches.similarities)
    missing = [chunk for chunk in chunks if chunk not in matches.similarities]
    return matches.similarities | dense_search.compute_similarities(
        tx, matches.vector, missing, banks=matches.serving.banks
    )


def find_neighbours(
    tx: Tx, found: list[candidates.Candidate], by_words: dict[int, float], run: SearchRun
) -> list[candidates.Candidate]:
    """Return what was said right before and after the best messages: an answer is found by its question."""
    query = run.query
    if query.filters != SearchFilters() or query.only_in_conversation:
        return []
    best = sorted(found, key=lambda candidate: by_words.get(candidate.chunk, 0.0), reverse=True)
    return candidates.fetch_neighbours(tx, best, project_id=query.project_id, limit=NEIGHBOUR_CANDIDATES_MAX)


def with_project(run: SearchRun, *, project_id: str | None) -> SearchRun:
    """Return the same looking, elsewhere; its clock goes on."""
    run.query = replace(run.query, project_id=project_id)
    return run


def ms_since(began: float) -> float:
    """Return the milliseconds since a moment."""
    return (perf_counter() - began) * 1000
