"""What was kept of searches, summed up."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from tertulia.core.clock import from_ms, now, to_ms
from tertulia.retrieval.search_metrics import SearchMetrics
from tertulia.search.evaluation import mean


@dataclass(frozen=True, slots=True)
class DayStatistics:
    """One day's searches."""

    day: str
    searches: int
    p95_ms: float
    hit_rate: float


@dataclass(frozen=True, slots=True)
class SearchStatistics:
    """What the searches of some days had in common."""

    searches: int
    hit_rate: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    mean_top_score: float
    mean_tokens: float
    budget_used: float
    #: How many there were for each purpose.
    purposes: dict[str, int]
    days: list[DayStatistics]


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


def summarise_searches(searches: Sequence[SearchMetrics]) -> SearchStatistics:
    """Sum up searches."""
    times = sorted_latencies(searches)
    used = [
        search.tokens / budget for search in searches if (budget := search.flags.get("token_budget") or 0)
    ]
    return SearchStatistics(
        searches=len(searches),
        hit_rate=hit_rate(searches),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        p99_ms=percentile(times, 0.99),
        mean_top_score=round(mean([search.top_scores[0] for search in searches if search.top_scores]), 4),
        mean_tokens=round(mean([float(search.tokens) for search in searches]), 1),
        budget_used=round(min(1.0, mean(used)), 4),
        purposes=dict(Counter(search.purpose for search in searches)),
        days=summarise_days(searches),
    )


def summarise_days(searches: Sequence[SearchMetrics]) -> list[DayStatistics]:
    """Return the searches of each day, the first day first."""
    days: dict[str, list[SearchMetrics]] = {}
    for search in searches:
        days.setdefault(from_ms(search.created_at).date().isoformat(), []).append(search)
    return [
        DayStatistics(day, len(some), percentile(sorted_latencies(some), 0.95), hit_rate(some))
        for day, some in sorted(days.items())
    ]


def sorted_latencies(searches: Sequence[SearchMetrics]) -> list[float]:
    """Return how long searches took in milliseconds, the shortest first."""
    return sorted(search.latency.get("totalMs", 0.0) for search in searches)


def hit_rate(searches: Sequence[SearchMetrics]) -> float:
    """Return the share of searches that found anything."""
    return round(mean([float(search.hits > 0) for search in searches]), 4)


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return the value that a share of all lie below; of nothing it is zero."""
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))], 2) if ordered else 0.0
