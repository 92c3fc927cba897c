"""Summaries, compression and the extraction of memories over HTTP."""

from dataclasses import replace
from typing import Annotated

from fastapi import Depends, Request

from tertulia.conversations import rounds
from tertulia.conversations.access import get_for_reading
from tertulia.core.principal import Principal
from tertulia.infra.db import Database, Tx
from tertulia.infra.http.dependencies import Db, Log, get_part
from tertulia.infra.http.identity import Me, Member
from tertulia.infra.http.routing import Router
from tertulia.memories.routes import to_views
from tertulia.memories.schemas import ExtractionBody, MemoryList
from tertulia.memory import summaries
from tertulia.memory.domain import Summary
from tertulia.memory.schemas import SummariesView, SummaryView
from tertulia.turns.schemas import IdempotencyKey
from tertulia.turns.services import TurnServices
from tertulia.upkeep import compression_service, memory_extraction
from tertulia.upkeep.summary_requests import SummaryRequests

#: So many versions of a summary are shown, the newest.
SUMMARY_VERSIONS_MAX = 50

router = Router(prefix="/api", tags=["context"])


async def _requests(request: Request) -> SummaryRequests:
    return get_part(request, SummaryRequests)


RequestsPart = Annotated[SummaryRequests, Depends(_requests)]


async def _services(request: Request) -> TurnServices:
    return get_part(request, TurnServices)


ServicesPart = Annotated[TurnServices, Depends(_services)]


async def to_summary_view(summary: Summary, me: Principal, db: Database) -> SummaryView:
    """Show a summary, with the rounds that its points come from."""
    places = await db.read(lambda tx: rounds.find_round_ids(tx, summary.sources), by=me)
    return SummaryView.of(summary, places)


def with_new_points_only(history: list[Summary]) -> list[Summary]:
    """Return versions, newest first, each without the points that an older one of them has."""
    known = set[int]()
    shown: list[Summary] = []
    for summary in reversed(history):
        points = [point for point in summary.points if point.id not in known]
        known.update(point.id for point in points if point.id)
        shown.append(replace(summary, points=points))
    return shown[::-1]


@router.get("/conversations/{conversation_id}/summary")
async def get_summary(conversation_id: str, me: Me, db: Db) -> SummariesView:
    """Show what is known of a conversation: what was decided, preferred, made, and is still open."""

    def read(tx: Tx) -> SummariesView:
        conversation = get_for_reading(tx, conversation_id)
        current = summaries.find_current_summary(tx, conversation.id, conversation.head_id or "")
        history = summaries.list_summaries(tx, conversation.id, limit=SUMMARY_VERSIONS_MAX)
        every = [current, *history] if current else history
        places = rounds.find_round_ids(tx, {source for summary in every for source in summary.sources})
        return SummariesView(
            current=SummaryView.of(current, places) if current else None,
            history=[SummaryView.of(summary, places) for summary in with_new_points_only(history)],
        )

    return await db.read(read, by=me)


@router.post("/conversations/{conversation_id}/summary")
async def summarise_now(
    conversation_id: str, me: Member, db: Db, requests: RequestsPart, idempotency_key: IdempotencyKey = None
) -> SummaryView:
    """Summarise all that was said so far."""
    made = await requests.summarise(conversation_id, key=idempotency_key, by=me)
    return await to_summary_view(made, me, db)


@router.post("/conversations/{conversation_id}/compression")
async def compress_now(
    conversation_id: str, me: Member, db: Db, requests: RequestsPart, idempotency_key: IdempotencyKey = None
) -> SummaryView:
    """Have all but the last rounds shown to models by their summary alone. Nothing is deleted."""
    made = await requests.compress(conversation_id, key=idempotency_key, by=me)
    return await to_summary_view(made, me, db)


@router.delete("/conversations/{conversation_id}/compression")
async def undo_compression(conversation_id: str, me: Member, db: Db, log: Log) -> SummariesView:
    """Take the last compression back: models are shown exactly what they were shown before it."""
    await db.write(lambda tx: compression_service.undo_compression(tx, conversation_id, log=log), by=me)
    return await get_summary(conversation_id, me, db)


@router.post("/memories/extract")
async def extract_memories(body: ExtractionBody, me: Member, db: Db, services: ServicesPart) -> MemoryList:
    """Look through what you wrote in a conversation, and propose what is worth remembering."""
    made = await memory_extraction.extract_memories(body.conversation_id, by=me, services=services)
    return await db.read(lambda tx: MemoryList(memories=to_views(tx, made)), by=me)
