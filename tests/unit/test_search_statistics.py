"""What was kept of searches and prompts, summed up."""

from tests.property.test_retrieval_reranking import EXAMPLE

from tertulia.core.clock import now, to_ms
from tertulia.retrieval.flags import Flags
from tertulia.retrieval.passage_usage import PassageUsage
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search_metrics import SearchMetrics, to_metrics_row
from tertulia.retrieval.search_query import SearchQuery, SearchResult, SearchTiming
from tertulia.retrieval.signal_weights import SignalWeights
from tertulia.retrieval.signals import Signals
from tertulia.search.search_statistics import summarise_searches


def searched(
    total: float, *, kinds: dict[str, int] | None = None, broken: tuple[str, ...] = ()
) -> SearchMetrics:
    """Return the figures of a search that took so long, half of it for the embedding."""
    kinds = kinds or {}
    return SearchMetrics(
        created_at=to_ms(now()),
        query="",
        purpose="turn",
        conversation_id=None,
        sources={},
        latency={"totalMs": total, "denseMs": total * 0.7, "embeddingMs": total / 2, "ftsMs": 0.0},
        top_scores=[1.4],
        flags={"token_budget": 1_000},
        hits=sum(kinds.values()),
        tokens=5_000,
        kinds=kinds,
        broken=list(broken),
        top_similarities=[0.6, 0.8],
    )


def test_each_part_has_its_percentiles() -> None:
    told = summarise_searches([searched(float(number)) for number in range(1, 101)])
    assert (told.parts["total"].p50_ms, told.parts["total"].p99_ms) == (51.0, 100.0)
    assert told.parts["embedding"].p95_ms == 48.0
    assert told.parts["fts"].p99_ms == told.parts["rerank"].p99_ms == 0.0


def test_hits_are_counted_by_kind_and_parts_that_were_given_up_by_reason() -> None:
    told = summarise_searches(
        [
            searched(1, kinds={"file": 2, "message": 1}),
            searched(1, kinds={"summary": 1, "message": 3}),
            searched(1, broken=("search_timeout",)),
            searched(1, kinds={"file": 1}, broken=("embedder_unavailable",)),
        ]
    )
    assert told.hits_by_kind == {"file": 3, "message": 4, "summary": 1}
    assert told.given_up == {"search_timeout": 1, "embedder_unavailable": 1}
    assert told.hit_rate == 0.75
    assert told.mean_top_similarity == 0.8


def test_the_budget_is_what_prompts_took_and_not_what_was_found() -> None:
    usage = [PassageUsage(1_000, 500, 3, 0), PassageUsage(1_000, 1_000, 5, 7), PassageUsage(100, 173, 1, 2)]
    told = summarise_searches([searched(1)], usage).budget
    assert (told.prompts, told.exceeded, told.overflows, told.passages_overflowed) == (3, 1, 2, 9)
    assert told.mean_share == round((0.5 + 1 + 1.73) / 3, 4)
    assert told.p95_share == 1.73


def test_nothing_is_summed_up_to_nothing() -> None:
    told = summarise_searches([])
    assert (told.searches, told.budget.prompts, told.budget.mean_share, told.hits_by_kind) == (0, 0, 0, {})


def test_the_most_alike_hits_are_kept_wherever_they_stand() -> None:
    hits = [
        SearchHit(EXAMPLE, 1 - place / 10, Signals(alike=alike), SignalWeights(1, 1, 1))
        for place, alike in enumerate((0.63, 0.2, 0.1, 0.74))
    ]
    row = to_metrics_row(SearchQuery("mirror size"), SearchResult(hits, Flags(), SearchTiming()))
    assert row["top_similarities"] == [0.74, 0.63, 0.2]
