"""Further wordings of a query, which are searched beside it: a model writes them where a flag says so."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from tertulia.core.errors import Unavailable
from tertulia.core.principal import Principal
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search_query import QUERY_MAX_CHARS, SearchQuery, SearchResult, SearchStage

#: How long a search waits for the model that expands its query: it is then searched as it is.
EXPANSION_TIMEOUT_SECONDS = 1.5
SUB_QUERIES_MAX = 3
#: How much a place in a list counts, by reciprocal rank; in the query's own list it counts more.
FUSION_RANK_OFFSET = 3
OWN_QUERY_WEIGHT = 1.5


class ExpansionUnavailable(Unavailable):
    """No model could expand a query in time; it is searched as it is."""

    code = "query_not_expanded"


@dataclass(frozen=True, slots=True)
class ExpansionRequest:
    """A query to be expanded, what is wanted of that, and who may be shown it."""

    text: str
    wants_sub_queries: bool
    wants_answer: bool
    project_id: str | None = None
    conversation_id: str | None = None
    #: It may be shown to models on this machine or network alone.
    local_only: bool = False
    #: Models that are asked the same: one elsewhere is shown it only where one of these is elsewhere too.
    #: None where a person searches without asking any.
    asked_models: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class QueryExpansion:
    """What a model wrote of a query."""

    #: Questions that have to be answered for it, each to be searched by itself.
    sub_queries: tuple[str, ...] = ()
    #: What an answer might say, true or not: its meaning may be nearer to the answer's than the query's is.
    hypothetical_answer: str = ""


ExpandQuery = Callable[[ExpansionRequest, Principal], Awaitable[QueryExpansion]]


async def refuse_expansion(_request: ExpansionRequest, _by: Principal) -> QueryExpansion:
    """Say that there is no model that expands queries."""
    raise ExpansionUnavailable("There is no utility model to expand questions.")


def wants_expansion(flags: Flags) -> bool:
    """Tell whether flags ask for queries to be expanded."""
    return flags.multi_query or (flags.hyde and flags.dense)


def request_expansion(query: SearchQuery, flags: Flags) -> ExpansionRequest | None:
    """Return what is wanted of a model for a query; None where no flag asks for it, or nothing is asked."""
    if not wants_expansion(flags) or not query.text.strip():
        return None
    return ExpansionRequest(
        query.text[:QUERY_MAX_CHARS],
        wants_sub_queries=flags.multi_query,
        wants_answer=flags.hyde and flags.dense,
        project_id=query.project_id,
        conversation_id=query.conversation_id,
    )


def queries_of(query: SearchQuery, expansion: QueryExpansion) -> list[SearchQuery]:
    """Return a query and those that expand it; of an answer that was made up only the meaning counts."""
    parts, purpose = query.parts & {SearchStage.DENSE}, "expansion"
    answer = expansion.hypothetical_answer
    return [
        query,
        *(replace(query, text=text, purpose=purpose) for text in expansion.sub_queries[:SUB_QUERIES_MAX]),
        *([replace(query, text=answer, parts=parts, purpose=purpose)] if answer and parts else []),
    ]


def fuse_hits(lists: Sequence[Sequence[SearchHit]]) -> list[SearchHit]:
    """Return the hits of a query and of those that expand it in one order, each passage once.

    The first list is the query's own. A place near the top of several lists counts more than one at the
    top of a single one; each hit keeps the score of the search that found it best.
    """
    fused: dict[int, float] = {}
    best: dict[int, SearchHit] = {}
    for place, hits in enumerate(lists):
        weight = OWN_QUERY_WEIGHT if place == 0 else 1.0
        for rank, hit in enumerate(hits):
            chunk = hit.candidate.chunk
            fused[chunk] = fused.get(chunk, 0.0) + weight / (FUSION_RANK_OFFSET + rank)
            best.setdefault(chunk, hit)
    return sorted(best.values(), key=lambda hit: -fused[hit.candidate.chunk])


def fuse_results(results: Sequence[SearchResult], *, limit: int) -> SearchResult:
    """Return the results of a query and of those that expand it as one."""
    if len(results) == 1:
        return results[0]
    codes = [code for result in results for code in result.broken]
    return replace(
        results[0],
        hits=fuse_hits([result.hits for result in results])[:limit],
        broken=tuple(dict.fromkeys(codes)),
    )
