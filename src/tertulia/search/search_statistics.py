"""What was kept of searches, summed up."""

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from tertulia.core.clock import from_ms, now, to_ms
from tertulia.retrieval.passage_usage import PassageUsage
from tertulia.retrieval.search_metrics import SearchMetrics
from tertulia.search.evaluation import mean

#: The parts of a search whose times are kept, by their names on the wire.
SEARCH_PARTS = ("total", "dense", "embedding", "fts", "rerank")


@dataclass(frozen=True, slots=True)
class DayStatistics:
    """One day's searches."""

    day: str
    searches: int
    p95_ms: float
    hit_rate: float


@dataclass(frozen=True, slots=True)
class PartTimes:
    """How long a part of searches took, in milliseconds: half, 95 and 99 of a hundred took no longer."""

    p50_ms: float
    p95_ms: float
    p99_ms: float


@dataclass(frozen=True, slots=True)
class BudgetStatistics:
    """What passages took of their token budget, prompt by prompt."""

    prompts: int
    mean_tokens: float
    #: Of the budget: the mean of all prompts, and what 95 of a hundred stay under.
    mean_share: float
    p95_share: float
    #: Prompts whose passages took more than their budget.
    exceeded: int
    #: Prompts for which more was found than fitted, and how many passages that were.
    overflows: int
    passages_overflowed: int


@dataclass(frozen=True, slots=True)
class SearchStatistics:
    """What the searches of some days had in common."""

    searches: int
    hit_rate: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    mean_top_score: float
    #: How alike in meaning the most alike hit was, from 0 to 1.
    mean_top_similarity: float
    mean_tokens: float
    #: Each part by itself: total, dense (with the embedding), embedding, fts and rerank.
    parts: dict[str, PartTimes]
    #: How many hits there were of each kind.
    hits_by_kind: dict[str, int]
    #: How many searches went without a part, or were given up, by the code of the reason.
    given_up: dict[str, int]
    budget: BudgetStatistics
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


def summarise_searches(
    searches: Sequence[SearchMetrics], usage: Sequence[PassageUsage] = ()
) -> SearchStatistics:
    """Sum up searches, and what prompts took of what was found."""
    times = sorted_latencies(searches)
    return SearchStatistics(
        searches=len(searches),
        hit_rate=hit_rate(searches),
        p50_ms=percentile(times, 0.5),
        p95_ms=percentile(times, 0.95),
        p99_ms=percentile(times, 0.99),
        mean_top_score=round(mean([search.top_scores[0] for search in searches if search.top_scores]), 4),
        mean_top_similarity=round(
            mean([max(search.top_similarities) for search in searches if search.top_similarities]), 4
        ),
        mean_tokens=round(mean([float(search.tokens) for search in searches]), 1),
        parts={part: part_times(searches, f"{part}Ms") for part in SEARCH_PARTS},
        hits_by_kind=dict(sum((Counter(search.kinds) for search in searches), Counter[str]())),
        given_up=dict(Counter(code for search in searches for code in search.broken)),
        budget=summarise_usage(usage),
        purposes=dict(Counter(search.purpose for search in searches)),
        days=summarise_days(searches),
    )


def part_times(searches: Sequence[SearchMetrics], name: str) -> PartTimes:
    """Return how long a part took where it was run at all."""
    times = sorted(time for search in searches if (time := search.latency.get(name, 0.0)) > 0)
    return PartTimes(percentile(times, 0.5), percentile(times, 0.95), percentile(times, 0.99))


def summarise_usage(usage: Sequence[PassageUsage]) -> BudgetStatistics:
    """Return what passages took of their budget in all prompts that had one."""
    shares = sorted(prompt.tokens / prompt.budget for prompt in usage if prompt.budget)
    return BudgetStatistics(
        prompts=len(usage),
        mean_tokens=round(mean([float(prompt.tokens) for prompt in usage]), 1),
        mean_share=round(mean(shares), 4),
        p95_share=percentile(shares, 0.95),
        exceeded=sum(prompt.tokens > prompt.budget for prompt in usage),
        overflows=sum(prompt.overflowed > 0 for prompt in usage),
        passages_overflowed=sum(prompt.overflowed for prompt in usage),
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
