"""How well retrieval does, over HTTP: marks on citations, the suite of them, metrics, and a close look."""

from typing import Annotated

from fastapi import Path, Query

from tertulia.conversations.access import find_visible_titles
from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.infra.http.dependencies import Config, Db
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import ValidUnicode, omit_unset
from tertulia.retrieval import flags, passage_usage, search_metrics
from tertulia.retrieval.index_stats import read_index_stats
from tertulia.retrieval.query_parser import parse_query
from tertulia.retrieval.search_query import SearchQuery
from tertulia.search import citation_marks
from tertulia.search.evaluation import run_evaluation_suite
from tertulia.search.insight_schemas import (
    DebugView,
    EvaluationBody,
    EvaluationView,
    MarkBody,
    MarkView,
    MetricsView,
    StatsView,
)
from tertulia.search.profile_consent import has_profile_consent
from tertulia.search.routes import (
    EmbeddingDependency,
    IndexesDependency,
    SearchDependency,
    check_search_scope,
)
from tertulia.search.search_statistics import days_ago_ms, redact_hidden_searches, summarise_searches

router = Router(prefix="/api", tags=["search"])

PassageNumber = Annotated[int, Path(ge=1, le=1000)]


@router.get("/replies/{reply_id}/citations")
async def list_marks(reply_id: str, me: Me, db: Db) -> list[MarkView]:
    """List one's own marks on what a reply cites."""
    found = await db.read(lambda tx: citation_marks.list_of_reply(tx, reply_id), by=me)
    return [MarkView(number=citation_mark.number, good=citation_mark.good) for citation_mark in found]


@router.put("/replies/{reply_id}/citations/{number}", status_code=204)
async def mark_citation(reply_id: str, number: PassageNumber, body: MarkBody, me: Member, db: Db) -> None:
    """Mark a cited passage as good or bad; marks are the suite that changes are measured by."""
    await db.write(lambda tx: citation_marks.save_mark(tx, reply_id, number, good=body.good), by=me)


@router.delete("/replies/{reply_id}/citations/{number}", status_code=204)
async def unmark_citation(reply_id: str, number: PassageNumber, me: Member, db: Db) -> None:
    """Take a mark back."""
    await db.write(lambda tx: citation_marks.delete_mark(tx, reply_id, number), by=me)


@router.post("/retrieval/evaluation")
async def run_evaluation(
    body: EvaluationBody, me: Me, db: Db, config: Config, search: SearchDependency
) -> EvaluationView:
    """Ask every question again whose citations were marked, with the flags that hold and with others."""
    await check_search_scope(db, me, project_id=body.project_id, conversation_id=None)
    suite = await db.read(lambda tx: citation_marks.list_suite(tx, body.project_id), by=me)
    held = await db.read(lambda tx: flags.read_flags(tx, config, user_id=me.user_id), by=me)
    asked = {name: value for name, value in omit_unset(body.flags).items() if value is not None}
    tried = flags.with_checked_values(held, asked)
    before = await run_evaluation_suite(search, suite, flags=held, by=me)
    after = before if tried == held else await run_evaluation_suite(search, suite, flags=tried, by=me)
    return EvaluationView.of(before, after)


@router.get("/memory/metrics")
async def get_metrics(
    me: Me,
    db: Db,
    days: Annotated[int, Query(ge=1, le=30)] = 30,
    limit: Annotated[int, Query(ge=0, le=200)] = 50,
) -> MetricsView:
    """Sum up one's own searches of the last days; figures are kept for thirty.

    Of a search in a conversation that the caller may no longer see, only the figures are told.
    """

    def look(tx: Tx) -> MetricsView:
        found = search_metrics.list_latest(tx, since_ms=days_ago_ms(days), limit=20_000)
        asked_in = {search.conversation_id for search in found if search.conversation_id}
        shown = redact_hidden_searches(found, may_open=find_visible_titles(tx, asked_in))
        usage = passage_usage.list_latest_usage(tx, since_ms=days_ago_ms(days), limit=20_000)
        return MetricsView.of(summarise_searches(shown, usage), shown[:limit])

    return await db.read(look, by=me)


@router.get("/memory/debug/retrieval")
async def debug_retrieval(
    me: Me,
    db: Db,
    search: SearchDependency,
    q: Annotated[str, Query(max_length=4_000), ValidUnicode],
    conversation_id: Annotated[str | None, Query(alias="conversationId", max_length=60), ValidUnicode] = None,
    project_id: Annotated[str | None, Query(alias="projectId", max_length=60), ValidUnicode] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> DebugView:
    """Run a search and tell all about it: what was understood, what was found how, and how long it took."""
    await check_search_scope(db, me, project_id=project_id, conversation_id=conversation_id)
    query = SearchQuery(
        text=q, project_id=project_id, conversation_id=conversation_id, limit=limit, purpose="debug"
    )
    return DebugView.of(query, parse_query(q, today=now()), await search.find(query, by=me))


@router.get("/memory/debug/stats")
async def debug_stats(
    me: Me, db: Db, embeddings: EmbeddingDependency, indexes: IndexesDependency
) -> StatsView:
    """Tell how much there is to find, and how large the index is."""
    serving = embeddings.serving.name if embeddings.serving else "off"

    def read(tx: Tx) -> StatsView:
        stats = read_index_stats(tx, indexes.words)
        return StatsView.of(stats, embedder=serving, profile_consent=has_profile_consent(tx))

    return await db.read(read, by=me)
