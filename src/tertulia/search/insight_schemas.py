"""What retrieval did, on the wire, in the names that its design gave it."""

from collections.abc import Sequence
from dataclasses import asdict

from pydantic import Field

from tertulia.core.clock import from_ms
from tertulia.core.json_object import JsonObject
from tertulia.infra.http.schema import AnyCaseId, Schema, Timestamp
from tertulia.retrieval.candidates import Candidate
from tertulia.retrieval.flags import flags_to_dict
from tertulia.retrieval.index_stats import IndexStats
from tertulia.retrieval.query_parser import ParsedQuery
from tertulia.retrieval.reranking import SearchHit
from tertulia.retrieval.search_metrics import SearchMetrics
from tertulia.retrieval.search_query import SearchQuery, SearchResult
from tertulia.retrieval.sources import SourceKind
from tertulia.search.evaluation import Evaluation, found_ranks
from tertulia.search.schemas import FlagsBody, list_reasons
from tertulia.search.search_statistics import SearchStatistics


class MarkBody(Schema):
    """Whether a cited passage was good."""

    good: bool


class MarkView(Schema):
    """A mark on a cited passage."""

    number: int
    good: bool


class EvaluationBody(Schema):
    """Flags to compare with those that hold; those left out stay."""

    project_id: AnyCaseId | None = None
    flags: FlagsBody = FlagsBody()


class FiguresView(Schema):
    """How the suite went: shares from 0 to 1, more is better, but for the bad passages that came again."""

    mrr: float
    recall: float
    ndcg: float
    bad_shown: float

    @classmethod
    def of(cls, evaluation: Evaluation) -> "FiguresView":
        """Show how the suite went."""
        return cls(
            mrr=round(evaluation.mrr, 4),
            recall=round(evaluation.recall, 4),
            ndcg=round(evaluation.ndcg, 4),
            bad_shown=round(evaluation.bad_shown, 4),
        )


class QuestionView(Schema):
    """One marked question, and the place of its first good passage before and after."""

    query: str
    before: int | None
    after: int | None


class EvaluationView(Schema):
    """The suite with the flags that hold, and with those to be tried."""

    questions: int
    before: FiguresView
    after: FiguresView
    changed: list[QuestionView]

    @classmethod
    def of(cls, before: Evaluation, after: Evaluation) -> "EvaluationView":
        """Show the suite before and after, and the questions whose answer moved."""
        ranks = [
            (old.query, found_ranks(old.good), found_ranks(new.good))
            for old, new in zip(before.outcomes, after.outcomes, strict=True)
        ]
        return cls(
            questions=len(before.outcomes),
            before=FiguresView.of(before),
            after=FiguresView.of(after),
            changed=[
                QuestionView(query=query, before=next(iter(old), None), after=next(iter(new), None))
                for query, old, new in ranks
                if old != new
            ],
        )


class MetricView(Schema):
    """The figures of one search."""

    timestamp: Timestamp
    query: str
    purpose: str
    conversation_id: str | None = Field(serialization_alias="conversationId")
    sources: dict[str, int]
    latency: dict[str, float]
    top_similarities: list[float] = Field(serialization_alias="topSimilarities")
    top_scores: list[float]
    flags: JsonObject
    hits: int
    tokens: int
    #: How many hits there were of each kind.
    kinds: dict[str, int]
    #: The codes of what did not work, or was given up.
    broken: list[str]

    @classmethod
    def of(cls, search: SearchMetrics) -> "MetricView":
        """Show one search's figures."""
        return cls(
            timestamp=from_ms(search.created_at),
            query=search.query,
            purpose=search.purpose,
            conversation_id=search.conversation_id,
            sources=search.sources,
            latency=search.latency,
            top_similarities=search.top_similarities,
            top_scores=search.top_scores,
            flags=search.flags,
            hits=search.hits,
            tokens=search.tokens,
            kinds=search.kinds,
            broken=search.broken,
        )


class DayView(Schema):
    """One day's searches."""

    day: str
    searches: int
    p95_ms: float
    hit_rate: float


class PartTimesView(Schema):
    """How long a part of searches took: half, 95 and 99 of a hundred took no longer."""

    p50_ms: float
    p95_ms: float
    p99_ms: float


class BudgetView(Schema):
    """What passages took of their token budget, prompt by prompt."""

    prompts: int
    mean_tokens: float
    mean_share: float
    p95_share: float
    exceeded: int
    overflows: int
    passages_overflowed: int


class MetricsView(Schema):
    """What the searches of some days had in common.

    `parts` are the times of each part (`dense` with the `embedding` in it), `given_up` counts searches that
    went without one, by the code of the reason, and `budget` tells what prompts took of what was found.
    """

    searches: int
    hit_rate: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    mean_top_score: float
    mean_top_similarity: float
    mean_tokens: float
    #: The mean share of their budget that passages took in prompts.
    budget_used: float
    budget: BudgetView
    parts: dict[str, PartTimesView]
    hits_by_kind: dict[str, int]
    given_up: dict[str, int]
    #: How many searches there were for each purpose.
    kinds: dict[str, int]
    days: list[DayView]
    latest: list[MetricView]

    @classmethod
    def of(cls, statistics: SearchStatistics, latest: Sequence[SearchMetrics]) -> "MetricsView":
        """Show searches summed up, and the latest of them one by one."""
        return cls(
            searches=statistics.searches,
            hit_rate=statistics.hit_rate,
            p50_ms=statistics.p50_ms,
            p95_ms=statistics.p95_ms,
            p99_ms=statistics.p99_ms,
            mean_top_score=statistics.mean_top_score,
            mean_top_similarity=statistics.mean_top_similarity,
            mean_tokens=statistics.mean_tokens,
            budget_used=statistics.budget.mean_share,
            budget=BudgetView.model_validate(statistics.budget),
            parts={part: PartTimesView.model_validate(times) for part, times in statistics.parts.items()},
            hits_by_kind=statistics.hits_by_kind,
            given_up=statistics.given_up,
            kinds=statistics.purposes,
            days=[DayView.model_validate(day) for day in statistics.days],
            latest=list(map(MetricView.of, latest)),
        )


class DebugHit(Schema):
    """A hit in short."""

    content: str
    #: The sum of what `why` adds; may exceed 1.
    score: float
    #: How alike its meaning is to the query's, from 0 to 1.
    similarity: float
    is_weak: bool
    source: str
    type: str
    path: str
    lines: str
    why: dict[str, float]

    @classmethod
    def of(cls, hit: SearchHit) -> "DebugHit":
        """Show a hit in short."""
        found = hit.candidate
        return cls(
            content=found.content,
            score=round(hit.score, 4),
            similarity=round(hit.similarity, 4),
            is_weak=hit.is_weak,
            source="dense" if hit.signals.dense >= hit.signals.lexical else "fts",
            type=result_type(found),
            path=found.path or f"{found.title or ''}, round {found.round_number}",
            lines=f"{found.start_line}-{found.end_line}",
            why={reason.signal: reason.adds for reason in list_reasons(hit)},
        )


def result_type(found: Candidate) -> str:
    """Return what a hit is: a file's chunk, a chunk of a long message, or a whole one of its kind."""
    is_chunk = found.kind is SourceKind.FILE or (found.kind is SourceKind.MESSAGE and found.number > 0)
    return "chunk" if is_chunk else str(found.kind)


class DebugView(Schema):
    """One search, looked at closely."""

    query: str
    results: list[DebugHit]
    metrics: dict[str, float]
    flags: JsonObject
    broken: list[str]
    understood: JsonObject

    @classmethod
    def of(cls, query: SearchQuery, parsed_query: ParsedQuery, result: SearchResult) -> "DebugView":
        """Show all about one search."""
        timing = result.timing
        return cls(
            query=query.text,
            results=list(map(DebugHit.of, result.hits)),
            metrics={
                "totalMs": round(timing.total, 2),
                "denseMs": round(timing.dense_search, 2),
                "embeddingMs": round(timing.embedding, 2),
                "ftsMs": round(timing.lexical_search, 2),
                "rerankMs": round(timing.rerank, 2),
            },
            flags=flags_to_dict(result.flags) | {"tokenBudget": result.flags.token_budget},
            broken=list(result.broken),
            understood=parsed_query_fields(parsed_query),
        )


class StatsView(Schema):
    """How much there is to find, and how large the index is."""

    total_messages: int = Field(serialization_alias="totalMessages")
    total_conversations: int = Field(serialization_alias="totalConversations")
    total_files: int = Field(serialization_alias="totalFiles")
    total_chunks: int = Field(serialization_alias="totalChunks")
    total_vectors: int = Field(serialization_alias="totalVectors")
    total_summaries: int = Field(serialization_alias="totalSummaries")
    profile_consent: bool = Field(serialization_alias="profileConsent")
    embedder: str
    index_sizes: dict[str, str] = Field(serialization_alias="indexSizes")

    @classmethod
    def of(cls, stats: IndexStats, *, embedder: str, profile_consent: bool) -> "StatsView":
        """Show how much there is."""
        return cls(
            total_messages=stats.messages,
            total_conversations=stats.conversations,
            total_files=stats.files,
            total_chunks=stats.chunks,
            total_vectors=stats.vectors,
            total_summaries=stats.summaries,
            profile_consent=profile_consent,
            embedder=embedder,
            index_sizes={
                "messages": format_megabytes(stats.message_bytes),
                "files": format_megabytes(stats.file_bytes),
                "summaries": format_megabytes(stats.summary_bytes),
                "embeddings": format_megabytes(stats.vector_bytes),
                "fts": format_megabytes(stats.words_bytes),
            },
        )


def parsed_query_fields(parsed_query: ParsedQuery) -> JsonObject:
    """Return what was read from a query, for people to see."""
    known = asdict(parsed_query)
    known["between"] = (
        [moment.isoformat() for moment in parsed_query.between] if parsed_query.between else None
    )
    return known


def format_megabytes(size: int) -> str:
    """Return a size as people read it."""
    return f"{size / 1_000_000:.1f} MB"
