"""One search in one transaction: look by words and by meaning, weigh what was found, pick the best."""

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Generic, TypeVar

from msgspec import structs

from tertulia.core.clock import now
from tertulia.core.errors import TertuliaError
from tertulia.core.principal import Principal
from tertulia.infra.db import Tx, bound_list
from tertulia.retrieval import candidates
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.filters import SearchFilters
from tertulia.retrieval.followed_names import (
    FOLLOWED_CHUNKS_MAX,
    FollowedName,
    compute_named_scores,
    find_followed_names,
    names_query,
)
from tertulia.retrieval.indexes import SearchIndexes
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.reranking import (
    SAME_SOURCE_PENALTY,
    SearchHit,
    drop_unsupported_hits,
    rank_candidates,
    select_hits,
)
from tertulia.retrieval.search_query import (
    PreparedSearch,
    SearchQuery,
    SearchResult,
    SearchStage,
    SearchTiming,
)
from tertulia.retrieval.search_scope import SearchScope
from tertulia.retrieval.signals import CandidatePool, Signals, compute_signals, select_promising
from tertulia.retrieval.sources import SourceKind, bank_name, has_sources_elsewhere
from tertulia.retrieval.vector_index import QueryMeaning, VectorIndex
from tertulia.retrieval.word_corrections import correct_words

log = logging.getLogger("tertulia.retrieval")
T = TypeVar("T")
ProjectIds = Callable[[Tx], list[str]]

#: How many chunks each way of looking brings.
MATCHES_PER_SEARCH_MAX = 60
#: How many of what was found are looked at closely.
RERANKED_CANDIDATES_MAX = 60
#: And how many of what was said around them.
NEIGHBOUR_CANDIDATES_MAX = 20
#: Fewer hits than this and one looks further afield.
WIDEN_SEARCH_BELOW_HITS = 3


@dataclass(frozen=True, slots=True)
class StageOutcome(Generic[T]):
    """What one part of a search brought, how long that took, and the code of what broke."""

    found: T
    ms: float
    broken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DenseMatches:
    """The chunks nearest to a query's meaning, and that meaning; none where there is nothing to compare."""

    similarities: dict[int, float]
    meaning: QueryMeaning | None = None


def run_search(
    tx: Tx, search: PreparedSearch, *, indexes: SearchIndexes, list_project_ids: ProjectIds
) -> SearchResult:
    """Return the best passages that the caller may see; where a project has few, from the whole workspace."""

    def look(query: SearchQuery) -> SearchResult:
        return search_once(
            tx, replace(search, query=query), indexes=indexes, list_project_ids=list_project_ids
        )

    found = look(search.query)
    results = [found]
    if len(found.hits) < WIDEN_SEARCH_BELOW_HITS and can_widen(tx, search.query, list_project_ids):
        found = look(replace(search.query, project_id=None))
        results.append(found)
    elif is_crowded_by_talk(found, search.query):
        results.append(look(replace(search.query, filters=SearchFilters(kinds=(SourceKind.FILE,)))))
        found = with_more_hits(found, results[-1].hits)
    return replace(
        found,
        timing=SearchTiming(
            total=ms_since(search.began),
            dense_search=search.embedding_ms + sum(result.timing.dense_search for result in results),
            embedding=search.embedding_ms,
            lexical_search=sum(result.timing.lexical_search for result in results),
            rerank=sum(result.timing.rerank for result in results),
        ),
        broken=tuple(
            dict.fromkeys((*search.broken, *(code for result in results for code in result.broken)))
        ),
    )


def is_crowded_by_talk(result: SearchResult, query: SearchQuery) -> bool:
    """Tell whether there may be files in a project that talk has left no place for among what was found."""
    if not query.files_min or query.project_id is None or query.filters != SearchFilters():
        return False
    is_cut = max(result.found_lexical, result.found_dense) >= MATCHES_PER_SEARCH_MAX
    files = sum(hit.candidate.kind is SourceKind.FILE for hit in result.hits)
    return files < query.files_min and (is_cut or len(result.hits) >= query.limit)


def with_more_hits(result: SearchResult, hits: Iterable[SearchHit]) -> SearchResult:
    """Return a result with those of some hits after its own that it does not have yet."""
    known = {hit.candidate.chunk for hit in result.hits}
    return replace(result, hits=[*result.hits, *(hit for hit in hits if hit.candidate.chunk not in known)])


def search_once(
    tx: Tx, search: PreparedSearch, *, indexes: SearchIndexes, list_project_ids: ProjectIds
) -> SearchResult:
    """Return the best passages in the scope of a query; a part that fails leaves the others to go on."""
    scope = resolve_scope(tx, search.query)
    search = replace(search, parsed_query=correct_query(tx, search, scope, indexes))
    words = attempt(tx, lambda: find_lexical_scores(tx, search, scope, indexes), fallback=dict[int, float]())
    dense = attempt(
        tx,
        lambda: find_dense_matches(tx, search, scope, indexes, list_project_ids),
        fallback=DenseMatches({}),
    )
    began = perf_counter()
    ranked = rank_matches(tx, search, scope, indexes=indexes, lexical_scores=words.found, dense=dense.found)
    penalty = SAME_SOURCE_PENALTY if is_reranked(search) else 0.0
    hits = select_hits(ranked, limit=search.query.limit, same_source_penalty=penalty)
    return SearchResult(
        hits=hits,
        flags=search.flags,
        timing=SearchTiming(
            dense_search=dense.ms,
            lexical_search=words.ms,
            rerank=ms_since(began),
        ),
        found_lexical=len(words.found),
        found_dense=len(dense.found.similarities),
        broken=words.broken + dense.broken,
    )


def attempt(tx: Tx, look: Callable[[], T], *, fallback: T) -> StageOutcome[T]:
    """Look in one way; when that fails the outcome says so."""
    began = perf_counter()
    try:
        return StageOutcome(tx.attempt(look), ms_since(began))
    except TertuliaError as error:
        log.warning("A part of retrieval failed: %s", error)
        return StageOutcome(fallback, ms_since(began), (error.code,))


def can_widen(tx: Tx, query: SearchQuery, list_project_ids: ProjectIds) -> bool:
    """Tell whether a query that may look beyond its project has anywhere else to look."""
    if not query.widen or query.project_id is None:
        return False
    return has_sources_elsewhere(tx, query.project_id, project_ids=list_project_ids(tx))


def scope_of(query: SearchQuery, by: Principal) -> SearchScope:
    """Return where a query looks, but for its filters."""
    wanted = query.filters.kinds
    return SearchScope(
        workspace_id=by.workspace_id,
        user_id=by.user_id,
        project_id=query.project_id,
        conversation_id=query.conversation_id if query.only_in_conversation else None,
        kinds=query.kinds.intersection(wanted) if wanted else query.kinds,
        from_conversation_id=query.conversation_id,
    )


def resolve_scope(tx: Tx, query: SearchQuery) -> SearchScope:
    """Return where a query looks; only what is filtered has to be looked up."""
    scope = scope_of(query, tx.by)
    if scope.conversation_id is None and query.filters == SearchFilters():
        return scope
    return replace(scope, among=candidates.find_filtered_sources(tx, scope, query.filters))


def correct_query(tx: Tx, search: PreparedSearch, scope: SearchScope, indexes: SearchIndexes) -> ParsedQuery:
    """Return a query with what the index has in the place of words that neither it nor the embedder knows."""
    asked = search.parsed_query
    if not (search.unknown_words and search.flags.hybrid and SearchStage.LEXICAL in search.query.parts):
        return asked
    looked = attempt(
        tx,
        lambda: correct_words(tx, asked, search.unknown_words, scope, index=indexes.words),
        fallback=asked,
    )
    return looked.found


def find_lexical_scores(
    tx: Tx, search: PreparedSearch, scope: SearchScope, indexes: SearchIndexes
) -> dict[int, float]:
    """Return the chunks that have words of a query, or its identifiers alone, and how well they match."""
    asked, parts = search.parsed_query, search.query.parts
    if not search.flags.hybrid or not (asked.words or asked.names):
        return {}
    if SearchStage.LEXICAL in parts:
        return indexes.words.search(tx, asked, scope, limit=MATCHES_PER_SEARCH_MAX)
    if SearchStage.IDENTIFIERS in parts and asked.names:
        return indexes.words.search_identifiers(tx, asked, scope, limit=MATCHES_PER_SEARCH_MAX)
    return {}


def find_dense_matches(
    tx: Tx,
    search: PreparedSearch,
    scope: SearchScope,
    indexes: SearchIndexes,
    list_project_ids: ProjectIds,
) -> DenseMatches:
    """Return the chunks whose meaning is nearest to that of a query."""
    meaning = search.meaning
    if meaning is None:
        return DenseMatches({})
    names = list_bank_names(tx, scope, meaning.embedder, list_project_ids=list_project_ids)
    if not names:
        return DenseMatches({})
    similarities = indexes.vectors.search(tx, meaning, names, among=scope.among, limit=MATCHES_PER_SEARCH_MAX)
    return DenseMatches(similarities, meaning)


def has_vectors(tx: Tx, query: SearchQuery, embedder: str, *, list_project_ids: ProjectIds) -> bool:
    """Tell whether there is anything that the meaning of a query could be compared with."""
    scope = scope_of(query, tx.by)
    scopes = [scope, replace(scope, project_id=None)] if query.widen and scope.project_id else [scope]
    return any(list_bank_names(tx, scope, embedder, list_project_ids=list_project_ids) for scope in scopes)


def list_bank_names(tx: Tx, scope: SearchScope, embedder: str, *, list_project_ids: ProjectIds) -> list[str]:
    """Return the banks with vectors in a reach: what every member may find, and what is the caller's own."""
    places: list[str | None] = [scope.project_id]
    if scope.project_id is None:
        places += list_project_ids(tx)
    owners = [None, scope.user_id] if scope.user_id else [None]
    names = {
        bank_name(workspace_id=scope.workspace_id, project_id=place, owner_id=owner, kind=kind)
        for place in places
        for owner in owners
        for kind in scope.kinds
    }
    return tx.column(
        f"""SELECT b.value FROM {bound_list("names")} AS b WHERE EXISTS
            (SELECT 1 FROM vectors AS v WHERE v.embedder = :embedder AND v.bank = b.value)""",
        names=sorted(names),
        embedder=embedder,
    )


def is_in_scope(scope: SearchScope, candidate: Candidate) -> bool:
    """Tell whether a chunk lies where one looks: a bank may name one that has since gone elsewhere."""
    here = scope.project_id is None or candidate.project_id == scope.project_id
    return here and candidate.kind in scope.kinds and (scope.among is None or candidate.source in scope.among)


def rank_matches(
    tx: Tx,
    search: PreparedSearch,
    scope: SearchScope,
    *,
    indexes: SearchIndexes,
    lexical_scores: dict[int, float],
    dense: DenseMatches,
) -> list[SearchHit]:
    """Return all that was found and that enough speaks for, weighed and in order."""
    rerank = is_reranked(search)
    likes = complete_similarities(tx, dense, lexical_scores, vectors=indexes.vectors)
    promising = select_promising(lexical_scores, likes, max_chunks=RERANKED_CANDIDATES_MAX)
    pool = CandidatePool(fetch_in_scope(tx, promising, scope), lexical_scores, likes)
    uses_words = SearchStage.LEXICAL in search.query.parts and search.flags.hybrid
    if uses_words and rerank:
        near = find_neighbours(tx, pool.candidates, lexical_scores, search.query)
        pool = widen_pool(tx, pool, near, dense=dense, indexes=indexes)
    signals = compute_pool_signals(pool, search)
    asked, flags = search.parsed_query, search.flags
    ranked = rank_candidates(pool.candidates, signals, asked, flags, rerank=rerank)
    followed = find_followed_names(ranked, asked) if uses_words and rerank and flags.follow_names else []
    if followed:
        more = find_named_chunks(tx, pool, followed, search, scope, indexes=indexes)
        pool = widen_pool(tx, pool, more, dense=dense, indexes=indexes)
        signals |= compute_pool_signals(replace(pool, candidates=more), search)
        for chunk, named in compute_named_scores(pool.candidates, followed).items():
            signals[chunk] = structs.replace(signals[chunk], named=named)
        ranked = rank_candidates(pool.candidates, signals, asked, flags, rerank=rerank)
    if not search.query.needs_evidence:
        return ranked
    return drop_unsupported_hits(ranked, known_share=search.known_share)


def is_reranked(search: PreparedSearch) -> bool:
    """Tell whether the closer signals count; without them the plain formula alone does."""
    return SearchStage.RERANK in search.query.parts and search.flags.rerank


def compute_pool_signals(pool: CandidatePool, search: PreparedSearch) -> dict[int, Signals]:
    """Return the signals of a pool's candidates, as far as the search uses them."""
    signals = compute_signals(
        pool, search.parsed_query, now=now(), conversation_id=search.query.conversation_id
    )
    if SearchStage.IDENTIFIERS in search.query.parts and search.flags.hybrid:
        return signals
    return {chunk: structs.replace(own, names=0.0) for chunk, own in signals.items()}


def find_named_chunks(
    tx: Tx,
    pool: CandidatePool,
    followed: Sequence[FollowedName],
    search: PreparedSearch,
    scope: SearchScope,
    *,
    indexes: SearchIndexes,
) -> list[Candidate]:
    """Return what is not in a pool yet and has the names of its best messages."""
    query = names_query(followed, search.parsed_query)
    looked = attempt(
        tx,
        lambda: indexes.words.search(tx, query, scope, limit=FOLLOWED_CHUNKS_MAX),
        fallback=dict[int, float](),
    )
    known = {candidate.chunk for candidate in pool.candidates}
    new = [chunk for chunk in looked.found if chunk not in known]
    return fetch_in_scope(tx, new, scope) if new else []


def fetch_in_scope(tx: Tx, chunks: Iterable[int], scope: SearchScope) -> list[Candidate]:
    """Return what is known of those chunks that lie where one looks."""
    found = candidates.fetch_candidates(tx, chunks, from_conversation_id=scope.from_conversation_id)
    return [candidate for candidate in found if is_in_scope(scope, candidate)]


def widen_pool(
    tx: Tx, pool: CandidatePool, more: Sequence[Candidate], *, dense: DenseMatches, indexes: SearchIndexes
) -> CandidatePool:
    """Return a pool with further candidates, and how alike their meanings are."""
    if not more:
        return pool
    known = replace(dense, similarities=dict(pool.dense))
    likes = complete_similarities(tx, known, [candidate.chunk for candidate in more], vectors=indexes.vectors)
    return replace(pool, candidates=[*pool.candidates, *more], dense=likes)


def complete_similarities(
    tx: Tx, dense: DenseMatches, chunks: Iterable[int], *, vectors: VectorIndex
) -> dict[int, float]:
    """Return how alike in meaning everything is that was found, these chunks included."""
    missing = [chunk for chunk in chunks if chunk not in dense.similarities]
    if dense.meaning is None or not missing:
        return dense.similarities
    return dense.similarities | vectors.compute_similarities(tx, dense.meaning, missing)


def find_neighbours(
    tx: Tx, found: Sequence[Candidate], by_words: dict[int, float], query: SearchQuery
) -> list[Candidate]:
    """Return what was said right before and after the best messages: an answer is found by its question."""
    if query.filters != SearchFilters() or query.only_in_conversation:
        return []
    best = sorted(found, key=lambda candidate: by_words.get(candidate.chunk, 0.0), reverse=True)
    return candidates.fetch_neighbours(tx, best, project_id=query.project_id, limit=NEIGHBOUR_CANDIDATES_MAX)


def ms_since(began: float) -> float:
    """Return the milliseconds since a moment."""
    return (perf_counter() - began) * 1000
