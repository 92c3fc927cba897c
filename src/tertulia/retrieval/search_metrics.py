"""What each search found and how long it took, kept for a month."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from tertulia.core.clock import now
from tertulia.core.ids import new_id
from tertulia.core.json_object import JsonObject
from tertulia.infra.db import Packed, Tx
from tertulia.retrieval.flags import flags_to_dict
from tertulia.retrieval.search_query import SearchQuery, SearchResult

SEARCH_METRICS_RETENTION = timedelta(days=30)
METRICS_QUERY_MAX_CHARS = 500


def stored_query_text(query: SearchQuery) -> str:
    """Return what a search asked where a conversation asked it, and it goes with that; else nothing.

    What somebody searched for by hand would outlast whatever it was meant to find.
    """
    return query.text[:METRICS_QUERY_MAX_CHARS] if query.conversation_id else ""


def to_metrics_row(query: SearchQuery, result: SearchResult) -> dict[str, object]:
    """Return the figures of a search."""
    alike = [hit for hit in result.hits if hit.signals.dense > 0]
    inside = sum(hit.signals.here > 0 for hit in alike)
    kinds = Counter(str(hit.candidate.kind) for hit in result.hits)
    return {
        "project_id": query.project_id,
        "conversation_id": query.conversation_id,
        "query": stored_query_text(query),
        "purpose": query.purpose,
        "sources": Packed(
            {
                "conversationDense": inside,
                "globalDense": len(alike) - inside,
                "ftsLexical": sum(hit.signals.lexical > 0 for hit in result.hits),
                "summaries": kinds["summary"],
                "profile": 0,
            }
        ),
        "kinds": dict(kinds),
        "broken": list(result.broken),
        "latency": Packed(
            {
                "totalMs": round(result.timing.total, 2),
                "denseMs": round(result.timing.dense_search, 2),
                "embeddingMs": round(result.timing.embedding, 2),
                "ftsMs": round(result.timing.lexical_search, 2),
                "rerankMs": round(result.timing.rerank, 2),
            }
        ),
        "top_scores": [round(hit.score, 4) for hit in result.hits[:3]],
        "top_similarities": sorted((round(hit.similarity, 4) for hit in result.hits), reverse=True)[:3],
        "flags": Packed(flags_to_dict(result.flags)),
        "hits": len(result.hits),
        "tokens": sum(hit.candidate.tokens for hit in result.hits),
        "created_at": now(),
    }


def add_metrics(tx: Tx, row: Mapping[str, object]) -> None:
    """Keep the figures of a search."""
    tx.run(
        """INSERT INTO retrieval_metrics (id, workspace_id, user_id, project_id, conversation_id, query,
             purpose, sources, kinds, broken, latency, top_scores, top_similarities, flags, hits, tokens,
             created_at)
           VALUES (:id, :workspace, :me, :project_id, :conversation_id, :query, :purpose, :sources, :kinds,
             :broken, :latency, :top_scores, :top_similarities, :flags, :hits, :tokens, :created_at)""",
        id=new_id("ret"),
        **row,
    )


def delete_outdated_metrics(tx: Tx) -> None:
    """Forget the figures of a month ago."""
    tx.run(
        "DELETE FROM retrieval_metrics WHERE workspace_id = :workspace AND created_at < :before",
        before=now() - SEARCH_METRICS_RETENTION,
    )


@dataclass(frozen=True, slots=True)
class SearchMetrics:
    """The figures of one search."""

    created_at: int
    query: str
    purpose: str
    conversation_id: str | None
    sources: dict[str, int]
    latency: dict[str, float]
    top_scores: list[float]
    flags: JsonObject
    hits: int
    tokens: int
    #: How many hits there were of each kind.
    kinds: dict[str, int] = field(default_factory=dict[str, int])
    #: The codes of what did not work, or was given up.
    broken: list[str] = field(default_factory=list[str])
    #: Of the hits that are most alike, wherever they stand.
    top_similarities: list[float] = field(default_factory=list[float])


def list_latest(tx: Tx, *, since_ms: int, limit: int) -> list[SearchMetrics]:
    """Return the caller's latest searches."""
    return tx.all(
        SearchMetrics,
        """SELECT * FROM retrieval_metrics WHERE workspace_id = :workspace AND user_id = :me
           AND created_at >= :since AND (conversation_id IS NULL
             OR conversation_id NOT IN (SELECT id FROM deleted_conversations))
           ORDER BY id DESC LIMIT :limit""",
        since=since_ms,
        limit=limit,
    )
