"""How well retrieval does, over HTTP: marks on citations, the suite of them, metrics, and a close look."""

from typing import Annotated

from fastapi import Path, Query

from tertulia.conversations.access import titles_seen
from tertulia.core.clock import now
from tertulia.infra.db import Tx
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.parts import Config, Db
from tertulia.infra.http.routing import Router
from tertulia.infra.http.schema import Clean, omit_unset
from tertulia.retrieval import flags, metrics
from tertulia.retrieval.question import read_question
from tertulia.retrieval.search import Query as SearchQuery
from tertulia.retrieval.stats import stats
from tertulia.search import marks
from tertulia.search.evaluation import evaluate
from tertulia.search.figures import compared, debugged, forget_hidden, since_days, summarised, told
from tertulia.search.insight_schemas import (
    DebugView,
    EvaluationBody,
    EvaluationView,
    MarkBody,
    MarkView,
    MetricsView,
    StatsView,
)
from tertulia.search.routes import Embedding, Searching, check_place

router = Router(prefix="/api", tags=["search"])

Number = Annotated[int, Path(ge=1, le=1000)]


@router.get("/replies/{reply_id}/citations")
async def list_marks(reply_id: str, me: Me, db: Db) -> list[MarkView]:
    """List one's own marks on what a reply cites."""
    found = await db.read(lambda tx: marks.of_reply(tx, reply_id), by=me)
    return [MarkView(number=one.number, good=one.good) for one in found]


@router.put("/replies/{reply_id}/citations/{number}", status_code=204)
async def mark_citation(reply_id: str, number: Number, body: MarkBody, me: Member, db: Db) -> None:
    """Mark a cited passage as good or bad; marks are the suite that changes are measured by."""
    await db.write(lambda tx: marks.mark(tx, reply_id, number, good=body.good), by=me)


@router.delete("/replies/{reply_id}/citations/{number}", status_code=204)
async def unmark_citation(reply_id: str, number: Number, me: Member, db: Db) -> None:
    """Take a mark back."""
    await db.write(lambda tx: marks.unmark(tx, reply_id, number), by=me)


@router.post("/retrieval/evaluation")
async def run_evaluation(
    body: EvaluationBody, me: Me, db: Db, config: Config, searching: Searching
) -> EvaluationView:
    """Ask every question again whose citations were marked, with the flags that hold and with others."""
    await check_place(db, me, project_id=body.project_id, conversation_id=None)
    suite = await db.read(lambda tx: marks.suite(tx, body.project_id), by=me)
    held = await db.read(lambda tx: flags.current(tx, config), by=me)
    asked = {name: value for name, value in omit_unset(body.flags).items() if value is not None}
    tried = flags.checked(held, asked)
    before = await evaluate(searching, suite, flags=held, by=me)
    after = before if tried == held else await evaluate(searching, suite, flags=tried, by=me)
    return compared(before, after)


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
        found = metrics.latest(tx, since_ms=since_days(days), limit=20_000)
        asked_in = {search.conversation_id for search in found if search.conversation_id}
        return summarised(forget_hidden(found, may_open=titles_seen(tx, asked_in)), shown=limit)

    return await db.read(look, by=me)


@router.get("/memory/debug/retrieval")
async def debug_retrieval(
    me: Me,
    db: Db,
    searching: Searching,
    q: Annotated[str, Query(max_length=4_000), Clean],
    conversation_id: Annotated[str | None, Query(alias="conversationId", max_length=60), Clean] = None,
    project_id: Annotated[str | None, Query(alias="projectId", max_length=60), Clean] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> DebugView:
    """Run a search and tell all about it: what was understood, what was found how, and how long it took."""
    await check_place(db, me, project_id=project_id, conversation_id=conversation_id)
    query = SearchQuery(
        text=q, project_id=project_id, conversation_id=conversation_id, limit=limit, purpose="debug"
    )
    return debugged(query, read_question(q, today=now()), await searching.find(query, by=me))


@router.get("/memory/debug/stats")
async def debug_stats(me: Me, db: Db, embedding: Embedding) -> StatsView:
    """Tell how much there is to find, and how large the index is."""
    serving = embedding.serving.embedder.name if embedding.serving else "off"
    return told(await db.read(stats, by=me), embedder=serving)
