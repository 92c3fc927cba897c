"""From what was kept of searches to what people look at."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import asdict, replace
from datetime import timedelta
from typing import Any

from tertulia.core.clock import from_ms, now, to_ms
from tertulia.retrieval.flags import as_dict
from tertulia.retrieval.fuse import Scored
from tertulia.retrieval.metrics import Kept
from tertulia.retrieval.question import Question
from tertulia.retrieval.search import Query, Result
from tertulia.retrieval.sources import SourceKind
from tertulia.retrieval.stats import Stats
from tertulia.search.evaluation import Evaluation, mean, places
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
from tertulia.search.schemas import reasons


def since_days(days: int) -> int:
    """Return the moment some days ago, as it is stored."""
    return to_ms(now() - timedelta(days=days))


def forget_hidden(kept: Sequence[Kept], *, may_open: Container[str]) -> list[Kept]:
    """Return searches without what was asked in a conversation that may not be opened, or where that was."""
    return [
        replace(search, query="", conversation_id=None)
        if search.conversation_id and search.conversation_id not in may_open
        else search
        for search in kept
    ]


def summarised(kept: Sequence[Kept], *, shown: int) -> MetricsView:
    """Sum up searches, the latest of them one by one."""
    times = sorted(one.latency.get("totalMs", 0.0) for one in kept)
    used = [one.tokens / budget for one in kept if (budget := one.flags.get("token_budget") or 0)]
    return MetricsView(
        searches=len(kept),
        hit_rate=round(mean([float(one.hits > 0) for one in kept]), 4),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        p99_ms=percentile(times, 0.99),
        mean_top_score=round(mean([one.top_scores[0] for one in kept if one.top_scores]), 4),
        mean_tokens=round(mean([float(one.tokens) for one in kept]), 1),
        budget_used=round(min(1.0, mean(used)), 4),
        kinds=dict(Counter(one.purpose for one in kept)),
        days=by_day(kept),
        latest=[as_metric(one) for one in kept[:shown]],
    )


def by_day(kept: Sequence[Kept]) -> list[DayView]:
    """Return the searches of each day, the first day first."""
    days: dict[str, list[Kept]] = {}
    for one in kept:
        days.setdefault(from_ms(one.created_at).date().isoformat(), []).append(one)
    return [
        DayView(
            day=day,
            searches=len(some),
            p95_ms=percentile(sorted(one.latency.get("totalMs", 0.0) for one in some), 0.95),
            hit_rate=round(mean([float(one.hits > 0) for one in some]), 4),
        )
        for day, some in sorted(days.items())
    ]


def as_metric(one: Kept) -> MetricView:
    """Show one search's figures."""
    return MetricView(
        timestamp=from_ms(one.created_at),
        query=one.query,
        purpose=one.purpose,
        conversationId=one.conversation_id,
        sources=one.sources,
        latency=one.latency,
        topSimilarities=one.top_scores,
        flags=one.flags,
        hits=one.hits,
        tokens=one.tokens,
    )


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value that a share of all lie below; of nothing it is zero."""
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2) if ordered else 0.0


def debugged(query: Query, question: Question, result: Result) -> DebugView:
    """Show all about one search."""
    timing = result.timing
    return DebugView(
        query=query.text,
        results=[debug_hit(hit) for hit in result.hits],
        metrics={
            "totalMs": round(timing.total, 2),
            "denseMs": round(timing.dense, 2),
            "ftsMs": round(timing.lexical, 2),
            "rerankMs": round(timing.rerank, 2),
        },
        flags=as_dict(result.flags) | {"tokenBudget": result.flags.token_budget},
        broken=list(result.broken),
        understood=understood(question),
    )


def understood(question: Question) -> dict[str, Any]:
    """Return what was read from a query, for people to see."""
    known = asdict(question)
    known["between"] = [moment.isoformat() for moment in question.between] if question.between else None
    return known


def debug_hit(hit: Scored) -> DebugHit:
    """Show a hit in short."""
    one = hit.candidate
    return DebugHit(
        content=one.content,
        score=round(hit.score, 4),
        source="dense" if hit.signals.dense >= hit.signals.lexical else "fts",
        type="chunk" if one.kind is SourceKind.FILE or one.number else "message",
        path=one.path or f"{one.title or ''}, round {one.round_number}",
        lines=f"{one.start_line}-{one.end_line}",
        why={reason.signal: reason.adds for reason in reasons(hit)},
    )


def compared(before: Evaluation, after: Evaluation) -> EvaluationView:
    """Show the suite before and after, and the questions whose answer moved."""
    pairs = zip(before.outcomes, after.outcomes, strict=True)
    moved = [
        QuestionView(query=old.query, before=first(places(old.good)), after=first(places(new.good)))
        for old, new in pairs
        if places(old.good) != places(new.good)
    ]
    return EvaluationView(
        questions=len(before.outcomes),
        before=FiguresView.of(before),
        after=FiguresView.of(after),
        changed=moved,
    )


def first(found: Sequence[int]) -> int | None:
    """Return the first place, if there is one."""
    return found[0] if found else None


def told(one: Stats, *, embedder: str) -> StatsView:
    """Show how much there is."""
    return StatsView(
        totalMessages=one.messages,
        totalConversations=one.conversations,
        totalFiles=one.files,
        totalChunks=one.chunks,
        totalVectors=one.vectors,
        totalSummaries=0,
        profileConsent=False,
        embedder=embedder,
        indexSizes={
            "messages": megabytes(one.text_bytes),
            "embeddings": megabytes(one.vector_bytes),
            "fts": megabytes(one.words_bytes),
        },
    )


def megabytes(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / 1_000_000:.1f} MB"
