"""What retrieval did, on the wire, in the names that its design gave it."""

from typing import Any

from tertulia.infra.http.schema import AnyCaseId, Schema, Timestamp
from tertulia.search.evaluation import Evaluation
from tertulia.search.schemas import FlagsBody


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


class MetricView(Schema):
    """The figures of one search."""

    timestamp: Timestamp
    query: str
    purpose: str
    conversationId: str | None  # noqa: N815 - the names on the wire are the design's
    sources: dict[str, int]
    latency: dict[str, float]
    topSimilarities: list[float]  # noqa: N815
    flags: dict[str, Any]
    hits: int
    tokens: int


class DayView(Schema):
    """One day's searches."""

    day: str
    searches: int
    p95_ms: float
    hit_rate: float


class MetricsView(Schema):
    """What the searches of some days had in common."""

    searches: int
    hit_rate: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    mean_top_score: float
    mean_tokens: float
    budget_used: float
    kinds: dict[str, int]
    days: list[DayView]
    latest: list[MetricView]


class DebugHit(Schema):
    """A hit in short."""

    content: str
    score: float
    source: str
    type: str
    path: str
    lines: str
    why: dict[str, float]


class DebugView(Schema):
    """One search, looked at closely."""

    query: str
    results: list[DebugHit]
    metrics: dict[str, float]
    flags: dict[str, Any]
    broken: list[str]
    understood: dict[str, Any]


class StatsView(Schema):
    """How much there is to find, and how large the index is."""

    totalMessages: int  # noqa: N815
    totalConversations: int  # noqa: N815
    totalFiles: int  # noqa: N815
    totalChunks: int  # noqa: N815
    totalVectors: int  # noqa: N815
    totalSummaries: int  # noqa: N815
    profileConsent: bool  # noqa: N815
    embedder: str
    indexSizes: dict[str, str]  # noqa: N815
