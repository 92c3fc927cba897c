"""From what was kept of searches to what people look at."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from tertulia.core.clock import from_ms, now, to_ms
from tertulia.retrieval.flags import flags_to_dict
from tertulia.retrieval.index_stats import IndexStats
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search import SearchQuery, SearchResult
from tertulia.retrieval.search_metrics import SearchMetrics
from tertulia.retrieval.sources import SourceKind
from tertulia.search.evaluation import Evaluation, found_ranks, mean
from tertulia.search.insight_schemas import (
    DayView,
    DebugHit,
    DebugView,
    EvaluationView,
    FiguresView,
    MetricsView,
    MetricView,
    QuestionView,
    StatsView,
)
from tertulia.search.schemas import list_reasons


def days_ago_ms(days: int) -> int:
    """Return the moment some days ago, as it is stored."""
    return to_ms(now() - timedelta(days=days))


def redact_hidden_searches(
    searches: Sequence[SearchMetrics], *, may_open: Container[str]
) -> list[SearchMetrics]:
    """Return searches without what was asked in a conversation that may not be opened, or where that was."""
    return [
        replace(search, query="", conversation_id=None)
        if search.conversation_id and search.conversation_id not in may_open
        else search
        for search in searches
    ]


def to_metrics_view(searches: Sequence[SearchMetrics], *, latest_max: int) -> MetricsView:
    """Sum up searches, the latest of them one by one."""
    times = sorted(search_metrics.latency.get("totalMs", 0.0) for search_metrics in searches)
    used = [
        search.tokens / budget for search in searches if (budget := search.flags.get("token_budget") or 0)
    ]
    return MetricsView(
        searches=len(searches),
        hit_rate=round(mean([float(search.hits > 0) for search in searches]), 4),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        p99_ms=percentile(times, 0.99),
        mean_top_score=round(mean([search.top_scores[0] for search in searches if search.top_scores]), 4),
        mean_tokens=round(mean([float(search.tokens) for search in searches]), 1),
        budget_used=round(min(1.0, mean(used)), 4),
        kinds=dict(Counter(search.purpose for search in searches)),
        days=to_day_views(searches),
        latest=[to_metric_view(search) for search in searches[:latest_max]],
    )


def to_day_views(searches: Sequence[SearchMetrics]) -> list[DayView]:
    """Return the searches of each day, the first day first."""
    days: dict[str, list[SearchMetrics]] = {}
    for search in searches:
        days.setdefault(from_ms(search.created_at).date().isoformat(), []).append(search)
    return [
        DayView(
            day=day,
            searches=len(some),
            p95_ms=percentile(
                sorted(search_metrics.latency.get("totalMs", 0.0) for search_metrics in some), 0.95
            ),
            hit_rate=round(mean([float(search_metrics.hits > 0) for search_metrics in some]), 4),
        )
        for day, some in sorted(days.items())
    ]


def to_metric_view(search: SearchMetrics) -> MetricView:
    """Show one search's figures."""
    return MetricView(
        timestamp=from_ms(search.created_at),
        query=search.query,
        purpose=search.purpose,
        conversationId=search.conversation_id,
        sources=search.sources,
        latency=search.latency,
        topSimilarities=search.top_scores,
        flags=search.flags,
        hits=search.hits,
        tokens=search.tokens,
    )


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value that a share of all lie below; of nothing it is zero."""
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2) if ordered else 0.0


def to_debug_view(query: SearchQuery, parsed_query: ParsedQuery, result: SearchResult) -> DebugView:
    """Show all about one search."""
    timing = result.timing
    return DebugView(
        query=query.text,
        results=[to_debug_hit(hit) for hit in result.hits],
        metrics={
            "totalMs": round(timing.total, 2),
            "denseMs": round(timing.dense_search, 2),
            "ftsMs": round(timing.lexical_search, 2),
            "rerankMs": round(timing.rerank, 2),
        },
        flags=flags_to_dict(result.flags) | {"tokenBudget": result.flags.token_budget},
        broken=list(result.broken),
        understood=parsed_query_fields(parsed_query),
    )


def parsed_query_fields(parsed_query: ParsedQuery) -> dict[str, Any]:
    """Return what was read from a query, for people to see."""
    known = asdict(parsed_query)
    known["between"] = (
        [moment.isoformat() for moment in parsed_query.between] if parsed_query.between else None
    )
    return known


def to_debug_hit(hit: SearchHit) -> DebugHit:
    """Show a hit in short."""
    one = hit.candidate
    return DebugHit(
        content=one.content,
        score=round(hit.score, 4),
        source="dense" if hit.signals.dense >= hit.signals.lexical else "fts",
        type="chunk" if one.kind is SourceKind.FILE or one.number else "message",
        path=one.path or f"{one.title or ''}, round {one.round_number}",
        lines=f"{one.start_line}-{one.end_line}",
        why={reason.signal: reason.adds for reason in list_reasons(hit)},
    )


def to_evaluation_view(before: Evaluation, after: Evaluation) -> EvaluationView:
    """Show the suite before and after, and the questions whose answer moved."""
    pairs = zip(before.outcomes, after.outcomes, strict=True)
    moved = [
        QuestionView(
            query=old.query, before=first_rank(found_ranks(old.good)), after=first_rank(found_ranks(new.good))
        )
        for old, new in pairs
        if found_ranks(old.good) != found_ranks(new.good)
    ]
    return EvaluationView(
        questions=len(before.outcomes),
        before=FiguresView.of(before),
        after=FiguresView.of(after),
        changed=moved,
    )


def first_rank(found: Sequence[int]) -> int | None:
    """Return the first place, if there is one."""
    return found[0] if found else None


def to_stats_view(stats: IndexStats, *, embedder: str) -> StatsView:
    """Show how much there is."""
    return StatsView(
        totalMessages=stats.messages,
        totalConversations=stats.conversations,
        totalFiles=stats.files,
        totalChunks=stats.chunks,
        totalVectors=stats.vectors,
        totalSummaries=0,
        profileConsent=False,
        embedder=embedder,
        indexSizes={
            "messages": format_megabytes(stats.text_bytes),
            "embeddings": format_megabytes(stats.vector_bytes),
            "fts": format_megabytes(stats.words_bytes),
        },
    )


def format_megabytes(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / 1_000_000:.1f} MB"
